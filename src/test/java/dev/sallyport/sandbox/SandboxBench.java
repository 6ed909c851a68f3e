package dev.sallyport.sandbox;

import dev.sallyport.config.GitSettings;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Plans;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/// One sandbox on a runtime, with the commands that tests ask of it.
public final class SandboxBench implements AutoCloseable {
    public final SandboxRuntime runtime;
    public final SandboxSpec spec;
    public Identity identity;

    private SandboxBench(SandboxRuntime runtime, SandboxSpec spec, Identity identity) {
        this.runtime = runtime;
        this.spec = spec;
        this.identity = identity;
    }

    public static SandboxBench create(SandboxRuntime runtime, Installation home, Path workspace)
            throws Exception {
        SandboxSpec spec = spec(runtime.kind(), home, workspace);
        return new SandboxBench(runtime, spec, runtime.create(spec));
    }

    /// One with an authority of its own.
    public static SandboxBench create(
            SandboxRuntime runtime, Installation home, Path workspace, String caPem)
            throws Exception {
        SandboxSpec spec = spec(runtime.kind(), home, workspace).trusting(caPem);
        return new SandboxBench(runtime, spec, runtime.create(spec));
    }

    public static SandboxBench of(SandboxRuntime runtime, SandboxSpec spec)
            throws SandboxException {
        return new SandboxBench(runtime, spec, runtime.create(spec));
    }

    /// One with further mounts.
    public static SandboxBench create(
            SandboxRuntime runtime, Installation home, Path workspace, Mounts mounts)
            throws Exception {
        SandboxSpec spec = with(spec(runtime.kind(), home, workspace), mounts);
        return new SandboxBench(runtime, spec, runtime.create(spec));
    }

    public static SandboxSpec with(SandboxSpec spec, Mounts mounts) {
        return with(spec, mounts, spec.resources());
    }

    public static SandboxSpec with(SandboxSpec spec, Hardening hardening) {
        return with(spec, spec.mounts(), spec.resources(), hardening);
    }

    public static SandboxSpec with(SandboxSpec spec, Mounts mounts, Resources resources) {
        return with(spec, mounts, resources, spec.hardening());
    }

    public static SandboxSpec with(SandboxSpec spec, SandboxHome home) {
        return with(spec, spec.mounts(), spec.resources(), spec.hardening(), home);
    }

    private static SandboxSpec with(
            SandboxSpec spec, Mounts mounts, Resources resources, Hardening hardening) {
        return with(spec, mounts, resources, hardening, spec.home());
    }

    private static SandboxSpec with(
            SandboxSpec spec,
            Mounts mounts,
            Resources resources,
            Hardening hardening,
            SandboxHome home) {
        return new SandboxSpec(
                spec.id(),
                spec.name(),
                spec.runtime(),
                spec.workspace(),
                spec.image(),
                spec.files(),
                spec.gitHosts(),
                spec.git(),
                spec.caPem(),
                mounts,
                resources,
                hardening,
                home);
    }

    public static SandboxSpec spec(RuntimeKind kind, Installation home, Path workspace)
            throws IOException {
        SessionId id = SessionId.random();
        return new SandboxSpec(
                id,
                "bench-" + id,
                kind,
                workspace,
                Optional.empty(),
                home.sandboxes().resolve(id.value()),
                new TreeSet<>(List.of(new HostName("github.com"))),
                GitSettings.STANDARD,
                Optional.empty(),
                Mounts.NONE,
                Resources.standard(kind, Person.current()),
                Hardening.USUAL,
                SandboxHome.BARE);
    }

    public ExecPlan plan(boolean tty, Map<String, String> environment, String... command)
            throws SandboxException {
        return runtime.exec(
                spec,
                identity,
                new ExecRequest(List.of(command), tty, spec.workspace(), environment));
    }

    public Command.Result run(String... command) throws SandboxException {
        return Plans.command(plan(false, Map.of(), command)).run();
    }

    public Command.Result sh(String script) throws SandboxException {
        return run("bash", "-c", script);
    }

    /// Host processes that live in the sandbox's network namespace.
    public List<String> processes() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            return all.map(path -> path.getFileName().toString())
                    .filter(name -> name.chars().allMatch(Character::isDigit))
                    .filter(name -> namespaceOf(name) == identity.netNamespaceInode())
                    .toList();
        }
    }

    /// Those of [#processes] that are still there in the end. One that was killed may take a moment
    /// to leave the table.
    public List<String> processesLeft() throws IOException {
        long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (!processes().isEmpty() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(20_000_000);
        }
        return processes();
    }

    private static long namespaceOf(String pid) {
        try {
            return (long) Files.getAttribute(Path.of("/proc", pid, "ns/net"), "unix:ino");
        } catch (IOException e) {
            return -1;
        }
    }

    @Override
    public void close() throws SandboxException {
        runtime.destroy(spec, Optional.of(identity));
    }
}
