package dev.sallyport.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.workspace.GitConfigText.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GitConfigTextTest {
    @Test
    void readsSectionsSubsectionsAndValues() throws Exception {
        assertThat(
                        GitConfigText.parse(
                                """
                                # a comment
                                [core]
                                \tbare = false ; another
                                \tfilemode
                                [Remote "origin"]
                                \tURL = "https://github.com/acme/app.git"
                                """))
                .containsExactly(
                        new Entry("core", "", "bare", "false"),
                        new Entry("core", "", "filemode", "true"),
                        new Entry("remote", "origin", "url", "https://github.com/acme/app.git"));
    }

    @Test
    void readsEscapesQuotesAndContinuedLines() throws Exception {
        assertThat(GitConfigText.parse("[a \"x\\\"]y\"]k = one \\\n  \"two # \"\\t three  # end\n"))
                .containsExactly(new Entry("a", "x\"]y", "k", "one   two # \t three"));
    }

    @Test
    void readsOlderHeadersAndTheOtherComment() throws Exception {
        assertThat(GitConfigText.parse("; c\n[A.B]k = 1\n[a.B \"C\"]a-k = x\\b\\n\\\\y ; c\n"))
                .containsExactly(
                        new Entry("a", "b", "k", "1"), new Entry("a", "b.C", "a-k", "x\b\n\\y"));
    }

    @Test
    void keepsWhatIsABlankForJavaOrQuoted() throws Exception {
        assertThat(GitConfigText.parse("[a]\nk =  \" v\"\f \nl = \\tv\n"))
                .containsExactly(new Entry("a", "", "k", " v\f"), new Entry("a", "", "l", "\tv"));
    }

    @Test
    void readsWindowsLineEndsAndAByteOrderMark() throws Exception {
        assertThat(GitConfigText.parse("\ufeff[a]\r\nk = v\r\n"))
                .containsExactly(new Entry("a", "", "k", "v"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "k = v",
                "[a",
                "[a \"b]\nk = v",
                "[a \"b\" x]\nk = v",
                "[a \"b\nc\"]\nk = v",
                "[a]\nk = \"open",
                "[a]\nk = \\x",
                "[a]\nk = v\\",
                "[a]\n= v",
                "[]\nk = v",
                "[a]\nk v",
                "[a]\n\u0000",
                "[a]\nk = v\u0000",
                "[a]\n\fk = v"
            })
    void refusesWhatGitWouldRefuse(String text) {
        assertThatThrownBy(() -> GitConfigText.parse(text))
                .isInstanceOf(GitConfigText.MalformedException.class)
                .hasMessageContaining("line");
    }
}
