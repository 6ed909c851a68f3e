package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.ExecPlan;
import dev.sallyport.sandbox.ExecRequest;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxRuntime;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.Sighting;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/// Keeps sandboxes in a set instead of the kernel.
final class FakeRuntime implements SandboxRuntime {
    final Set<SessionId> alive = ConcurrentHashMap.newKeySet();
    final Set<SessionId> destroyed = new HashSet<>();
    final Set<SessionId> swept = new HashSet<>();
    boolean failing;

    /// What the next sandbox is made after.
    volatile CountDownLatch before = new CountDownLatch(0);

    /// Shared by whatever starts from now on.
    Optional<Long> namespace = Optional.empty();

    /// What is found to pose as a sandbox.
    Optional<String> impostor = Optional.empty();

    boolean paused;

    private final Map<SessionId, Identity> identities = new ConcurrentHashMap<>();
    private final Map<SessionId, Consumer<SessionId>> listeners = new ConcurrentHashMap<>();
    private long nextPid = 100;

    void end(SessionId id) {
        alive.remove(id);
        tellEnd(id);
    }

    void tellEnd(SessionId id) {
        Objects.requireNonNull(listeners.get(id)).accept(id);
    }

    @Override
    public RuntimeKind kind() {
        return RuntimeKind.BUBBLEWRAP;
    }

    @Override
    public Optional<String> obstacle() {
        return Optional.empty();
    }

    @Override
    public Identity create(SandboxSpec spec) throws SandboxException {
        requireWorking();
        try {
            before.await();
        } catch (InterruptedException e) {
            throw new SandboxException("interrupted");
        }
        return start(spec, Optional.empty());
    }

    private void requireWorking() throws SandboxException {
        if (failing) {
            throw new SandboxException("It does not work. Try something else.");
        }
    }

    @Override
    public Identity start(SandboxSpec spec, Optional<Identity> before) {
        return restart(spec);
    }

    /// As if somebody did it behind our back.
    Identity restart(SandboxSpec spec) {
        long pid = nextPid++;
        Identity identity = new Identity("fake-" + spec.id(), pid, 1, namespace.orElse(pid));
        alive.add(spec.id());
        identities.put(spec.id(), identity);
        return identity;
    }

    @Override
    public void stop(SandboxSpec spec, Identity identity) throws SandboxException {
        requireWorking();
        alive.remove(spec.id());
    }

    @Override
    public void destroy(SandboxSpec spec, Optional<Identity> identity) {
        alive.remove(spec.id());
        destroyed.add(spec.id());
    }

    @Override
    public boolean isAlive(SandboxSpec spec, Identity identity) {
        return alive.contains(spec.id()) && identity.equals(identities.get(spec.id()));
    }

    @Override
    public Sighting look(SandboxSpec spec, Identity known) {
        Optional<Identity> running =
                Optional.ofNullable(identities.get(spec.id()))
                        .filter(_ -> alive.contains(spec.id()));
        return new Sighting(running, "the test", impostor, Optional.of(paused));
    }

    @Override
    public ExecPlan exec(SandboxSpec spec, Identity identity, ExecRequest request) {
        return new ExecPlan(request.command(), Map.of(), true);
    }

    @Override
    public void onEnd(SandboxSpec spec, Identity identity, Consumer<SessionId> listener) {
        listeners.put(spec.id(), listener);
    }

    @Override
    public void onChange(SandboxSpec spec, Consumer<SessionId> listener) {}

    @Override
    public int sweep(Set<SessionId> known) {
        swept.addAll(known);
        return 0;
    }
}
