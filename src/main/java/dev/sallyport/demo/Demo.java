package dev.sallyport.demo;

import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.Person;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
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

    private final Listener stage;
    private final List<String> program;
    private final List<Claim> claims = new ArrayList<>();

    /// Prepares; nothing happens before [#play].
    ///
    /// @param program how the command line is started, without arguments
    public Demo(Listener stage, List<String> program) {
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
        static void satisfy(Listener stage) throws DemoException {
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

    /// What the sandbox can see and reach besides git.
    record IsolationTrials(Theatre theatre) {
        /// Documentation addresses (RFC 5737): nobody is there, and without a route nothing is
        /// sent.
        private static final String ELSEWHERE = "192.0.2.1";

        private static final int CONNECT_MILLIS_MAX = 2_000;

        /// A DNS question for the address of example.com, id 0x1234.
        private static final String QUESTION =
                "\\x12\\x34\\x01\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00"
                        + "\\x07example\\x03com\\x00\\x00\\x01\\x00\\x01";

        Claim onlyLoopback() throws IOException {
            List<String> inside = interfaces(theatre.inside("cat /proc/net/dev").out());
            return new Evidence()
                    .require(
                            inside.equals(List.of("lo")), "interfaces: " + String.join(" ", inside))
                    .claim("there is no network interface but loopback");
        }

        private static List<String> interfaces(String procNetDev) {
            return procNetDev
                    .lines()
                    .filter(line -> line.contains(":"))
                    .map(line -> line.substring(0, line.indexOf(':')).strip())
                    .toList();
        }

        Claim noDirectConnection() throws IOException {
            int port = theatre.upstream().port();
            Shell.Said direct = theatre.inside("exec 3<>/dev/tcp/127.0.0.1/" + port);
            Shell.Said outside =
                    theatre.inside("timeout 5 bash -c 'exec 3<>/dev/tcp/" + ELSEWHERE + "/443'");
            Shell.Said door = theatre.inside("exec 3<>/dev/tcp/127.0.0.1/80");
            return new Evidence()
                    .require(isReachableFromHost(port), "the host reaches the server")
                    .require(!direct.ok(), "the sandbox does not")
                    .require(
                            !outside.ok() && outside.text().contains("unreachable"),
                            "elsewhere: network is unreachable")
                    .check(
                            door.ok(),
                            "the gateway's own door does not open, so this proves nothing")
                    .claim("the upstream cannot be reached around the gateway");
        }

        private static boolean isReachableFromHost(int port) {
            try (Socket socket = new Socket()) {
                socket.connect(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                        CONNECT_MILLIS_MAX);
                return true;
            } catch (IOException e) {
                return false;
            }
        }

        Claim namesOutsidePolicyDoNotExist() throws IOException {
            Shell.Said known = theatre.inside("getent ahosts " + Theatre.HOST);
            Shell.Said answer =
                    theatre.inside(
                            "exec 3<>/dev/udp/127.0.0.1/53 && printf '"
                                    + QUESTION
                                    + "' >&3 && timeout 5 head -c 12 <&3 | od -An -v -tx1 | tr -d ' \\n'");
            Shell.Said elsewhere = theatre.inside("exec 3<>/dev/udp/" + ELSEWHERE + "/53");
            return new Evidence()
                    .require(known.ok(), Theatre.HOST + " resolves")
                    .require(isNameError(answer.out().strip()), "example.com: NXDOMAIN")
                    .require(!elsewhere.ok(), "no other resolver in reach")
                    .claim("names outside the policy do not exist, and no query leaves");
        }

        /// RFC 1035, section 4.1.1: same id, a response, and 3 in the last four bits of the flags.
        private static boolean isNameError(String header) {
            return header.length() == 24
                    && header.startsWith("1234")
                    && Integer.parseInt(header.substring(4, 5), 16) >= 8
                    && header.charAt(7) == '3';
        }

        Claim controlIsInvisible() throws IOException {
            String home = theatre.home().toString();
            Shell.Said look =
                    theatre.inside("ls -la " + home + "; ls " + home + "/run/control.sock");
            Shell.Said sockets =
                    theatre.inside(
                            "find / -path /proc -prune -o -type s -print 2>/dev/null; grep -c . /proc/net/unix");
            return new Evidence()
                    .check(
                            Files.exists(theatre.home().resolve("run").resolve("control.sock")),
                            "the host has no control socket either")
                    .require(
                            !look.ok() && look.out().isBlank(),
                            "the state directory is not visible")
                    .require(!sockets.out().contains("/"), "no Unix socket in any directory")
                    .claim("the control socket and Sallyport's state are not visible");
        }

        Claim systemIsReadOnly() throws IOException {
            Shell.Said outside =
                    theatre.inside(
                            "for d in / /usr /usr/bin /etc; do touch $d/sp-demo 2>/dev/null && echo $d; done;"
                                    + " ls -A ~ 2>/dev/null");
            Shell.Said workspace = theatre.inside("touch here && ls here");
            return new Evidence()
                    .require(outside.out().isBlank(), "system read-only, home empty")
                    .require(
                            workspace.ok() && Files.exists(theatre.workspace().resolve("here")),
                            "the workspace is writable")
                    .claim("only the workspace can be changed");
        }

        Claim noPrivileges() throws IOException {
            Shell.Said status = theatre.inside("cat /proc/self/status");
            Shell.Said mount = theatre.inside("mount -t tmpfs none /tmp");
            Shell.Said processes = theatre.inside("cat /proc/[0-9]*/comm");
            return new Evidence()
                    .require(hasLine(status, "CapEff:\t0000000000000000"), "no capabilities")
                    .require(hasLine(status, "NoNewPrivs:\t1"), "no new privileges")
                    .require(!mount.ok(), "mount fails")
                    .check(processes.ok(), "the sandbox does not see its own processes")
                    .require(!processes.out().contains("java"), "the daemon is not visible")
                    .claim("the sandbox has no privileges and sees only its own processes");
        }

        private static boolean hasLine(Shell.Said said, String line) {
            return said.out().lines().anyMatch(line::equals);
        }
    }

    /// Hears what the demo does; the command line prints it.
    public interface Listener {
        /// Something begins that may take a moment.
        void step(String what);

        /// A claim was tried.
        void tried(Claim claim);
    }

    /// The demo could not be played to its end. The message says what is wrong and what to do.
    public static final class DemoException extends Exception {
        private static final long serialVersionUID = 1L;

        public DemoException(String message) {
            super(message);
        }
    }
}
