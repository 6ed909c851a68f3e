package dev.sallyport.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A value that a vendor gives away in its program.
class PublishedClientTest {
    private static final Pattern FORM = Pattern.compile("PUB-[a-z]{4}");

    @TempDir Path directory;
    private FoundProgram program;

    @BeforeEach
    void install() throws IOException {
        Path bundle = Files.createDirectories(directory.resolve("package/bundle"));
        Files.writeString(directory.resolve("package/package.json"), "{}");
        Path file = Files.writeString(bundle.resolve("program.js"), "import './chunk.js'");
        program = new FoundProgram(file, List.of(), List.of(), Optional.empty());
        chunk("package/bundle/chunk.js", "var s = \"PUB-good\";");
        chunk("other.js", "PUB-else");
    }

    private void chunk(String path, String text) throws IOException {
        Files.writeString(directory.resolve(path), text);
    }

    @Test
    void isFoundAnywhereInThePackageAndNowhereElse() throws IOException {
        chunk("package/bundle/copy.js", "PUB-good");
        chunk("package/notes.txt", "PUB-text");
        Files.createSymbolicLink(
                directory.resolve("package/link.js"), directory.resolve("other.js"));
        assertThat(PublishedClient.secret(program, FORM)).contains("PUB-good");
    }

    @Test
    void isNotGuessedWhereThereAreTwo() throws IOException {
        chunk("package/another.js", "PUB-evil");
        assertThat(PublishedClient.secret(program, FORM)).isEmpty();
    }

    @Test
    void needNotBeThere() throws IOException {
        chunk("package/bundle/chunk.js", "");
        assertThat(PublishedClient.secret(program, FORM)).isEmpty();
    }
}
