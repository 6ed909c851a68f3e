package dev.sallyport.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.ConfigException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What the built-in rules find and leave alone, and how a rule file is read.
final class SecretRulesTest {
    record Form(String rule, String found, String leftAlone) {}

    static List<Form> forms() throws IOException {
        try (InputStream in = SecretRulesTest.class.getResourceAsStream("secret-forms.txt")) {
            String text =
                    new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            return text.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("\\|", -1))
                    .map(cells -> new Form(cells[0], cells[1], cells[2]))
                    .toList();
        }
    }

    static List<SecretFinding> scan(String text) {
        try {
            return SecretScanner.standard()
                    .find(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @MethodSource("forms")
    void findsTheFormAndLeavesTheNearMissAlone(Form form) {
        for (long seed = 1; seed <= 20; seed++) {
            String secret = SecretSample.of(form.found(), seed);
            assertThat(scan("first line\n" + secret + "\n"))
                    .as(secret)
                    .extracting(SecretFinding::rule)
                    .contains(form.rule());
            String other = SecretSample.of(form.leftAlone(), seed);
            assertThat(scan("first line\n" + other + "\n"))
                    .as(other)
                    .extracting(SecretFinding::rule)
                    .doesNotContain(form.rule());
        }
    }

    @Test
    void hasAFormForEveryRule() throws IOException {
        assertThat(forms().stream().map(Form::rule).distinct().toList())
                .containsExactlyInAnyOrderElementsOf(ids().toList());
    }

    @Test
    void explainsEveryRule() throws IOException {
        String page = java.nio.file.Files.readString(java.nio.file.Path.of("docs/secret-scan.md"));
        for (SecretRule rule : SecretScanner.standard().rules()) {
            assertThat(page).contains("| `" + rule.id() + "` | " + rule.description() + " |");
        }
        assertThat(page).contains("`" + SecretScanner.TOO_MANY_SUSPICIONS + "`");
    }

    private static Stream<String> ids() {
        return SecretScanner.standard().rules().stream().map(SecretRule::id);
    }

    private static SecretScanner load(String toml) throws ConfigException {
        return SecretScanner.load(new ByteArrayInputStream(toml.getBytes(StandardCharsets.UTF_8)));
    }

    private static void assertWrong(String toml, String... words) {
        assertThatThrownBy(() -> load(toml))
                .isInstanceOf(ConfigException.class)
                .hasMessageContainingAll(words);
    }

    private static final String RULE =
            """
            [[rules]]
            id = "acme"
            regex = '''acme-([a-z]+)-([0-9]+)'''
            keywords = ["ACME-"]
            """;

    private static List<String> rulesFound(String toml, String text) throws IOException {
        return load(toml)
                .find(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)))
                .stream()
                .map(finding -> finding.rule() + ":" + finding.line())
                .toList();
    }

    @Test
    void readsRulesAsGitleaksWritesThem() throws IOException {
        assertThat(rulesFound(RULE, "x\nacme-word-12")).containsExactly("acme:2");
        assertThat(rulesFound(RULE + "entropy = 3.0", "acme-aaaa-12")).isEmpty();
        assertThat(rulesFound(RULE + "secretGroup = 2\nentropy = 0.9", "acme-aaaa-12"))
                .containsExactly("acme:1");
        assertThat(rulesFound(RULE + "path = '''\\.env'''\ntags = [\"x\"]", "acme-a-1"))
                .containsExactly("acme:1");
    }

    @Test
    void allowsWhatAnAllowlistNames() throws IOException {
        String text = "acme-word-12";
        assertThat(rulesFound(RULE + "[rules.allowlist]\nstopwords = [\"WOR\"]", text)).isEmpty();
        assertThat(rulesFound(RULE + "[[rules.allowlists]]\nregexes = ['''^word$''']", text))
                .isEmpty();
        assertThat(
                        rulesFound(
                                RULE
                                        + "[[rules.allowlists]]\nregexTarget = \"match\"\n"
                                        + "regexes = ['''-12$''']",
                                text))
                .isEmpty();
        assertThat(
                        rulesFound(
                                RULE
                                        + "[[rules.allowlists]]\ncondition = \"AND\"\n"
                                        + "regexes = ['''word''']\nstopwords = [\"other\"]",
                                text))
                .hasSize(1);
        assertThat(rulesFound(RULE + "[rules.allowlist]\npaths = ['''test''']", text)).hasSize(1);
        assertThat(rulesFound("[allowlist]\nstopwords = [\"word\"]\n" + RULE, text)).isEmpty();
        assertThat(rulesFound("[[allowlists]]\nregexes = [\"word\"]\n" + RULE, text)).isEmpty();
    }

    @Test
    void namesRuleAndKeyOfAnError() {
        assertWrong("", "rules", "empty");
        assertWrong("rules = 7", "rules", "not a list");
        assertWrong("[[rules]]\nregex = 'a'\nkeywords = ['a']", "id", "missing");
        assertWrong("[[rules]]\nid = 'p'\npath = 'a'", "rule p", "regex", "path");
        assertWrong("[[rules]]\nid = 'p'\nregex = 'a'", "rule p", "keywords");
        assertWrong("[[rules]]\nid = 'p'\nregex = '(?=a)'\nkeywords = ['a']", "rule p", "regex");
        assertWrong(RULE + "secretGroup = 3", "rule acme", "secretGroup");
        assertWrong(RULE + "entropy = \"high\"", "rule acme", "entropy");
        assertWrong(RULE + "magic = true", "rule acme", "magic");
        assertWrong(RULE + RULE, "id", "twice");
        assertWrong(RULE + "[rules.allowlist]\nregexes = ['[']", "rule acme", "regexes");
        assertWrong("[extend]\nuseDefault = true\n" + RULE, "extend");
        assertWrong("[[rules]\n", "TOML");
    }
}
