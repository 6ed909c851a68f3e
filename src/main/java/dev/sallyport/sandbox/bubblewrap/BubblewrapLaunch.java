package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.confine.SyscallFilter;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.ProcessIdentity;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxFiles;
import dev.sallyport.sandbox.SandboxSpec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Starts bubblewrap and waits until the sandbox stands: its first process is known and every mount
/// is in place.
final class BubblewrapLaunch {
    private static final Pattern CHILD = Pattern.compile("\"child-pid\": *([0-9]+)");
    private static final Duration START_MAX = Duration.ofSeconds(10);
    private static final int LINES_MAX = 100;

    private BubblewrapLaunch() {}

    static Identity start(SandboxSpec spec, List<String> command) throws SandboxException {
        Path log = spec.files().resolve("bubblewrap.log");
        try {
            SandboxFiles.write(BubblewrapCommand.filter(spec), SyscallFilter.ofSandbox());
            Process process = Tool.builder(command).redirectError(log.toFile()).start();
            Thread limit = killLater(process);
            try (BufferedReader report =
                    new BufferedReader(
                            new InputStreamReader(
                                    process.getInputStream(), StandardCharsets.UTF_8))) {
                return identity(firstProcess(report));
            } finally {
                limit.interrupt();
            }
        } catch (IOException e) {
            throw new SandboxException("bubblewrap could not make the sandbox; " + said(log, e), e);
        }
    }

    /// A pipe has no read timeout; ending the writer ends the reading.
    private static Thread killLater(Process process) {
        return Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                TimeUnit.NANOSECONDS.sleep(START_MAX.toNanos());
                                process.destroyForcibly();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    private static long firstProcess(BufferedReader report) throws IOException {
        long pid = 0;
        for (int i = 0; i < LINES_MAX; i++) {
            String line = report.readLine();
            if (line == null) {
                throw new IOException("it ended before the sandbox stood");
            }
            Matcher child = CHILD.matcher(line);
            if (child.find()) {
                pid = Long.parseLong(child.group(1));
            } else if (line.equals(BubblewrapCommand.READY) && pid > 0) {
                return pid;
            }
        }
        throw new IOException("it reported too much");
    }

    private static Identity identity(long pid) throws IOException {
        ProcessIdentity process =
                ProcessIdentity.of(pid)
                        .orElseThrow(() -> new IOException("its first process ended at once"));
        ProcessIdentity ours =
                ProcessIdentity.of(ProcessHandle.current().pid())
                        .orElseThrow(() -> new IOException("/proc cannot be read"));
        if (process.netNamespaceInode() == ours.netNamespaceInode()) {
            throw new IOException("it did not make a network namespace");
        }
        return process.named(pid + "-" + process.startTicks());
    }

    private static String said(Path log, IOException e) {
        try {
            String text = Files.readString(log).strip();
            return e.getMessage() + (text.isEmpty() ? "" : "; it said: " + text);
        } catch (IOException unreadable) {
            e.addSuppressed(unreadable);
            return String.valueOf(e.getMessage());
        }
    }
}
