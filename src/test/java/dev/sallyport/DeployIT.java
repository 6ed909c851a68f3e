package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Packaged;
import dev.sallyport.fixture.PrivateDocker;
import dev.sallyport.fixture.SystemdMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// The files in `deploy/`: the unit is judged and run by a real systemd, the image is built and run
/// as the compose file says. `GatehouseIT` tries what the unit's service does for its accounts.
class DeployIT {
    private static final Path UNIT = Path.of("deploy/sallyport.service");

    /// Tenths; the scale of `systemd-analyze security` goes from 0 (safe) to 10.
    private static final String EXPOSURE_MAX = "50";

    @TempDir Path directory;

    @Test
    void theUnitHasNoMistakeAndItsScoreDoesNotGrow() throws IOException {
        String text =
                Files.readString(UNIT).replaceAll("(?m)^ExecStart=\\S+", "ExecStart=/bin/true");
        String unit = Files.writeString(directory.resolve("sallyport.service"), text).toString();
        assertThat(Command.of("systemd-analyze", "verify", unit).run().all()).isBlank();
        Command.of(
                        "systemd-analyze",
                        "security",
                        "--offline=true",
                        "--no-pager",
                        "--threshold=" + EXPOSURE_MAX,
                        unit)
                .run()
                .ok();
    }

    @Test
    void aRealSystemdRunsTheUnitForTwoAccounts() throws IOException {
        try (SystemdMachine machine = SystemdMachine.boot()) {
            for (String account : List.of("alice", "bob")) {
                machine.root("useradd", "-m", account).run().ok();
                machine.as(account, "mkdir", "work").run().ok();
            }
            // The first command follows at once: the unit says when it serves.
            machine.root("systemctl", "enable", "--now", "sallyport").run().ok();
            machine.as("alice", "sallyport", "new", "--name=work", "--workspace=work", "--no-repo")
                    .run()
                    .ok();
            String table = machine.as("alice", "sallyport", "verify", "work", "--json").run().ok();
            assertThat(new ObjectMapper().readTree(table).path("holds").asBoolean()).isTrue();
            assertThat(machine.as("bob", "sallyport", "list", "--json").run().ok())
                    .doesNotContain("work");
            machine.as("bob", "sallyport", "secret", "set", "his", "--host", "git.example")
                    .input("hunter2-hunter2-hunter2\n")
                    .run()
                    .ok();
            String run = "cd work && sallyport run --no-repo -- id -un";
            assertThat(machine.as("bob", "sh", "-c", run).run().ok()).isEqualTo("bob");

            machine.root("systemctl", "restart", "sallyport").run().ok();
            assertThat(healthSeenBy(machine, "alice")).isEqualTo("ok");
            machine.as("alice", "sallyport", "destroy", "work").run().ok();

            machine.root("systemctl", "stop", "sallyport").run().ok();
            assertThat(machine.root("pgrep", "-c", "java").run().out().strip()).isEqualTo("0");
            String result = "--property=Result,NRestarts";
            assertThat(machine.root("systemctl", "show", result, "sallyport").run().ok())
                    .contains("Result=success", "NRestarts=0");
        }
    }

    private static String healthSeenBy(SystemdMachine machine, String account) {
        String url = "http://gateway.sallyport/healthz";
        return machine.as(account, "sallyport", "exec", "work", "--", "curl", "-s", "-m60", url)
                .run()
                .ok();
    }

    @Test
    void theImageRunsSandboxesAsTheComposeFileSays() throws IOException {
        try (PrivateDocker docker = PrivateDocker.start()) {
            build(docker);
            String container = docker.docker(run().toArray(String[]::new)).run().ok();
            inside(docker, container, "status", "--json");
            inside(docker, container, "new", "--name", "work", "--no-repo");
            String table = inside(docker, container, "verify", "work", "--json");
            assertThat(new ObjectMapper().readTree(table).path("holds").asBoolean()).isTrue();
            String status = docker.docker("exec", container, "cat", "/proc/1/status").run().ok();
            assertThat(status).contains("CapBnd:\t0000000000000000", "NoNewPrivs:\t1");
            assertThat(docker.docker("exec", container, "touch", "/usr/x").run().exit())
                    .isNotZero();
            assertTheScriptForMacsDrivesIt(docker, container);
        }
    }

    /// On a Mac the image runs in Docker's Linux machine; here it runs on this one.
    private void assertTheScriptForMacsDrivesIt(PrivateDocker docker, String composed)
            throws IOException {
        Path projects = Files.createTempDirectory(Path.of("/srv"), "sp-projects-");
        try {
            Path app = Files.createDirectory(projects.resolve("app"));
            Command.of("chown", "-R", "10001:10001", projects.toString()).run().ok();
            assertThat(mac(docker, app, "list").run().err()).contains("machine start");
            for (String whole : List.of("/", System.getProperty("user.home"))) {
                assertThat(mac(docker, app, "machine", "start", whole).run().exit()).isEqualTo(69);
            }
            assertThat(docker.docker("ps", "-qa").run().ok().lines()).hasSize(1);
            mac(docker, app, "machine", "start", projects.toString()).run().ok();
            assertThat(rights(docker, "sallyport")).isEqualTo(rights(docker, composed));

            inside(docker, "sallyport", "status");
            String script = "pwd; cat >made; exit 3";
            Command.Result ran =
                    mac(docker, app, "run", "--no-repo", "--", "sh", "-c", script)
                            .input("from here\n")
                            .run();
            assertThat(ran.exit()).as(ran.all()).isEqualTo(3);
            assertThat(ran.out()).isEqualTo(app + "\n");
            assertThat(app.resolve("made")).hasContent("from here");
            Command.Result elsewhere = mac(docker, directory, "run", "--", "true").run();
            assertThat(elsewhere.exit()).isEqualTo(69);
            assertThat(elsewhere.err()).contains("is not a directory of the machine");
            assertThat(mac(docker, directory, "list", "--json").run().ok()).contains("sandboxes");
            mac(docker, app, "machine", "stop").run().ok();
        } finally {
            Command.of("rm", "-rf", projects.toString()).run().ok();
        }
    }

    private static Command mac(PrivateDocker docker, Path directory, String... arguments) {
        List<String> argv =
                new ArrayList<>(
                        List.of(Path.of("deploy/macos/sallyport").toAbsolutePath().toString()));
        argv.addAll(List.of(arguments));
        return Command.of(argv)
                .in(directory)
                .with("DOCKER_HOST", docker.host())
                .with("SALLYPORT_DOCKER_OPTIONS", "--network none");
    }

    private static String rights(PrivateDocker docker, String container) {
        String format =
                "{{.Config.User}} {{with .HostConfig}}{{.ReadonlyRootfs}} {{.Init}} {{.CapDrop}} {{.CapAdd}}"
                        + " {{.Privileged}} {{.SecurityOpt}} {{.Tmpfs}} {{.PidsLimit}} {{.Memory}}"
                        + " {{json .Ulimits}} {{.NetworkMode}} {{.PidMode}} {{.IpcMode}}{{end}}";
        return docker.docker("inspect", "--format", format, container).run().ok();
    }

    private static void build(PrivateDocker docker) {
        Path deb = Packaged.deb(Packaged.VERSION);
        docker.docker(
                        "build",
                        "-q",
                        "--network",
                        "none",
                        "--build-arg",
                        "PACKAGE=" + Path.of("").toAbsolutePath().relativize(deb),
                        "-f",
                        "deploy/Dockerfile",
                        "-t",
                        "sallyport",
                        ".")
                .within(Duration.ofMinutes(5))
                .run()
                .ok();
    }

    /// `docker run` with what the compose file asks for.
    private static List<String> run() throws IOException {
        Map<?, ?> file =
                (Map<?, ?>)
                        new Load(LoadSettings.builder().build())
                                .loadFromString(Files.readString(Path.of("deploy/compose.yaml")));
        Map<?, ?> wanted = (Map<?, ?>) ((Map<?, ?>) file.get("services")).get("sallyport");
        List<String> argv = new ArrayList<>(List.of("run", "-d", "--network", "none"));
        argv.addAll(List.of("--user", wanted.get("user").toString()));
        assertThat(wanted.get("read_only")).isEqualTo(true);
        argv.addAll(List.of("--read-only", "--init", "--ulimit", "core=0"));
        argv.addAll(List.of("--pids-limit", wanted.get("pids_limit").toString()));
        argv.addAll(List.of("--memory", wanted.get("mem_limit").toString()));
        each(argv, "--cap-drop", wanted.get("cap_drop"));
        each(argv, "--security-opt", wanted.get("security_opt"));
        each(argv, "--tmpfs", wanted.get("tmpfs"));
        each(argv, "--volume", wanted.get("volumes"));
        argv.add(wanted.get("image").toString());
        return argv;
    }

    private static void each(List<String> argv, String flag, Object values) {
        for (Object value : (List<?>) values) {
            argv.addAll(List.of(flag, value.toString()));
        }
    }

    /// Tries again while the warden comes up.
    private static String inside(PrivateDocker docker, String container, String... arguments) {
        List<String> argv = new ArrayList<>(List.of("exec", container, "sallyport"));
        argv.addAll(List.of(arguments));
        Command command = docker.docker(argv.toArray(String[]::new));
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        Command.Result result = command.run();
        while (result.exit() == 69 && System.nanoTime() - deadline < 0) {
            result = command.run();
        }
        if (result.exit() != 0) {
            throw new AssertionError(result.all() + docker.docker("logs", container).run().all());
        }
        return result.out();
    }
}
