package dev.sallyport.doctor;

import dev.sallyport.audit.AuditReader;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import dev.sallyport.config.Machine;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.confine.Landlock;
import dev.sallyport.control.Api;
import dev.sallyport.control.FleetApi;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.doctor.FleetCheck.FleetSight;
import dev.sallyport.porter.SidecarProcess;
import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.MountedSessions;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.bubblewrap.BubblewrapRuntime;
import dev.sallyport.sandbox.bubblewrap.RunningSandboxes;
import dev.sallyport.sandbox.docker.DockerRuntime;
import dev.sallyport.sandbox.docker.EngineReport;
import dev.sallyport.warden.GatewayDirectories;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/// All checks, in the order in which a person would look.
///
/// @param machine whose tools presets look at
/// @param engine address of the container engine
/// @param work where sandboxes work: the current directory
/// @param program file that this program was started from
/// @param version of this program
public record Doctor(
        Home home, Machine machine, URI engine, Path work, Path program, String version) {

    public List<Finding> examine() {
        return checks().stream().flatMap(check -> check.look().stream()).toList();
    }

    private List<Check> checks() {
        Person person = Person.current();
        Installation installation = new Installation(home.root());
        WardenView warden = WardenView.ask(home);
        FleetSight fleet = FleetSight.ask(home);
        Optional<EngineReport> report = EngineReport.of(engine, installation);
        var bubblewrap = new BubblewrapRuntime(installation, person);
        var docker = new DockerRuntime(installation, person, engine);
        return List.of(
                new JavaCheck(Runtime.version()),
                new KernelCheck(
                        Path.of("/proc"),
                        Path.of("/sys/fs/cgroup"),
                        Landlock.version(),
                        person.isRoot()),
                new ToolsCheck(HostProgram::find),
                new RuntimeCheck(bubblewrap::obstacle, docker::obstacle, () -> report),
                new HomeCheck(home),
                new PolicyCheck(home.policyFile(), machine),
                new ClockCheck(InstantSource.system(), home.auditLog(), program),
                new DiskCheck(places(person)),
                new DaemonCheck(warden, version),
                new SecretCheck(warden),
                new FleetCheck(fleet, InstantSource.system()),
                new RemoteGatewayCheck(fleet, version),
                new SidecarCheck(
                        warden.status()
                                .map(running -> SidecarProcess.of(running.wardenPid()))
                                .orElse(List.of()),
                        person.uid()),
                new LeftoverCheck(home, running(installation, person, report), warden.sessions()));
    }

    private Map<String, Path> places(Person person) {
        Map<String, Path> places = new LinkedHashMap<>();
        places.put("state", home.root());
        places.put("work", work);
        places.put(
                "mirrors",
                person.isRoot() ? Path.of("/var/lib/sallyport") : home.root().resolve("mirrors"));
        return places;
    }

    private Map<String, Supplier<Set<String>>> running(
            Installation installation, Person person, Optional<EngineReport> report) {
        Map<String, Supplier<Set<String>>> running = new LinkedHashMap<>();
        running.put("process", () -> RunningSandboxes.of(installation, person));
        running.put("namespace", () -> MountedSessions.of(installation));
        running.put("gateway directory", () -> GatewayDirectories.abandoned(home));
        running.put("container", () -> report.map(EngineReport::sessions).orElse(Set.of()));
        return running;
    }

    /// The JVM that runs this, which is the one that daemons are started with.
    ///
    /// @param version as `Runtime.version()` says
    record JavaCheck(Runtime.Version version) implements Check {
        private static final int FEATURE = 25;

        @Override
        public List<Finding> look() {
            String seen = version.toString();
            if (version.feature() < FEATURE) {
                return List.of(
                        Finding.fail(
                                "JDK", seen, "Install a JDK " + FEATURE + " and set JAVA_HOME."));
            }
            return List.of(
                    version.feature() == FEATURE
                            ? Finding.ok("JDK", seen)
                            : Finding.warn(
                                    "JDK",
                                    seen,
                                    "Sallyport is tested with JDK " + FEATURE + "; prefer that."));
        }
    }

    /// Whether a GitHub token can do more than the rules allow. Whoever gets hold of it is not
    /// bound by them; the tokens of a GitHub App are minted for what they allow.
    record SecretCheck(WardenView warden) implements Check {
        private static final String REMEDY =
                "Use a GitHub App: sallyport secret set NAME --kind github-app --app ID < key.pem; see"
                        + " docs/github.md";

        @Override
        public List<Finding> look() {
            return warden.secrets().stream().map(SecretCheck::finding).toList();
        }

        private static Finding finding(SecretsApi.SecretView secret) {
            String title = "secret " + secret.name();
            return secret.reach()
                    .map(reach -> Finding.warn(title, "is " + reach, REMEDY))
                    .orElseGet(
                            () ->
                                    Finding.ok(
                                            title,
                                            "of kind " + secret.kind() + " for " + secret.host()));
        }
    }

    /// Whether a warden would accept the rules.
    ///
    /// @param machine whose tools presets look at
    record PolicyCheck(Path file, Machine machine) implements Check {
        @Override
        public List<Finding> look() {
            try {
                PolicyFile policy = PolicyFile.load(file, machine);
                if (!policy.warnings().isEmpty()) {
                    return policy.warnings().stream()
                            .map(
                                    text ->
                                            Finding.warn(
                                                    "policy", text, "See: sallyport policy check"))
                            .toList();
                }
                return List.of(
                        Finding.ok("policy", Files.exists(file) ? file + " is valid" : "no file"));
            } catch (ConfigException e) {
                return List.of(Finding.fail("policy", e.problem(), e.remedy()));
            } catch (IOException e) {
                return List.of(
                        Finding.fail("policy", file + ": " + e.getMessage(), "See: ls -l " + file));
            }
        }
    }

    /// The gateways on other machines that sandboxes here use: whether each answers, is of this
    /// version, and has the same time. Beyond five minutes it refuses everything.
    ///
    /// @param version of this program
    record RemoteGatewayCheck(FleetSight seen, String version) implements Check {
        private static final Duration CLOCKS_APART_MAX = Duration.ofMinutes(1);

        @Override
        public List<Finding> look() {
            return seen.gateways().stream().map(this::finding).toList();
        }

        private Finding finding(FleetSight.Gateway gateway) {
            String subject = "remote gateway " + gateway.known().name();
            if (gateway.trouble().isPresent()) {
                Api.Problem problem = gateway.trouble().get();
                return Finding.fail(subject, problem.message(), problem.remedy());
            }
            FleetApi.GatewayState state = gateway.state().orElseThrow();
            Duration apart = Duration.ofMillis(state.aheadMillis());
            if (apart.abs().compareTo(CLOCKS_APART_MAX) > 0) {
                return Finding.warn(
                        subject,
                        "its clock is "
                                + apart.abs().toSeconds()
                                + " s "
                                + (apart.isNegative() ? "behind" : "ahead"),
                        "Turn on NTP on both machines: timedatectl set-ntp true. From five minutes on it refuses this machine.");
            }
            return state.version().equals(version)
                    ? Finding.ok(
                            subject, gateway.known().address() + " answers, version " + version)
                    : Finding.warn(
                            subject,
                            "version " + state.version() + "; this is " + version,
                            "Install the same version on both machines.");
        }
    }

    /// The programs of the host that sandboxes are made with, and the Debian packages that bring
    /// them.
    ///
    /// @param finder where a program is
    record ToolsCheck(Function<String, Optional<Path>> finder) implements Check {
        private record Tool(String name, String origin, boolean needed) {}

        private static final List<Tool> TOOLS =
                List.of(
                        new Tool("bwrap", "bubblewrap", true),
                        new Tool("unshare", "util-linux", true),
                        new Tool("nsenter", "util-linux", true),
                        new Tool("setpriv", "util-linux", true),
                        new Tool("setsid", "util-linux", true),
                        new Tool("script", "bsdutils", true),
                        new Tool("git", "git", true),
                        new Tool("docker", "docker.io", false));

        @Override
        public List<Finding> look() {
            return TOOLS.stream().map(this::finding).toList();
        }

        private Finding finding(Tool tool) {
            Optional<Path> path = finder.apply(tool.name());
            if (path.isPresent()) {
                String program = path.get().toString();
                String version =
                        Program.firstLine(List.of(program, "--version")).orElse("version unknown");
                return Finding.ok(tool.name(), version);
            }
            String remedy =
                    "Install the package " + tool.origin() + ": apt-get install " + tool.origin();
            return tool.needed()
                    ? Finding.fail(tool.name(), "not installed", remedy)
                    : Finding.warn(
                            tool.name(), "not installed", "Only for --runtime docker. " + remedy);
        }
    }

    /// Whether the clock is behind what has already happened: sessions end by it, and certificates
    /// are judged by it.
    ///
    /// @param program file that this program was started from
    record ClockCheck(InstantSource clock, Path auditLog, Path program) implements Check {
        private static final Duration SLACK = Duration.ofMinutes(1);
        private static final String REMEDY =
                "Set the clock, or turn on NTP: timedatectl set-ntp true";

        @Override
        public List<Finding> look() {
            Instant now = clock.instant();
            try {
                Optional<Instant> recorded = AuditReader.newest(auditLog);
                if (recorded.isPresent() && isBehind(now, recorded.get())) {
                    return behind(now, "the newest line of the audit log", recorded.get());
                }
                Instant built = Files.getLastModifiedTime(program).toInstant();
                if (isBehind(now, built)) {
                    return behind(now, "this program", built);
                }
                return List.of(Finding.ok("clock", "later than the last audit line"));
            } catch (IOException e) {
                return List.of(
                        Finding.fail(
                                "clock",
                                "nothing to compare it with: " + e.getMessage(),
                                "Run: sallyport audit verify"));
            }
        }

        private static boolean isBehind(Instant now, Instant past) {
            return now.plus(SLACK).isBefore(past);
        }

        private static List<Finding> behind(Instant now, String what, Instant past) {
            return List.of(
                    Finding.fail(
                            "clock",
                            "it is " + now + ", but " + what + " is from " + past,
                            REMEDY));
        }
    }

    /// The sidecars of sandboxes whose gateway is on another machine: none of them has a network.
    ///
    /// @param sidecars those that run
    /// @param uid whose eyes these are
    record SidecarCheck(List<SidecarProcess> sidecars, int uid) implements Check {
        private static final String SUBJECT = "sidecars";

        /// No namespace has it.
        private static final long NO_INODE = 0;

        @Override
        public List<Finding> look() {
            List<Finding> findings = new ArrayList<>();
            for (SidecarProcess sidecar : sidecars) {
                look(sidecar).ifPresent(findings::add);
            }
            if (findings.isEmpty() && !sidecars.isEmpty()) {
                findings.add(Finding.ok(SUBJECT, sidecars.size() + ", without a network"));
            }
            return findings;
        }

        private Optional<Finding> look(SidecarProcess sidecar) {
            String seen = "process " + sidecar.pid() + ", session " + sidecar.session() + ": ";
            try {
                return sidecar.objection(NO_INODE)
                        .map(
                                why ->
                                        Finding.fail(
                                                SUBJECT,
                                                seen + why,
                                                "Restart it: sallyport down --keep-sandboxes, sallyport up"));
            } catch (IOException e) {
                return Optional.of(
                        sidecar.isOf(uid)
                                ? Finding.warn(
                                        SUBJECT,
                                        seen
                                                + "in the host's network namespace; only its filter for system calls keeps it from the network",
                                        "Allow user namespaces, see above, and restart it: sallyport down --keep-sandboxes, sallyport up")
                                : Finding.warn(
                                        SUBJECT,
                                        seen + "not looked at: only root can, or it has just ended",
                                        "Run as root: sallyport doctor"));
            }
        }
    }
}
