package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepoNameTest {
    private static final HostName GITHUB = new HostName("github.com");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "github.com/acme/app",
                "github.com/acme/app.js",
                "github.com/acme/a",
                "github.com/a/_private",
                "github.com/acme-corp/-dash",
                "github.com/acme/.github",
                "git.corp.example/team_1/x.y-z",
                "github.com/acme/app.wiki"
            })
    void takesTheOneCanonicalForm(String text) throws MalformedNameException {
        assertThat(RepoName.parse(text)).hasToString(text);
        assertThat(RepoPattern.parse(text).text()).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "//",
                "*",
                "acme/app",
                "github.com/acme",
                "github.com/acme/",
                "github.com//app",
                "/github.com/acme/app",
                "github.com/acme/app/",
                "github.com/acme/app.git",
                "github.com/acme/app.GIT",
                "github.com/acme/.git",
                "github.com/acme/app.lock",
                "github.com/acme/.",
                "github.com/acme/..",
                "github.com/acme/...",
                "github.com/acme/a..b",
                "github.com/acme/app.",
                "github.com/../acme/app",
                "github.com/./app",
                "github.com/acme.git/app",
                "github.com/-acme/app",
                "github.com/acme/%61pp",
                "github.com/acme/app%2e",
                "github.com/acme/app\0",
                "github.com/acme/app\n",
                "github.com/acme/ap p",
                "github.com/acme/a:b",
                "github.com/acme/a;b",
                "github.com/acme/a<b",
                "github.com/acme/a=b",
                "github.com/acme/a>b",
                "github.com/acme/a?b",
                "github.com/acme/a@b",
                "github.com/acme/a[b",
                "github.com/acme/a\\b",
                "github.com/acme/a]b",
                "github.com/acme/a^b",
                "github.com/acme/a`b",
                "github.com/acme/a~b",
                "github.com/acme/\u0430pp",
                "github.com/acme/app\u200b",
                "github.com/acme/\u212a",
                "https://github.com/acme/app",
                "GitHub.com/acme/app",
                "github.com./acme/app",
                "127.0.0.1/acme/app"
            })
    void refusesEverythingElse(String text) {
        refusedAsName(text);
        refusedAsPattern(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                "*/*",
                "*/*/*",
                "github.com/*",
                "github.com/*/*",
                "github.com/*/app",
                "github.com/acme/**",
                "github.com/acme/a*",
                "github.com/acme/*a",
                "*/acme/app",
                "github.com/ac*e/*",
                "github.com/acme/*/*",
                "github.com//*",
                "*.com/acme/*",
                "github.com/acme/*\n",
                "GitHub.com/acme/*",
                "github.com/..//*"
            })
    void hasNoWiderWildcardThanOneOwner(String text) {
        refusedAsPattern(text);
        refusedAsName(text);
    }

    @Test
    void boundsItsLength() throws MalformedNameException {
        String hundred = "a".repeat(100);
        RepoName.of(GITHUB, hundred, hundred);
        refusedAsName("github.com/" + hundred + "a/x");
        refusedAsName("github.com/x/" + hundred + "a");
    }

    @Test
    void isEqualInAnyCaseButKeepsItsSpelling() throws MalformedNameException {
        RepoName granted = RepoName.parse("github.com/Acme/App");
        RepoName asked = RepoName.parse("github.com/aCME/aPP");
        assertThat(granted).isEqualTo(asked).hasSameHashCodeAs(asked);
        assertThat(granted.name()).isEqualTo("App");
        Locale usual = Locale.getDefault();
        try {
            Locale.setDefault(Locale.of("tr"));
            assertThat(RepoName.parse("github.com/ACME/INDIGO"))
                    .isEqualTo(RepoName.parse("github.com/acme/indigo"));
        } finally {
            Locale.setDefault(usual);
        }
    }

    @Test
    void matchesOneRepositoryOrAllOfOneOwner() throws MalformedNameException {
        RepoPattern one = RepoPattern.parse("github.com/Acme/App");
        assertThat(one.match(RepoName.parse("github.com/acme/app")).orElseThrow().name())
                .isEqualTo("App");
        assertThat(one.match(RepoName.parse("github.com/acme/app2"))).isEmpty();
        assertThat(one.match(RepoName.parse("github.com/acme2/app"))).isEmpty();
        assertThat(one.match(RepoName.parse("github.com.evil.example/acme/app"))).isEmpty();

        RepoPattern all = RepoPattern.parse("github.com/Acme/*");
        RepoName found = all.match(RepoName.parse("github.com/acme/Thing")).orElseThrow();
        assertThat(found.owner()).isEqualTo("Acme");
        assertThat(found.name()).isEqualTo("Thing");
        assertThat(all.match(RepoName.parse("github.com/acme-evil/app"))).isEmpty();
        assertThat(all.match(RepoName.parse("gitlab.com/acme/app"))).isEmpty();
    }

    @Test
    void readsBackTheSpellingThatGoesUpstream() throws MalformedNameException {
        for (String text : new String[] {"github.com/Acme/App", "github.com/Acme/*"}) {
            RepoPattern pattern = RepoPattern.parse(text);
            assertThat(RepoPattern.parse(pattern.text())).isEqualTo(pattern);
            assertThat(pattern.text()).isEqualTo(text);
        }
    }

    /// A group in a group is part of the owner, and none of the group around it covers it.
    @Test
    void ownersMayBeGroupsInGroups() throws MalformedNameException {
        RepoName nested = RepoName.parse("gitlab.com/group/sub/app");
        assertThat(nested.owner()).isEqualTo("group/sub");
        assertThat(nested.name()).isEqualTo("app");
        assertThat(RepoPattern.parse("gitlab.com/group/*").match(nested)).isEmpty();
        assertThat(RepoPattern.parse("gitlab.com/Group/sub/*").match(nested)).isPresent();
        refusedAsName("gitlab.com/group/sub.git/app");
        refusedAsName("gitlab.com/group/../app");
        refusedAsName("gitlab.com/group//app");
        refusedAsName("gitlab.com" + "/a".repeat(22));
    }

    @Test
    void cannotBeBuiltAroundTheParser() {
        assertThatIllegalArgumentException().isThrownBy(() -> new RepoName(GITHUB, "acme", "../x"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RepoPattern(GITHUB, "a//b", Optional.empty()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RepoPattern(GITHUB, "acme", Optional.of("*")));
    }

    private static void refusedAsName(String text) {
        assertThatExceptionOfType(MalformedNameException.class)
                .isThrownBy(() -> RepoName.parse(text));
    }

    private static void refusedAsPattern(String text) {
        assertThatExceptionOfType(MalformedNameException.class)
                .isThrownBy(() -> RepoPattern.parse(text));
    }
}
