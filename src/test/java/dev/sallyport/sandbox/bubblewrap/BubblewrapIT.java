package dev.sallyport.sandbox.bubblewrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Plans;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.SandboxBench;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.UserNamespace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is inside a bubblewrap sandbox and what is not. Runs as root here and as an ordinary user
/// in [BubblewrapAsOrdinaryUserIT].
class BubblewrapIT {
    @TempDir Path directory;
    private Path workspace;
    private SandboxBench sandbox;

    @BeforeEach
    void create() throws Exception {
        workspace = Files.createDirectory(directory.toRealPath().resolve("work"));
        var installation = new Installation(Files.createDirectory(directory.resolve("home")));
        sandbox =
                SandboxBench.create(
                        new BubblewrapRuntime(installation, Person.current()),
                        installation,
                        workspace);
    }

    @AfterEach
    void destroy() throws Exception {
        sandbox.close();
        assertThat(sandbox.processesLeft()).isEmpty();
    }

    @Test
    void nothingStandsInTheWayHere() {
        assertThat(sandbox.runtime.obstacle()).isEmpty();
    }

    @Test
    void onlyLoopbackIsInside() throws Exception {
        String devices = sandbox.sh("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").ok();

        assertThat(devices).isEqualTo("lo");
        assertThat(sandbox.sh("tail -n +2 /proc/net/route").ok()).isEmpty();
    }

    @Test
    void aHostServiceIsOutOfReachAlthoughTheHostReachesIt() throws Exception {
        try (var server = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"))) {
            String connect = "exec 3<>/dev/tcp/127.0.0.1/" + server.getLocalPort();

            assertThat(Command.of("bash", "-c", connect).run().exit()).isZero();
            server.accept().close();
            assertThat(sandbox.sh(connect).exit()).isNotZero();
            server.setSoTimeout(200);
            assertThatThrownBy(server::accept).isInstanceOf(java.net.SocketTimeoutException.class);
        }
    }

    @Test
    void theFirstProcessHasAFilterForSystemCalls() throws Exception {
        assertThat(sandbox.sh("grep Seccomp: /proc/1/status").ok()).isEqualTo("Seccomp:\t2");
    }

    @Test
    void theEnvironmentIsExactlyOurs() throws Exception {
        var plan = sandbox.plan(false, Map.of("CHOSEN", "a 'b'\n$c"), "/usr/bin/env", "-0");
        Map<String, String> inside =
                Arrays.stream(Plans.command(plan).with("HOST_SECRET", "x").run().ok().split("\0"))
                        .map(line -> line.split("=", 2))
                        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));

        assertThat(inside)
                .containsEntry("CHOSEN", "a 'b'\n$c")
                .containsEntry("SALLYPORT", "1")
                .containsEntry("HOME", Person.current().home().toString());
        Set<String> ours =
                Set.of(
                        "CHOSEN",
                        "GIT_CONFIG_COUNT",
                        "GIT_CONFIG_SYSTEM",
                        "GIT_TERMINAL_PROMPT",
                        "HOME",
                        "LANG",
                        "LOGNAME",
                        "PATH",
                        "SALLYPORT",
                        "SALLYPORT_POLICY",
                        "SHELL",
                        "USER");
        Set<String> ofTheShell = Set.of("PWD", "OLDPWD", "SHLVL", "_");
        assertThat(inside.keySet())
                .containsAll(ours)
                .allMatch(
                        name ->
                                ours.contains(name)
                                        || ofTheShell.contains(name)
                                        || name.matches("GIT_CONFIG_(KEY|VALUE)_\\d+"));
    }

    @Test
    void aChosenVariableMeansNothingToTheHostSide() throws Exception {
        Path library = workspace.resolve("evil.so");
        var plan = sandbox.plan(false, Map.of("LD_PRELOAD", library.toString()), "true");

        assertThat(plan.environment()).doesNotContainKey("LD_PRELOAD");
        assertThat(String.join(" ", plan.argv())).doesNotContain("evil.so");
        assertThat(Plans.command(plan).run().err()).contains("evil.so").hasLineCount(1);
    }

    @Test
    void nothingSecretOfTheHostIsVisible() throws Exception {
        for (String path :
                List.of("/etc/shadow", "/etc/ssh", "/etc/sudoers", "/etc/docker", "/sys/kernel")) {
            assertThat(sandbox.run("test", "-e", path).exit()).as(path).isEqualTo(1);
        }
        assertThat(sandbox.sh("ls -A \"$HOME\" /run /var/lib 2>/dev/null | grep -v :").out())
                .isBlank();
        assertThat(sandbox.sh("ls /dev | sort | tr '\\n' ' '").ok())
                .isEqualTo(
                        "core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero");
        assertThat(sandbox.sh("ls -A " + directory).ok()).isEqualTo("work");
    }

    @Test
    void onlyTheWorkspaceAndTemporaryDirectoriesAreWritable() throws Exception {
        sandbox.sh("echo hello > " + workspace + "/file; echo x > $HOME/x; echo x > /tmp/x").ok();

        assertThat(workspace.resolve("file")).hasContent("hello");
        assertThat((int) Files.getAttribute(workspace.resolve("file"), "unix:uid"))
                .isEqualTo(Person.current().uid());
        for (String path : List.of("/usr/x", "/etc/x", "/x", "/etc/gitconfig", "/etc/hosts")) {
            assertThat(sandbox.sh(": >> " + path).exit()).as(path).isNotZero();
        }
        assertThat(Path.of("/usr/x")).doesNotExist();
    }

    @Test
    void kernelSettingsCannotBeWritten() throws Exception {
        List<String> settings =
                List.of(
                        "/proc/sys/kernel/core_pattern",
                        "/proc/sys/net/ipv4/ip_forward",
                        "/proc/sysrq-trigger");
        for (String path : settings) {
            assertThat(sandbox.sh(": >> " + path).exit()).as(path).isNotZero();
            assertThat(sandbox.sh("unshare -Urm sh -c ': >> " + path + "'").exit()).isNotZero();
        }
        assertThat(sandbox.sh("unshare -Urpmf mount -t proc proc /proc").exit()).isNotZero();
        if (Person.current().isRoot()) {
            assertThat(Path.of(settings.getFirst())).isWritable();
        }
    }

    @Test
    void commandsHaveThePersonsNumberAndNoCapability() throws Exception {
        assertThat(sandbox.run("id", "-u").ok()).isEqualTo("" + Person.current().uid());
        assertThat(sandbox.run("id", "-un").exit()).isZero();
        assertThat(UserNamespace.isOwn(sandbox.identity.pid())).contains(true);
        assertThat(UserNamespace.isOwn(ProcessHandle.current().pid())).contains(false);
        String status =
                sandbox.sh("grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNew)' /proc/self/status").ok();

        assertThat(status.lines().map(line -> line.split("\\s+", -1)[1]))
                .containsExactly(
                        "0000000000000000",
                        "0000000000000000",
                        "0000000000000000",
                        "0000000000000000",
                        "1");
        assertThat(sandbox.sh("cat /proc/1/environ").exit()).isNotZero();
    }

    @Test
    void exitCodesAndSignalsComeBack() throws Exception {
        assertThat(sandbox.sh("exit 0").exit()).isZero();
        assertThat(sandbox.sh("exit 7").exit()).isEqualTo(7);
        assertThat(sandbox.sh("kill -KILL $$").exit()).isEqualTo(137);
        assertThat(sandbox.sh("kill -TERM $$").exit()).isEqualTo(143);
        assertThat(sandbox.run("no-such-command").exit()).isEqualTo(127);
        assertThat(sandbox.run("cat").exit()).isZero();
    }

    @Test
    void inputAndOutputArePipes() throws Exception {
        var plan = sandbox.plan(false, Map.of(), "sh", "-c", "tr a-z A-Z; echo problem >&2");
        Command.Result result = Plans.command(plan).input("text").run();

        assertThat(result.out()).isEqualTo("TEXT");
        assertThat(result.err()).isEqualTo("problem\n");
    }

    @Test
    void gitUrlsLeadToTheFrontDoor() throws Exception {
        for (String url :
                List.of(
                        "https://github.com/acme/app",
                        "git@github.com:acme/app",
                        "ssh://git@github.com/acme/app")) {
            assertThat(sandbox.run("git", "ls-remote", "--get-url", url).ok())
                    .isEqualTo("http://github.com/acme/app");
        }
        sandbox.sh("git init -q repo && cd repo && git status --short").ok();
        assertThat(sandbox.run("git", "clone", "-q", "file://" + workspace + "/repo", "copy").err())
                .contains("transport 'file' not allowed");
        assertThat(workspace.resolve("copy/.git")).doesNotExist();
    }

    @Test
    void aWorkspaceReplacedByALinkIsRefused() throws Exception {
        Path link = directory.toRealPath().resolve("link");
        Files.createSymbolicLink(link, workspace);
        var installation = new Installation(directory.resolve("home"));
        var spec = SandboxBench.spec(sandbox.runtime.kind(), installation, link);

        assertThatThrownBy(() -> sandbox.runtime.create(spec))
                .isInstanceOf(SandboxException.class)
                .hasMessageContaining("replaced");
        assertThat(spec.files()).doesNotExist();
    }

    @Test
    void aFailedCreationLeavesNothing() throws IOException {
        var installation = new Installation(directory.resolve("home"));
        Path gone = directory.toRealPath().resolve("gone");
        var spec = SandboxBench.spec(sandbox.runtime.kind(), installation, gone);

        assertThatThrownBy(() -> sandbox.runtime.create(spec)).isInstanceOf(SandboxException.class);
        assertThat(spec.files()).doesNotExist();
    }
}
