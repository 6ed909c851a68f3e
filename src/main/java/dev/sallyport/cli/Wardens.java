package dev.sallyport.cli;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import dev.sallyport.config.Machine;
import dev.sallyport.config.Ownership;
import dev.sallyport.confine.Jvm;
import dev.sallyport.control.Admission;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.StartReport;
import dev.sallyport.sandbox.Guest;
import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.docker.DockerRuntime;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// How commands come to a warden: the one that runs, or one that is started for them.
record Wardens(Surroundings surroundings) {

    /// One's own, or the one that root keeps for this account where `SALLYPORT_SERVICE` says so.
    Home home() throws IOException {
        Optional<Path> service = service();
        return service.isPresent()
                ? Home.lodged(service.get(), account())
                : Home.resolve(surroundings.environment());
    }

    /// One's own; root may name another with `SALLYPORT_ACCOUNT`. Nobody else would be let in.
    private int account() throws IOException {
        int own = Ownership.ownUid();
        String named = surroundings.environment().getOrDefault("SALLYPORT_ACCOUNT", "");
        if (own != 0 || named.isEmpty()) {
            return own;
        }
        try {
            return Guest.find(named)
                    .orElseThrow(
                            () ->
                                    new ConfigException(
                                            "SALLYPORT_ACCOUNT is not an account.",
                                            "Set it to the name or number of an account."))
                    .person()
                    .uid();
        } catch (SandboxException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /// The directory of all accounts of this machine, for those who use its wardens.
    Optional<Path> service() throws ConfigException {
        String own = surroundings.environment().getOrDefault("SALLYPORT_HOME", "");
        String named = surroundings.environment().getOrDefault("SALLYPORT_SERVICE", "");
        if (!own.isEmpty() || named.isEmpty()) {
            return Optional.empty();
        }
        Path service = Path.of(named);
        if (!service.isAbsolute()) {
            throw new ConfigException(
                    "SALLYPORT_SERVICE is not an absolute path.",
                    "Set it to a path that starts with /.");
        }
        return Optional.of(service.normalize());
    }

    /// Whose tools are configured with hosts that presets take up.
    Machine machine() {
        return Machine.of(surroundings.environment());
    }

    /// Empty when none runs.
    Optional<ControlClient> connect() throws IOException, ControlException {
        try {
            return Optional.of(ControlClient.connect(home()));
        } catch (ControlException e) {
            if (e.isNotRunning()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /// What is asked of a warden.
    interface Question<T> {
        T ask(ControlClient warden) throws IOException, ControlException;
    }

    /// Empty when none runs: none is started for this.
    <T> Optional<T> askRunning(Question<T> question) throws IOException, ControlException {
        Optional<ControlClient> running = connect();
        if (running.isEmpty()) {
            return Optional.empty();
        }
        try (ControlClient warden = running.get()) {
            return Optional.of(question.ask(warden));
        }
    }

    /// How far the daemon is with work that is about this: an image, or a `host/owner/name`. Asked
    /// on a connection of its own, because the other one waits for the work.
    Waiting.Source progress(String subject) {
        return () ->
                askRunning(warden -> warden.work().work().getOrDefault(subject, "")).orElse("");
    }

    /// Has a sandbox made, and tells whoever waits how far an image is that has to be pulled first.
    Api.SandboxView create(Output output, ControlClient warden, Api.CreateSandbox request)
            throws ControlException {
        String image = request.image().orElse(DockerRuntime.DEFAULT_IMAGE);
        try (Waiting waiting = output.waiting("creating the sandbox")) {
            Waiting.Source pulled = progress(image);
            waiting.asking(
                    () -> {
                        String where = pulled.now();
                        return where.isEmpty() ? "" : "pulling " + image + ", " + where;
                    });
            Api.SandboxView made = warden.create(request);
            output.warn(made);
            return made;
        }
    }

    /// Whether one's own was told to end: one that was killed leaves its number behind.
    boolean hasLeft() throws IOException {
        if (service().isPresent()) {
            return false;
        }
        try {
            long pid = Long.parseLong(Files.readString(home().wardenPid()).strip());
            return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
        } catch (NoSuchFileException e) {
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /// For commands that have nothing to ask a warden that is not there.
    ControlClient connectToRunning() throws IOException, ControlException {
        return ControlClient.connect(home());
    }

    /// Starts one when none runs, and waits until it answers.
    ControlClient connectOrStart(Output output) throws IOException, ControlException, CliException {
        Optional<ControlClient> running = connect();
        if (running.isPresent()) {
            return running.get();
        }
        output.progress("starting the daemon");
        Optional<Path> service = service();
        if (service.isPresent()) {
            if (account() != Ownership.ownUid()) {
                throw ExitCode.UNAVAILABLE.because(
                        "not-running",
                        "The daemon of this account is not running.",
                        "The next sallyport command of that account starts it.");
            }
            Admission.require(service.get());
            return ControlClient.connect(home());
        }
        try (Waiting _ = output.waiting("starting the daemon")) {
            return new WardenStart(home(), surroundings.environment()).start();
        }
    }

    /// Starts the warden in a session of its own, so that it outlives the terminal, with an
    /// environment of our choosing, so that nothing inherited redirects it (I8).
    ///
    /// Two command lines may do this at once: the warden that comes second sees the first one's
    /// lock and leaves, and both callers are answered by the first. Should that one be on its way
    /// out, the second caller starts another.
    record WardenStart(Home home, Map<String, String> environment) {
        private static final Duration ANSWER_PATIENCE = Duration.ofSeconds(30);
        private static final Duration RETRY_AFTER = Duration.ofSeconds(5);
        private static final Duration INTERVAL = Duration.ofMillis(20);
        private static final long LOG_BYTES_MAX = 10L << 20;
        private static final int LOG_LINES_SHOWN = 12;
        private static final int OUTPUT_BYTES_MAX = 64 << 10;

        ControlClient start() throws IOException, ControlException, CliException {
            home.create();
            Path log = home.wardenLog();
            Ownership.createPrivateFile(log);
            if (Files.size(log) > LOG_BYTES_MAX) {
                Files.write(log, new byte[0]);
            }
            long mark = Files.size(log);
            return await(log, mark);
        }

        private Process spawn(Path log) throws IOException {
            List<String> command = new java.util.ArrayList<>(List.of("setsid"));
            command.addAll(OwnProgram.command(Jvm.WARDEN, "internal-warden"));
            ProcessBuilder builder = HostProgram.builder(command);
            builder.environment().putAll(DaemonEnvironment.from(environment, home));
            builder.directory(Path.of("/").toFile());
            builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
            return builder.start();
        }

        private ControlClient await(Path log, long logMark)
                throws IOException, ControlException, CliException {
            Instant deadline = Instant.now().plus(ANSWER_PATIENCE);
            Process warden = spawn(log);
            Instant retry = Instant.now().plus(RETRY_AFTER);
            while (Instant.now().isBefore(deadline)) {
                Optional<ControlClient> answered = ask();
                if (answered.isPresent()) {
                    return answered.get();
                }
                if (!warden.isAlive()) {
                    if (warden.exitValue() != 0) {
                        return ask().orElseThrow(failure(warden, logMark));
                    }
                    if (Instant.now().isAfter(retry)) {
                        warden = spawn(log);
                        retry = Instant.now().plus(RETRY_AFTER);
                    }
                }
                LockSupport.parkNanos(INTERVAL.toNanos());
            }
            // A warden of somebody else's start may have come up just now.
            return ask().orElseThrow(failure(warden, logMark));
        }

        /// Empty while it is not there yet: no socket, one that nobody listens on, or one that is
        /// not private yet.
        private Optional<ControlClient> ask() throws ControlException {
            try {
                ControlClient client = ControlClient.connect(home);
                client.status();
                return Optional.of(client);
            } catch (ControlException e) {
                if (e.status() == 0) {
                    return Optional.empty();
                }
                throw e;
            }
        }

        /// The sentence that the warden said before it ended; without one, what is in its log.
        private Supplier<CliException> failure(Process warden, long logMark) {
            return () -> {
                String log = "Full log: " + home.wardenLog();
                Optional<Api.Problem> said = StartReport.find(output(warden));
                return ExitCode.UNAVAILABLE.because(
                        "warden-does-not-start",
                        "The daemon does not start. "
                                + said.map(Api.Problem::message).orElseGet(() -> logged(logMark)),
                        // A command to copy stands at the end.
                        said.map(problem -> log + ". " + problem.remedy()).orElse(log));
            };
        }

        /// As much as is there: one that has not ended may have children that keep it open.
        private static String output(Process warden) {
            try {
                InputStream out = warden.getInputStream();
                byte[] there = out.readNBytes(Math.min(out.available(), OUTPUT_BYTES_MAX));
                return new String(there, StandardCharsets.UTF_8);
            } catch (IOException e) {
                return "";
            }
        }

        private String logged(long logMark) {
            try {
                byte[] log = Files.readAllBytes(home.wardenLog());
                int from = (int) Math.min(logMark, log.length);
                List<String> lines =
                        new String(log, from, log.length - from, StandardCharsets.UTF_8)
                                .lines()
                                .filter(line -> !line.isBlank() && !isOfStackTrace(line))
                                .toList();
                int skipped = Math.max(0, lines.size() - LOG_LINES_SHOWN);
                return "Its log says:\n" + String.join("\n", lines.subList(skipped, lines.size()));
            } catch (IOException e) {
                return "Its log cannot be read.";
            }
        }

        private static boolean isOfStackTrace(String line) {
            return line.startsWith("\tat ")
                    || line.startsWith("\t...")
                    || line.startsWith("Caused by: ");
        }
    }
}
