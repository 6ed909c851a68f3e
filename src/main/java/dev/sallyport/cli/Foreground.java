package dev.sallyport.cli;

import dev.sallyport.confine.ConfinedStart;
import dev.sallyport.confine.Confinement;
import dev.sallyport.confine.SyscallFilter;
import dev.sallyport.control.Api;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Runs the host command that enters a sandbox, with the person's standard streams and exactly the
/// environment that the warden chose, and passes signals on to what runs inside.
final class Foreground {
    /// How long a command may take to end after it was asked to.
    private static final int END_SECONDS_MAX = 10;

    /// From here on a status tells of a signal, perhaps to the program that entered the sandbox.
    private static final int SIGNALLED = 128;

    private static final List<String> SIGNALS = List.of("INT", "TERM", "HUP", "TSTP", "CONT");

    private final boolean tty;
    private final List<String> early = new ArrayList<>();
    private @Nullable Process running;
    private final AtomicBoolean ending = new AtomicBoolean();

    Foreground(boolean tty) {
        this.tty = tty;
    }

    /// How a command ended.
    ///
    /// @param status the command's own; 128 + n when signal n ended it
    /// @param byItself false when it may run on, because only the way to it has ended: a program
    ///   that enters a sandbox and loses its terminal ends as if all were well
    record End(int status, boolean byItself) {}

    /// @param entering begun before
    static End run(Surroundings around, Api.ExecAnswer plan, boolean tty, ConfinedStart entering)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(ownGroup(plan.argv(), tty)).inheritIO();
        builder.environment().clear();
        builder.environment().putAll(plan.environment());
        // With a terminal, `script` stands between the person's descriptors and the sandbox.
        StandardStreams streams = StandardStreams.of(around, plan.enters() && !tty);
        streams.redirect(builder);
        Foreground foreground = new Foreground(tty);
        boolean hasTerminal = tty && Terminal.isThere();
        if (around.areOfThisProcess()) {
            Signals.redirect(SIGNALS, foreground::receive);
        }
        Process process = plan.enters() ? entering.start(builder) : builder.start();
        foreground.started(process);
        int status = streams.carryUntilEnd(process);
        boolean lost = foreground.ending.get() || (hasTerminal && !Terminal.isThere());
        return new End(status, status < SIGNALLED && !lost);
    }

    /// Gets ready to start what enters a sandbox. No namespace contains everything that a system
    /// call can reach, the kernel's keys for one.
    static ConfinedStart entering() {
        return ConfinedStart.ahead(
                () -> Confinement.toCalls(SyscallFilter.ofEntering()).confineThisThread());
    }

    /// Without a terminal of its own the entering process leaves our group, so that a Ctrl-C at our
    /// terminal reaches us alone and we decide who gets it.
    private static List<String> ownGroup(List<String> argv, boolean tty) {
        if (tty || argv.getFirst().endsWith("setsid")) {
            return argv;
        }
        List<String> command = new ArrayList<>(List.of("setsid", "--wait"));
        command.addAll(argv);
        return command;
    }

    /// Signals that came before reach it now, in their order.
    synchronized void started(Process process) {
        running = process;
        early.forEach(signal -> pass(signal, process));
        early.clear();
    }

    /// Kept until there is a process: who hears a command say that it is ready may signal us before
    /// we know that it runs.
    synchronized void receive(String signal) {
        Process process = running;
        if (process == null) {
            early.add(signal);
        } else {
            pass(signal, process);
        }
    }

    private void pass(String signal, Process process) {
        if (!process.isAlive()) {
            return;
        }
        switch (signal) {
            case "TSTP" -> {
                if (!tty) {
                    send("STOP", inside(process));
                    send("STOP", List.of(ProcessHandle.current().pid()));
                }
            }
            case "CONT" -> {
                send("CONT", inside(process));
                send("CONT", List.of(process.pid()));
            }
            case "INT" -> send("INT", insideOrEntering(process));
            default -> end(signal, process);
        }
    }

    /// `TERM` and `HUP` mean that we are to go as well: the command is told, and not waited for
    /// without end. With a terminal of its own it is told by that terminal's end, as `script`
    /// understands `TERM` and no other.
    private void end(String signal, Process process) {
        if (tty) {
            send("TERM", List.of(process.pid()));
        } else {
            send(signal, insideOrEntering(process));
        }
        if (ending.compareAndSet(false, true)) {
            Thread.ofVirtual().start(() -> endByForce(process));
        }
    }

    private static void endByForce(Process process) {
        try {
            if (!process.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<Long> inside(Process process) {
        return ProcessTable.read().commandOf(process.pid());
    }

    private static List<Long> insideOrEntering(Process process) {
        List<Long> inside = inside(process);
        return inside.isEmpty() ? List.of(process.pid()) : inside;
    }

    private static void send(String signal, List<Long> pids) {
        if (pids.isEmpty()) {
            return;
        }
        List<String> command = new ArrayList<>(List.of("sh", "-c", "kill -s \"$@\"", "kill"));
        command.add(signal);
        pids.forEach(pid -> command.add(Long.toString(pid)));
        try {
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor(1, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// The processes of this machine as `/proc` shows them, to find those that a signal is meant
    /// for.
    private record ProcessTable(List<Row> rows) {
        /// @param sandboxed whether it lives in a process namespace below ours
        private record Row(long pid, long parent, long group, boolean sandboxed) {}

        static ProcessTable read() {
            List<Row> rows = new ArrayList<>();
            try (DirectoryStream<Path> entries =
                    Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
                for (Path entry : entries) {
                    row(entry).ifPresent(rows::add);
                }
            } catch (IOException e) {
                return new ProcessTable(List.of());
            }
            return new ProcessTable(rows);
        }

        private static Optional<Row> row(Path entry) {
            try {
                String stat = Files.readString(entry.resolve("stat"), StandardCharsets.ISO_8859_1);
                // The name in parentheses may hold spaces and parentheses; fields are counted after
                // it.
                String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
                long pid = Long.parseLong(entry.getFileName().toString());
                return Optional.of(
                        new Row(
                                pid,
                                Long.parseLong(fields[1]),
                                Long.parseLong(fields[2]),
                                isSandboxed(entry)));
            } catch (IOException | NumberFormatException e) {
                return Optional.empty();
            }
        }

        private static boolean isSandboxed(Path entry) throws IOException {
            return Files.readString(entry.resolve("status"), StandardCharsets.ISO_8859_1)
                    .lines()
                    .filter(line -> line.startsWith("NSpid:"))
                    .anyMatch(line -> line.strip().split("\\s+", -1).length > 2);
        }

        /// The sandboxed processes in the foreground group of the command that `entering` brought
        /// in: what a terminal would have sent the signal to. `nsenter` and its like are not among
        /// them, because they would die and leave the command behind.
        List<Long> commandOf(long entering) {
            Set<Long> family = new HashSet<>(Set.of(entering));
            List<Row> waiting = new ArrayList<>(rows);
            while (true) {
                List<Row> children =
                        waiting.stream().filter(row -> family.contains(row.parent())).toList();
                Optional<Row> first = children.stream().filter(Row::sandboxed).findFirst();
                if (first.isPresent()) {
                    return group(first.get().group());
                }
                if (children.isEmpty()) {
                    return List.of();
                }
                waiting.removeAll(children);
                children.forEach(child -> family.add(child.pid()));
            }
        }

        private List<Long> group(long group) {
            return rows.stream()
                    .filter(row -> row.group() == group && row.sandboxed())
                    .map(Row::pid)
                    .toList();
        }
    }

    /// Which of the person's standard streams are carried to a command and back by us, instead of
    /// being handed to it.
    ///
    /// What goes into a sandbox as an open descriptor can be opened anew there, through
    /// `/proc/self/fd`, with other rights than it came with: a file that is the input could be
    /// written, a log be emptied, a terminal be read, even after the command that got it has ended.
    /// So only what leads nowhere else is handed over: pipes, sockets and `/dev/null`.
    ///
    /// @param in empty when the command gets the process's own; so are the others
    record StandardStreams(
            Optional<InputStream> in, Optional<OutputStream> out, Optional<OutputStream> err) {
        private static final int TYPE = 0xf000;
        private static final int PIPE = 0x1000;
        private static final int SOCKET = 0xc000;
        private static final int CHARACTER_DEVICE = 0x2000;
        private static final long DEV_NULL = 0x103;

        /// How long a stream that something in the sandbox still holds must be silent before we
        /// leave.
        private static final Duration SILENCE = Duration.ofMillis(100);

        /// @param guarded whether the command runs in a sandbox and has no terminal of its own
        static StandardStreams of(Surroundings around, boolean guarded) {
            if (!around.areOfThisProcess()) {
                return new StandardStreams(
                        Optional.of(around.in()),
                        Optional.of(around.out()),
                        Optional.of(around.err()));
            }
            return new StandardStreams(
                    Optional.<InputStream>of(new FileInputStream(FileDescriptor.in))
                            .filter(_ -> guarded && leadsElsewhere(0)),
                    Optional.<OutputStream>of(new FileOutputStream(FileDescriptor.out))
                            .filter(_ -> guarded && leadsElsewhere(1)),
                    Optional.<OutputStream>of(new FileOutputStream(FileDescriptor.err))
                            .filter(_ -> guarded && leadsElsewhere(2)));
        }

        private static boolean leadsElsewhere(int descriptor) {
            Path path = Path.of("/proc/self/fd/" + descriptor);
            try {
                int type = (int) Files.getAttribute(path, "unix:mode") & TYPE;
                boolean nothing =
                        type == CHARACTER_DEVICE
                                && (long) Files.getAttribute(path, "unix:rdev") == DEV_NULL;
                return type != PIPE && type != SOCKET && !nothing;
            } catch (IOException e) {
                return true;
            }
        }

        void redirect(ProcessBuilder builder) {
            builder.redirectInput(in.isPresent() ? Redirect.PIPE : Redirect.INHERIT);
            builder.redirectOutput(out.isPresent() ? Redirect.PIPE : Redirect.INHERIT);
            builder.redirectError(err.isPresent() ? Redirect.PIPE : Redirect.INHERIT);
        }

        /// Returns the status of the process when it has ended and all that it said has arrived.
        int carryUntilEnd(Process process) throws InterruptedException {
            List<Carrier> answers = new ArrayList<>();
            if (in.isPresent()) {
                // In the background a terminal would stop us for reading; now the read fails
                // instead.
                Signals.ignore("TTIN");
                Carrier.start(in.get(), process.getOutputStream(), true);
            }
            out.ifPresent(to -> answers.add(Carrier.start(process.getInputStream(), to, false)));
            err.ifPresent(to -> answers.add(Carrier.start(process.getErrorStream(), to, false)));
            int status = process.waitFor();
            for (Carrier answer : answers) {
                answer.awaitEndOrSilence();
            }
            return status;
        }

        /// One direction of one stream.
        private static final class Carrier implements Runnable {
            private static final int BYTES = 65_536;

            private final InputStream from;
            private final OutputStream to;
            private final boolean closing;
            private final Thread thread = Thread.ofPlatform().daemon().unstarted(this);
            private final AtomicLong steps = new AtomicLong();
            private volatile boolean writing;

            private Carrier(InputStream from, OutputStream to, boolean closing) {
                this.from = from;
                this.to = to;
                this.closing = closing;
            }

            /// @param closing whether the end of one is the end of the other: not of our own
            ///   output, where we have something to say when the command is gone
            static Carrier start(InputStream from, OutputStream to, boolean closing) {
                Carrier carrier = new Carrier(from, to, closing);
                carrier.thread.start();
                return carrier;
            }

            @Override
            public void run() {
                try (from;
                        OutputStream _ = closing ? to : OutputStream.nullOutputStream()) {
                    byte[] buffer = new byte[BYTES];
                    for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                        writing = true;
                        to.write(buffer, 0, n);
                        to.flush();
                        steps.incrementAndGet();
                        writing = false;
                    }
                } catch (IOException e) {
                    writing = false;
                }
            }

            void awaitEndOrSilence() throws InterruptedException {
                long seen;
                do {
                    seen = steps.get();
                } while (!thread.join(SILENCE) && (writing || steps.get() != seen));
            }
        }
    }
}
