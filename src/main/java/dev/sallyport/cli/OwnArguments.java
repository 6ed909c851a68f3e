package dev.sallyport.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// The words that this process was started with, as the kernel has them.
final class OwnArguments {
    private static final Path RAW = Path.of("/proc/self/cmdline");

    /// What Java puts in the place of bytes that are no UTF-8.
    static final String REPLACEMENT = "\uFFFD";

    /// Such a word would mean another file, and reach the command as another word.
    static void requireUtf8() throws CliException {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(Files.readAllBytes(RAW)));
        } catch (CharacterCodingException e) {
            throw ExitCode.USAGE.because(
                    "not-utf-8",
                    "An argument is not valid UTF-8, so it cannot be passed on.",
                    "Rename the file to a name in UTF-8, or put the argument into a script.");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
