package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.confine.SyscallFilter;
import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxFiles;
import dev.sallyport.sandbox.SandboxSpec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// Starts bubblewrap and waits until the sandbox stands: its first process is known and every mount
/// is in place.
final class BubblewrapLaunch {
    private static final Duration START_MAX = Duration.ofSeconds(30);
    private static final int LOG_BYTES_MAX = 8_192;

    private BubblewrapLaunch() {}

    static Identity start(SandboxSpec spec, Person person, Guise guise, List<String> command)
            throws SandboxException {
        Path log = spec.files().resolve("bubblewrap.log");
        try {
            SandboxFiles.write(BubblewrapCommand.filter(spec), SyscallFilter.ofSandbox());
            Process process = guise.start(HostProgram.builder(command).redirectError(log.toFile()));
            Thread limit = HostProgram.endLate(process, START_MAX);
            try (InputStream report = process.getInputStream()) {
                return FirstProcess.of(report, process.pid(), person.uid());
            } catch (IOException e) {
                process.destroyForcibly();
                throw e;
            } finally {
                limit.interrupt();
            }
        } catch (IOException e) {
            throw new SandboxException(
                    "bubblewrap could not create the sandbox; " + said(log, e), e);
        }
    }

    private static String said(Path log, IOException e) {
        try {
            String text;
            try (InputStream all = Files.newInputStream(log)) {
                text = new String(all.readNBytes(LOG_BYTES_MAX), StandardCharsets.UTF_8).strip();
            }
            return e.getMessage() + (text.isEmpty() ? "" : "; it said: " + text);
        } catch (IOException unreadable) {
            e.addSuppressed(unreadable);
            return String.valueOf(e.getMessage());
        }
    }
}
