package dev.sallyport.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.approval.ShownText;
import dev.sallyport.fixture.Command;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the page does with text, in a real JavaScript engine.
class PartsTest {
    /// Prints those of the given characters that stay as they are.
    private static final String LEFT =
            """
            import { readFileSync } from 'node:fs';
            import { printable } from './parts.mjs';
            const points = readFileSync(0, 'utf8').split(' ').map(Number);
            const stays = (point) => printable(String.fromCodePoint(point)) === String.fromCodePoint(point);
            console.log(points.filter(stays).map((point) => point.toString(16)).join(' '));
            """;

    @TempDir Path directory;

    private String left(IntStream points) throws Exception {
        try (InputStream parts = PageDoor.PageFiles.class.getResourceAsStream("parts.js")) {
            Files.copy(Objects.requireNonNull(parts), directory.resolve("parts.mjs"));
        }
        Files.writeString(directory.resolve("left.mjs"), LEFT);
        return Command.of("node", "left.mjs")
                .in(directory)
                .input(points.mapToObj(Integer::toString).collect(Collectors.joining(" ")))
                .run()
                .ok();
    }

    /// An engine may know more letters than Java does, so only those that Java knows.
    @Test
    void thePageWritesOutWhatTheTerminalWritesOut() throws Exception {
        IntStream unseen =
                IntStream.rangeClosed(0, Character.MAX_CODE_POINT)
                        .filter(Character::isDefined)
                        .filter(point -> !ShownText.isSeen(point));

        assertThat(left(IntStream.concat(unseen, "aé漢😀".codePoints())))
                .isEqualTo("61 e9 6f22 1f600");
    }
}
