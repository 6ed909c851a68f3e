package dev.sallyport.sandbox.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.GitSettings;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Plans;
import dev.sallyport.fixture.PrivateDocker;
import dev.sallyport.policy.SessionId;
import dev.sallyport.porter.Listener;
import dev.sallyport.porter.NamespacePorter;
import dev.sallyport.porter.Opening;
import dev.sallyport.sandbox.Hardening;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.MountBench;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.ProcessIdentity;
import dev.sallyport.sandbox.ProcessUser;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxBench;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxHome;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.SandboxUser;
import dev.sallyport.sandbox.ShellWords;
import io.netty.channel.unix.Socket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Containers of a real engine.
class DockerIT {
    private static PrivateDocker docker;

    @TempDir Path directory;
    private Installation installation;
    private Path workspace;
    private SandboxBench sandbox;

    @BeforeAll
    static void startEngine() {
        docker = PrivateDocker.start();
    }

    @AfterAll
    static void stopEngine() {
        docker.close();
    }

    @BeforeEach
    void create() throws Exception {
        workspace = Files.createDirectory(directory.toRealPath().resolve("work"));
        installation = new Installation(Files.createDirectory(directory.resolve("home")));
        sandbox = SandboxBench.create(runtime(), installation, workspace);
    }

    private DockerRuntime runtime() {
        return new DockerRuntime(installation, Person.current(), URI.create(docker.host()));
    }

    @AfterEach
    void destroy() throws Exception {
        sandbox.close();
        assertThat(sandbox.processesLeft()).isEmpty();
        assertThat(docker.docker("ps", "-aq").run().ok()).isEmpty();
        assertThat(sandbox.spec.files()).doesNotExist();
    }

    @Test
    void nothingStandsInTheWayHere() {
        assertThat(runtime().obstacle()).isEmpty();
    }

    @Test
    void onlyLoopbackIsInsideAndAHostServiceIsOutOfReach() throws Exception {
        assertThat(sandbox.sh("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").ok())
                .isEqualTo("lo");
        try (var server = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"))) {
            String connect = "exec 3<>/dev/tcp/127.0.0.1/" + server.getLocalPort();

            assertThat(Command.of("bash", "-c", connect).run().exit()).isZero();
            server.accept().close();
            assertThat(sandbox.sh(connect).exit()).isNotZero();
            server.setSoTimeout(200);
            assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void thePorterOpensSocketsInItsNamespace() throws Exception {
        Identity identity = sandbox.identity;
        List<Listener> listeners =
                new NamespacePorter()
                        .open(identity.pid(), identity.netNamespaceInode(), Opening.doors());

        sandbox.sh("exec 3<>/dev/tcp/127.64.0.9/80").ok();
        assertThat(new Socket(listeners.getFirst().descriptor().intValue()).accept(new byte[64]))
                .isPositive();
        for (Listener listener : listeners) {
            listener.descriptor().close();
        }
    }

    @Test
    void theContainerHasNoRightsAndBounds() throws Exception {
        String status =
                sandbox.sh("grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status").ok();
        assertThat(status.lines().map(line -> line.split("\\s+", -1)[1]))
                .containsExactly("0000000000000000", "0000000000000000", "1", "2");
        String shape =
                docker.docker(
                                "inspect",
                                "-f",
                                "{{.HostConfig.NetworkMode}} {{.HostConfig.PidsLimit}} {{.HostConfig.Privileged}} {{.HostConfig.RestartPolicy.Name}} {{.HostConfig.SecurityOpt}} {{.HostConfig.IpcMode}}",
                                sandbox.identity.runtimeId())
                        .run()
                        .ok();
        // Engines before 25 and later ones name the policy "never" in two ways.
        assertThat(shape.replace("false no [", "false  ["))
                .isEqualTo(
                        "none 4096 false  [no-new-privileges:true %s] private"
                                .formatted(ContainerShape.FILTER));
    }

    /// The same rules as in bubblewrap, whatever the engine's own profile says. The positive
    /// control is a container with that profile, which has no rule for terminals.
    @Test
    void systemCallsAreFilteredAsInBubblewrap() throws Exception {
        assertThat(sandbox.run("perl", "-e", CallProbe.SCRIPT).ok())
                .isEqualTo(
                        "unix=0 inet6=0 netlink=0 vsock=1 alg=1 packet=1 io_uring=1 keyctl=38 clone3=38"
                                + " unshare=1 clone=1 TIOCSTI=1 TIOCSTI+=1 TIOCLINUX=1"
                                + " FIONBIO=14 TIOCGPGRP=25");
        String usual =
                docker.docker(
                                "run",
                                "--rm",
                                "--network=none",
                                "--cap-drop=ALL",
                                PrivateDocker.IMAGE,
                                "perl",
                                "-e",
                                CallProbe.SCRIPT)
                        .run()
                        .ok();
        assertThat(usual).contains("unix=0", "TIOCSTI=25", "TIOCLINUX=25");
        sandbox.sh("ls / | sort | head -n 1 && (exit 0) && git init -q r && git -C r status").ok();
    }

    /// Whoever has the engine can make a container with our labels.
    @Test
    void aContainerWithAnotherFilterIsNotTakenForOurs() throws Exception {
        for (String filter : List.of("seccomp=unconfined", "apparmor=unconfined")) {
            var spec = SandboxBench.spec(RuntimeKind.DOCKER, installation, workspace);
            List<String> argv =
                    new ArrayList<>(
                            List.of("run", "-d", "--network=none", "--security-opt", filter));
            new ContainerShape(installation)
                    .labels(spec.id())
                    .forEach((name, value) -> argv.addAll(List.of("--label", name + "=" + value)));
            argv.addAll(List.of(PrivateDocker.IMAGE, "sleep", "2147483647"));
            String id = docker.docker(argv.toArray(String[]::new)).run().ok();

            Identity posing = ProcessIdentity.of(sandbox.identity.pid()).orElseThrow().named(id);
            assertThat(runtime().look(spec, posing).refused())
                    .hasValueSatisfying(
                            why -> assertThat(why).contains("is not the one of this version"));
            docker.docker("rm", "-f", id).run().ok();
        }
    }

    @Test
    void ourFilesAreReadOnlyAndTheWorkspaceIsWritable() throws Exception {
        sandbox.sh("echo hello > file").ok();
        assertThat(workspace.resolve("file")).hasContent("hello");
        assertThat(sandbox.run("cat", "/etc/resolv.conf").ok()).startsWith("nameserver 127.0.0.1");
        assertThat(sandbox.run("cat", "/etc/hosts").ok()).contains("gateway.sallyport");
        assertThat(sandbox.run("git", "ls-remote", "--get-url", "git@github.com:acme/app").ok())
                .isEqualTo("http://github.com/acme/app");
        for (String path : List.of("/etc/resolv.conf", "/etc/hosts", "/etc/gitconfig")) {
            assertThat(sandbox.sh(": >> " + path).exit()).as(path).isNotZero();
        }
    }

    @Test
    void theEnvironmentHoldsWhatTheImageWeAndThePersonSaid() throws Exception {
        var plan = sandbox.plan(false, Map.of("CHOSEN", "a b", "LD_TEST", "x"), "env");
        String inside = Plans.command(plan).with("HOST_SECRET", "planted").run().ok();

        assertThat(inside.lines())
                .contains("CHOSEN=a b", "LD_TEST=x", "SALLYPORT=1", "GIT_TERMINAL_PROMPT=0");
        assertThat(inside).doesNotContain("planted");
        assertThat(plan.environment()).doesNotContainKey("LD_TEST");
        assertThat(String.join(" ", plan.argv())).doesNotContain("a b");
    }

    @Test
    void exitCodesSignalsAndArgumentsComeThrough() throws Exception {
        assertThat(sandbox.sh("exit 7").exit()).isEqualTo(7);
        assertThat(sandbox.sh("kill -KILL $$").exit()).isEqualTo(137);
        assertThat(sandbox.run("no-such-command").exit()).isIn(126, 127);
        assertThat(sandbox.run("printf", "[%s]", "", "it's", "a\nb", "$HOME").ok())
                .isEqualTo("[][it's][a\nb][$HOME]");
        var tty = sandbox.plan(true, Map.of(), "sh", "-c", "test -t 0 && exit 5");
        assertThat(
                        Command.of(
                                        "script",
                                        "-qefc",
                                        ShellWords.quote(Plans.argv(tty)),
                                        "/dev/null")
                                .run()
                                .exit())
                .isEqualTo(5);
    }

    @Test
    void theEndOfTheFirstProcessEndsEverythingAndIsTold() throws Exception {
        sandbox.sh("sleep 1000 >/dev/null 2>&1 </dev/null & disown").ok();
        var ended = new CompletableFuture<SessionId>();
        sandbox.runtime.onEnd(sandbox.spec, sandbox.identity, ended::complete);

        Command.of("kill", "-KILL", "" + sandbox.identity.pid()).run().ok();

        assertThat(ended.get(60, TimeUnit.SECONDS)).isEqualTo(sandbox.spec.id());
        assertThatThrownBy(() -> sandbox.run("true"))
                .isInstanceOf(SandboxException.class)
                .hasMessageContaining("sallyport start");
    }

    @Test
    void stoppingAndStartingGivesANewIdentity() throws Exception {
        sandbox.sh("echo kept > /root/file").ok();
        Identity before = sandbox.identity;

        sandbox.runtime.stop(sandbox.spec, before);
        assertThat(sandbox.runtime.isAlive(sandbox.spec, before)).isFalse();
        sandbox.identity = sandbox.runtime.start(sandbox.spec, Optional.of(before));

        assertThat(sandbox.identity.runtimeId()).isEqualTo(before.runtimeId());
        assertThat(sandbox.identity.startTicks()).isNotEqualTo(before.startTicks());
        assertThat(sandbox.run("cat", "/root/file").ok()).isEqualTo("kept");
    }

    @Test
    void sweepingRemovesWhatIsUnknownAndNothingElse() throws Exception {
        Path otherHome = Files.createDirectory(directory.resolve("other"));
        var other =
                new DockerRuntime(
                        new Installation(otherHome), Person.current(), URI.create(docker.host()));

        assertThat(other.sweep(Set.of())).isZero();
        assertThat(runtime().sweep(Set.of(sandbox.spec.id()))).isZero();
        assertThat(sandbox.runtime.isAlive(sandbox.spec, sandbox.identity)).isTrue();

        assertThat(runtime().sweep(Set.of())).isEqualTo(1);
        assertThat(sandbox.processesLeft()).isEmpty();
    }

    @Test
    void aMissingImageIsNamedAndNothingIsLeft() throws Exception {
        SandboxSpec spec =
                of(
                        SandboxBench.spec(RuntimeKind.DOCKER, installation, workspace),
                        "localhost:1/no/such:image");

        assertThatThrownBy(() -> runtime().create(spec))
                .isInstanceOf(SandboxException.class)
                .hasMessageContaining("docker pull localhost:1/no/such:image");
        assertThat(spec.files()).doesNotExist();
    }

    private static SandboxSpec of(SandboxSpec known, String image) {
        return new SandboxSpec(
                known.id(),
                known.name(),
                known.runtime(),
                known.workspace(),
                Optional.of(image),
                known.files(),
                known.gitHosts(),
                GitSettings.STANDARD,
                Optional.empty(),
                known.mounts(),
                known.resources(),
                known.hardening(),
                SandboxHome.BARE);
    }

    /// What root made root owns; what a person owns, their sandbox writes as that person.
    @Test
    void commandsRunAsTheOwnerOfTheWorkspaceUnlessTheImageNamesAUser() throws Exception {
        assertThat(sandbox.run("id", "-u").ok()).as("positive control: root's own").isEqualTo("0");
        Files.setAttribute(workspace, "unix:uid", 1234);
        Files.setAttribute(workspace, "unix:gid", 2345);
        SandboxSpec usual = SandboxBench.spec(RuntimeKind.DOCKER, installation, workspace);
        try (var owned = SandboxBench.of(runtime(), usual)) {
            assertThat(owned.sh("id -u; id -g; whoami; echo $HOME; id -G").ok())
                    .isEqualTo("1234\n2345\nsandbox\n/home/sandbox\n2345");
            owned.sh("touch here ~/there && git init -q ~/repo && git -C ~/repo status -s").ok();
            assertThat(owned.sh("touch /etc/x").exit()).isNotZero();
            assertThat(ProcessUser.of(owned.identity)).contains(new ProcessUser(1234, 2345));
            owned.runtime.stop(owned.spec, owned.identity);
            owned.identity = owned.runtime.start(owned.spec, Optional.of(owned.identity));
            assertThat(owned.sh("id -u; ls ~").ok()).isEqualTo("1234\nrepo\nthere");
        }
        assertThat(Files.getAttribute(workspace.resolve("here"), "unix:uid")).isEqualTo(1234);
        for (String user : List.of("image", "77")) {
            SandboxSpec asked =
                    SandboxBench.with(
                            usual, new Hardening(SandboxUser.parse(user), Optional.empty(), false));
            try (var chosen = SandboxBench.of(runtime(), asked)) {
                assertThat(chosen.run("id", "-u").ok()).isEqualTo(user.replace("image", "0"));
            }
        }
    }

    @Test
    void theRuntimeThatWasChosenRunsTheContainerAndNoOtherIsTakenForIt() throws Exception {
        SandboxSpec usual = SandboxBench.spec(RuntimeKind.DOCKER, installation, workspace);
        SandboxSpec second = SandboxBench.with(usual, of(PrivateDocker.SECOND_RUNTIME));
        try (var chosen = SandboxBench.of(runtime(), second)) {
            assertThat(runtimeOf(chosen)).isEqualTo(PrivateDocker.SECOND_RUNTIME);
            assertThat(runtimeOf(sandbox)).as("positive control").isEqualTo("runc");
            assertThat(chosen.sh("echo runs").ok()).isEqualTo("runs");
            assertThat(chosen.runtime.look(second, chosen.identity).running()).isPresent();
            SandboxSpec other = SandboxBench.with(usual, of("runc"));
            assertThat(chosen.runtime.look(other, chosen.identity).refused())
                    .hasValueSatisfying(why -> assertThat(why).contains("not by runc"));
        }
        SandboxSpec unknown = SandboxBench.with(usual, of("runsc"));
        assertThatThrownBy(() -> runtime().create(unknown))
                .isInstanceOf(SandboxException.class)
                .hasMessageContaining("no runtime runsc")
                .hasMessageContaining("runc, second");
        assertThat(docker.docker("ps", "-aq").run().ok()).hasLineCount(1);
    }

    @Test
    void aUserNamespaceThatTheEngineDoesNotHaveIsNotPromised() throws Exception {
        SandboxSpec spec =
                SandboxBench.with(
                        SandboxBench.spec(RuntimeKind.DOCKER, installation, workspace),
                        new Hardening(new SandboxUser.Usual(), Optional.empty(), true));

        assertThatThrownBy(() -> runtime().create(spec))
                .isInstanceOf(SandboxException.class)
                .hasMessageContaining("userns-remap");
        assertThat(sandbox.runtime.look(spec, sandbox.identity).running()).isEmpty();
        assertThat(docker.docker("ps", "-aq").run().ok()).hasLineCount(1);
    }

    private static Hardening of(String runtimeClass) {
        return new Hardening(new SandboxUser.Usual(), Optional.of(runtimeClass), false);
    }

    private static String runtimeOf(SandboxBench bench) {
        return docker.docker("inspect", "-f", "{{.HostConfig.Runtime}}", bench.identity.runtimeId())
                .run()
                .ok();
    }

    @Test
    void mountsHiddenFilesAndLimitsHold() throws Exception {
        var mounts = new MountBench(runtime(), installation, directory);
        mounts.mountsAreWhatWasAskedFor();
        mounts.aHiddenFileCannotBeRead();
        mounts.whatWasReplacedMeanwhileIsRefused();
        mounts.limitsHoldForEveryCommand();
    }

    @Test
    void whatIsMissingIsSaid() {
        var none = URI.create("unix://" + directory.resolve("no.sock"));
        assertThat(new DockerRuntime(installation, Person.current(), none).obstacle())
                .hasValueSatisfying(text -> assertThat(text).contains("no Docker engine answers"));
        var somebody = new Person(1000, 1000, "somebody", Path.of("/home/somebody"));
        assertThat(new DockerRuntime(installation, somebody, URI.create(docker.host())).obstacle())
                .hasValueSatisfying(text -> assertThat(text).contains("bubblewrap"));
    }
}
