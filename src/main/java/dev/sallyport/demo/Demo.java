package dev.sallyport.demo;

import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.Person;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/// Plays the story from beginning to end: makes everything, tries each claim from inside a real
/// sandbox, and takes everything down.
public final class Demo {
    /// One thing to try.
    interface Trial {
        Claim run() throws IOException;
    }

    private final DemoListener stage;
    private final List<String> program;
    private final List<Claim> claims = new ArrayList<>();

    /// Prepares; nothing happens before [#play].
    ///
    /// @param program how the command line is started, without arguments
    public Demo(DemoListener stage, List<String> program) {
        this.stage = stage;
        this.program = List.copyOf(program);
    }

    public Outcome play() throws IOException, GeneralSecurityException, DemoException {
        Instant begin = Instant.now();
        Needs.satisfy(stage);
        stage.step("starting a git server with TLS, a token and two private repositories");
        try (Theatre theatre = Theatre.build(program)) {
            // The person may interrupt at any time; nothing is to be left then either.
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(theatre::close));
            open(theatre);
            tryAll(theatre);
            stage.step("cleaning up");
        }
        double seconds = Duration.between(begin, Instant.now()).toMillis() / 1_000.0;
        return new Outcome(claims.stream().allMatch(Claim::holds), seconds, claims);
    }

    private void open(Theatre theatre) throws IOException, DemoException {
        stage.step("starting the daemon and giving it the token");
        must(
                theatre.sallyportWithInput(
                        theatre.token() + "\n",
                        "secret",
                        "set",
                        "demo",
                        "--host",
                        Theatre.HOST,
                        "--user",
                        Theatre.USER));
        String ready = theatre.ask("status").path("runtimes").path("bubblewrap").asText("missing");
        if (!ready.equals("ready")) {
            throw new DemoException("Bubblewrap cannot be used here: " + ready);
        }
        stage.step("creating a sandbox that may use only acme/app");
        must(
                theatre.sallyport(
                        "new",
                        "--ephemeral-home",
                        "--name",
                        Theatre.SANDBOX,
                        "--runtime",
                        "bubblewrap",
                        "--workspace",
                        theatre.workspace().toString(),
                        "--repo",
                        Theatre.HOST + "/acme/app:write"));
    }

    private static void must(Shell.Said said) throws DemoException {
        if (!said.ok()) {
            throw new DemoException(said.text().strip());
        }
    }

    private void tryAll(Theatre theatre) throws IOException {
        GitTrials git = new GitTrials(theatre);
        IsolationTrials isolation = new IsolationTrials(theatre);
        EndTrials end = new EndTrials(theatre);
        List<Trial> trials =
                List.of(
                        git::privateRepositoryIsCloned,
                        git::allowedBranchArrives,
                        git::mainIsRejected,
                        git::contentIsJudged,
                        git::otherRepositoryIsRefused,
                        git::missingRepositoryLooksTheSame,
                        new SecretTrial(theatre)::tokenIsNowhere,
                        isolation::onlyLoopback,
                        isolation::noDirectConnection,
                        isolation::namesOutsidePolicyDoNotExist,
                        isolation::controlIsInvisible,
                        isolation::systemIsReadOnly,
                        isolation::noPrivileges,
                        end::gatewayIsReplaced,
                        end::statusIsPassedOn,
                        end::recordHolds,
                        end::flippedBitIsFound,
                        end::nothingIsLeft);
        for (Trial trial : trials) {
            Claim claim = trial.run();
            claims.add(claim);
            stage.tried(claim);
        }
    }

    /// The programs of the host that the demo uses, by the Debian package that brings them.
    private static final class Needs {
        private static final int INSTALL_MINUTES_MAX = 10;
        private static final Map<String, String> PACKAGE_OF = new LinkedHashMap<>();

        static {
            PACKAGE_OF.put("bwrap", "bubblewrap");
            PACKAGE_OF.put("git", "git");
            PACKAGE_OF.put("unshare", "util-linux");
            PACKAGE_OF.put("nsenter", "util-linux");
            PACKAGE_OF.put("setpriv", "util-linux");
            PACKAGE_OF.put("setsid", "util-linux");
            PACKAGE_OF.put("script", "bsdutils");
        }

        /// As root on Debian or Ubuntu installs what is missing, after saying so; otherwise says
        /// which one command does.
        static void satisfy(DemoListener stage) throws DemoException {
            List<String> missing = missing();
            if (missing.isEmpty()) {
                return;
            }
            List<String> packages =
                    List.copyOf(new TreeSet<>(missing.stream().map(PACKAGE_OF::get).toList()));
            String command = "apt-get install -y " + String.join(" ", packages);
            boolean debian = Files.exists(Path.of("/etc/debian_version"));
            if (!debian || !Person.current().isRoot()) {
                throw new DemoException(
                        "Missing: "
                                + String.join(", ", missing)
                                + ". "
                                + (debian
                                        ? "Install with: sudo " + command
                                        : "Install the packages that contain them: "
                                                + String.join(" ", packages)));
            }
            stage.step("missing: " + String.join(", ", missing) + "; installing with: " + command);
            install(packages);
            if (!missing().isEmpty()) {
                throw new DemoException("Still missing after " + command + ": " + missing());
            }
        }

        static List<String> missing() {
            return PACKAGE_OF.keySet().stream()
                    .filter(program -> HostProgram.find(program).isEmpty())
                    .toList();
        }

        private static void install(List<String> packages) throws DemoException {
            apt(List.of("apt-get", "-qq", "update"));
            List<String> command =
                    new ArrayList<>(
                            List.of("apt-get", "-qq", "install", "-y", "--no-install-recommends"));
            command.addAll(packages);
            apt(command);
        }

        private static void apt(List<String> command) throws DemoException {
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
            builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
            try {
                Process process = builder.start();
                if (!process.waitFor(INSTALL_MINUTES_MAX, TimeUnit.MINUTES)
                        || process.exitValue() != 0) {
                    process.destroy();
                    throw new DemoException("Command failed: " + String.join(" ", command));
                }
            } catch (IOException e) {
                throw new DemoException("Cannot run: " + String.join(" ", command));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new DemoException("Interrupted while installing.");
            }
        }
    }
}
