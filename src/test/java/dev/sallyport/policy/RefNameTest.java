package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RefNameTest {
    private static final long SEED = 20_260_101L;
    private static final int CORPUS = 1_200;
    private static final String[] PIECES = {
        "a", "b", "Z", "0", "-", "_", ".", "..", "/", "//", "@", "{", "@{", "}", ".lock", ".lock/",
        "lock", "~", "^", ":", "?", "*", "[", "]", "\\", " ", "\t", "\u0001", "\u007f", "%", "é",
        "ü", "日", "🐙", "HEAD", "refs/", "heads/", "|", ";", "$", "'", "\"", "!", "#", ",", "+"
    };

    @ParameterizedTest
    @ValueSource(
            strings = {
                "refs/heads/main",
                "refs/heads/agent/fix-1",
                "refs/heads/a./b",
                "refs/heads/@",
                "refs/heads/-x",
                "refs/heads/a.lockb",
                "refs/tags/v1.0",
                "refs/notes/commits",
                "refs/pull/1/head",
                "refs/heads/日本"
            })
    void takesWhatGitTakes(String text) throws MalformedNameException {
        assertThat(RefName.parse(text).value()).isEqualTo(text);
    }

    /// G13, and what would let one name look like another.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HEAD",
                "main",
                "heads/main",
                "refs",
                "refs/",
                "refs/heads",
                "refs/heads/",
                "refs//main",
                "refs/heads//main",
                "/refs/heads/main",
                "refs/heads/main/",
                "refs/heads/../main",
                "refs/heads/./main",
                "refs/heads/.main",
                "refs/heads/a/.b",
                "refs/heads/main.",
                "refs/heads/main.lock",
                "refs/heads/a.lock/b",
                "refs/heads/a..b",
                "refs/heads/a@{1}",
                "refs/heads/a b",
                "refs/heads/a\tb",
                "refs/heads/a\nb",
                "refs/heads/a\0b",
                "refs/heads/a\u007fb",
                "refs/heads/a\u0085b",
                "refs/heads/a\u202eb",
                "refs/heads/a\u200bb",
                "refs/heads/a\ufeffb",
                "refs/heads/a\ufffdb",
                "refs/heads/a\u2028b",
                "refs/heads/a\u00a0b",
                "refs/heads/a~1",
                "refs/heads/a^",
                "refs/heads/a:b",
                "refs/heads/a?",
                "refs/heads/a*",
                "refs/heads/a[b",
                "refs/heads/a\\b",
                "Refs/heads/main",
                "REFS/HEADS/main"
            })
    void refusesTheRest(String text) {
        refused(text);
    }

    @Test
    void refusesHalfACharacter() {
        refused("refs/heads/a" + (char) 0xd83d);
        refused("refs/heads/" + (char) 0xdc19 + "a");
    }

    @Test
    void boundsItsLength() throws MalformedNameException {
        String prefix = "refs/heads/";
        RefName.parse(prefix + "a".repeat(1_024 - prefix.length()));
        refused(prefix + "a".repeat(1_025 - prefix.length()));
    }

    @Test
    void isCaseSensitiveAboutItsCategory() throws MalformedNameException {
        assertThat(RefName.parse("refs/Heads/main").isBranch()).isFalse();
        assertThat(RefName.parse("refs/Tags/v1").isTag()).isFalse();
        assertThat(RefName.parse("refs/heads/a/b").shortName()).isEqualTo("a/b");
        assertThat(RefName.parse("refs/headsx/a").isBranch()).isFalse();
    }

    /// Whatever is accepted here is accepted by git; and within printable ASCII the converse holds
    /// for full ref names.
    @Test
    void agreesWithGitCheckRefFormat(@TempDir Path directory) throws Exception {
        List<String> names = corpus();
        List<Boolean> git = askGit(directory, names);
        int accepted = 0;
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            boolean ours = accepts(name);
            accepted += ours ? 1 : 0;
            if (ours || isFullAscii(name)) {
                assertThat(ours).as("<%s>", name).isEqualTo(git.get(i));
            }
        }
        assertThat(accepted).isBetween(CORPUS / 10, CORPUS * 9 / 10);
    }

    private static boolean isFullAscii(String name) {
        return name.startsWith("refs/")
                && name.split("/", -1).length > 2
                && name.chars().allMatch(c -> c <= 0x7e);
    }

    private static List<String> corpus() {
        Random random = new Random(SEED);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < CORPUS; i++) {
            StringBuilder name = new StringBuilder(random.nextInt(10) == 0 ? "" : "refs/heads/");
            int pieces = 1 + random.nextInt(4);
            for (int j = 0; j < pieces; j++) {
                boolean plain = random.nextInt(3) > 0;
                name.append(PIECES[random.nextInt(plain ? 6 : PIECES.length)]);
            }
            names.add(name.toString());
        }
        return names;
    }

    private static List<Boolean> askGit(Path directory, List<String> names)
            throws IOException, InterruptedException {
        Path input = directory.resolve("names");
        Path output = directory.resolve("answers");
        Files.write(input, names, StandardCharsets.UTF_8);
        Process shell =
                new ProcessBuilder(
                                "sh",
                                "-c",
                                "while IFS= read -r r; do git check-ref-format \"$r\"; echo $?; done")
                        .redirectInput(input.toFile())
                        .redirectOutput(output.toFile())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        assertThat(shell.waitFor(600, TimeUnit.SECONDS)).isTrue();
        List<Boolean> answers = Files.readAllLines(output).stream().map("0"::equals).toList();
        assertThat(answers).hasSameSizeAs(names);
        return answers;
    }

    private static boolean accepts(String name) {
        try {
            RefName.parse(name);
            return true;
        } catch (MalformedNameException e) {
            return false;
        }
    }

    private static void refused(String text) {
        assertThatExceptionOfType(MalformedNameException.class)
                .isThrownBy(() -> RefName.parse(text));
    }
}
