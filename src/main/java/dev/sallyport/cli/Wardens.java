package dev.sallyport.cli;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import dev.sallyport.config.Machine;
import dev.sallyport.config.Ownership;
import dev.sallyport.control.Admission;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.sandbox.Guest;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.docker.DockerRuntime;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

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

    /// How far the daemon is with work that is about this: an image, or a `host/owner/name`. Asked
    /// on a connection of its own, because the other one waits for the work.
    Waiting.Source progress(String subject) {
        return () -> {
            Optional<ControlClient> running = connect();
            if (running.isEmpty()) {
                return "";
            }
            try (ControlClient warden = running.get()) {
                return warden.work().work().getOrDefault(subject, "");
            }
        };
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
            return warden.create(request);
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
                throw new CliException(
                        ExitCode.UNAVAILABLE,
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
}
