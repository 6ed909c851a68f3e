package dev.sallyport.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;

/// A command that somebody runs in a sandbox, with all that it has started in its session. Its
/// leader is known by a variable that no other job has; a program that imitates it gets itself
/// ended, nothing more.
///
/// A container engine's client does not take its command along when it dies, and a killed command
/// line tells nobody. So whoever notices that the command line is gone ends the job from outside.
///
/// @param sandbox where it runs
/// @param mark value of [#VARIABLE]
/// @param tty whether it has a terminal, whose end is another signal
public record Job(Identity sandbox, String mark, boolean tty) {
    public static final String VARIABLE = "SALLYPORT_JOB";

    private static final int HANGUP = 1;
    private static final int TERMINATE = 15;
    private static final int CONTINUE = 18;

    /// Field of `/proc/PID/stat`, counted after the name.
    private static final int SESSION = 3;

    /// What the kernel gives to arguments and environment together, by default.
    static final int ENVIRONMENT_BYTES_MAX = 2 << 20;

    private static final Duration END_MAX = Duration.ofSeconds(10);
    private static final long POLL_NANOS = 20_000_000;

    /// As the end of a terminal does: what ignores that lives on, but for the leader. Does nothing
    /// when the leader has ended by itself; what it left in the background is meant to be there.
    public void end() throws IOException, SandboxException {
        Inmates inmates = Inmates.of(sandbox);
        for (Path leader : inmates.inside()) {
            if (isLeader(leader)) {
                end(leader, inmates);
            }
        }
    }

    private void end(Path leader, Inmates inmates) throws SandboxException {
        long pid = pid(leader);
        OptionalLong started = ProcessIdentity.startTicks(pid);
        for (Path process : inmates.inside()) {
            if (session(process) == pid) {
                for (int signal : List.of(tty ? HANGUP : TERMINATE, CONTINUE)) {
                    PidDescriptor.send(pid(process), signal, () -> inmates.isInside(process));
                }
            }
        }
        long deadline = System.nanoTime() + END_MAX.toNanos();
        while (ProcessIdentity.startTicks(pid).equals(started) && started.isPresent()) {
            if (System.nanoTime() - deadline > 0) {
                PidDescriptor.kill(pid, () -> isLeader(leader));
                return;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private boolean isLeader(Path process) {
        return session(process) == pid(process) && isMarked(process);
    }

    /// On its way inside, a variable is the value of another one; see
    /// `BubblewrapRuntime.BubblewrapExec`.
    private boolean isMarked(Path process) {
        try {
            byte[] environment = environment(process);
            return new String(environment, StandardCharsets.ISO_8859_1)
                    .contains(VARIABLE + "=" + mark + "\0");
        } catch (IOException e) {
            return false;
        }
    }

    /// Bounded, because a process can say that all of its memory is its environment.
    static byte[] environment(Path process) throws IOException {
        try (InputStream in = Files.newInputStream(process.resolve("environ"))) {
            return in.readNBytes(ENVIRONMENT_BYTES_MAX);
        }
    }

    private static long pid(Path process) {
        return Long.parseLong(process.getFileName().toString());
    }

    /// Negative when there is no such process any more.
    private static long session(Path process) {
        try {
            byte[] bytes = Files.readAllBytes(process.resolve("stat"));
            String stat = new String(bytes, StandardCharsets.ISO_8859_1);
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return Long.parseLong(fields[SESSION]);
        } catch (IOException e) {
            return -1;
        }
    }
}
