package dev.sallyport.cli;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/// Which of the three standard streams are a person's terminal.
record Terminal(boolean in, boolean out, boolean err) {
    private static final Pattern DEVICE = Pattern.compile("/dev/(pts/.*|tty.*|console)");
    private static final int ANSWER_BYTES_MAX = 1_000;

    static Terminal ofThisProcess() {
        return new Terminal(isTerminal(0), isTerminal(1), isTerminal(2));
    }

    /// Asks `/proc` instead of `isatty`, which would cost the start-up of the foreign-function
    /// interface.
    private static boolean isTerminal(int descriptor) {
        try {
            Path target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
            return DEVICE.matcher(target.toString()).matches();
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /// Whether the terminal that controls this process is there. One that was closed controls
    /// nobody.
    static boolean isThere() {
        try (FileInputStream _ = new FileInputStream("/dev/tty")) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// Whether a command that is run here gets a terminal of its own.
    boolean isInteractive() {
        return in && out;
    }

    /// Reads one line byte by byte from the descriptor itself: what the person has typed beyond it
    /// belongs to the command that runs next. Empty at the end of the input.
    static Optional<String> readLine() throws IOException {
        return readLine(new FileInputStream(FileDescriptor.in));
    }

    static Optional<String> readLine(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (line.size() < ANSWER_BYTES_MAX) {
            int next = in.read();
            if (next < 0 && line.size() == 0) {
                return Optional.empty();
            }
            if (next < 0 || next == '\n') {
                break;
            }
            line.write(next);
        }
        return Optional.of(line.toString(StandardCharsets.UTF_8).strip());
    }
}
