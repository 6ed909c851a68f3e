package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.ExecPlan;
import dev.sallyport.sandbox.ExecRequest;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxRuntime;
import dev.sallyport.sandbox.SandboxSpec;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Keeps sandboxes in a set instead of the kernel.
final class FakeRuntime implements SandboxRuntime {
    final Set<SessionId> alive = new HashSet<>();
    final Set<SessionId> destroyed = new HashSet<>();
    final Set<SessionId> swept = new HashSet<>();
    boolean failing;
    private final Map<SessionId, Identity> identities = new HashMap<>();
    private final Map<SessionId, Consumer<SessionId>> listeners = new HashMap<>();
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
        if (failing) {
            throw new SandboxException("It does not work. Try something else.");
        }
        return start(spec);
    }

    @Override
    public Identity start(SandboxSpec spec) {
        long pid = nextPid++;
        Identity identity = new Identity("fake-" + pid, pid, 1, 1);
        alive.add(spec.id());
        identities.put(spec.id(), identity);
        return identity;
    }

    @Override
    public void stop(SandboxSpec spec, Identity identity) {
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
    public ExecPlan exec(SandboxSpec spec, Identity identity, ExecRequest request) {
        return new ExecPlan(request.command(), Map.of(), true);
    }

    @Override
    public void onEnd(SandboxSpec spec, Identity identity, Consumer<SessionId> listener) {
        listeners.put(spec.id(), listener);
    }

    @Override
    public int sweep(Set<SessionId> known) {
        swept.addAll(known);
        return 0;
    }
}
