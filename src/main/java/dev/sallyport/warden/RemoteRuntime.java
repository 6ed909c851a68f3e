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
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// The sandboxes of other machines, whose gateway is here (ADR 37). There is nothing to make: who
/// runs there is known by a certificate, and is there as long as its machine has that renewed.
record RemoteRuntime(Certificates certificates) implements SandboxRuntime {
    /// Of the sessions of other machines.
    interface Certificates {
        /// Whether one is good now, or the first one is still to come.
        boolean areGood(SessionId session);

        /// None is good from now on.
        void revoke(SessionId session);

        /// Nothing is known of the session from now on.
        void forget(SessionId session);
    }

    @Override
    public RuntimeKind kind() {
        return RuntimeKind.REMOTE;
    }

    @Override
    public Optional<String> obstacle() {
        return Optional.of(
                "Such a sandbox is created on its own machine, with: sallyport new --gateway NAME");
    }

    /// The number of its namespace on another machine means nothing here; this one is never that of
    /// another session.
    @Override
    public Identity create(SandboxSpec spec) {
        String id = spec.id().value();
        return new Identity("remote-" + id, 0, 0, Long.parseUnsignedLong(id, 16) | Long.MIN_VALUE);
    }

    @Override
    public Identity start(SandboxSpec spec, Optional<Identity> before) {
        return create(spec);
    }

    @Override
    public void stop(SandboxSpec spec, Identity identity) {
        certificates.revoke(spec.id());
    }

    @Override
    public void destroy(SandboxSpec spec, Optional<Identity> identity) {
        certificates.forget(spec.id());
    }

    /// A pod that asks again gets another session only if this one never had a certificate; one
    /// whose certificates were taken away counts as if it had.
    @Override
    public void condemn(SandboxSpec spec) {
        certificates.revoke(spec.id());
    }

    @Override
    public boolean isAlive(SandboxSpec spec, Identity identity) {
        return certificates.areGood(spec.id());
    }

    @Override
    public Sighting look(SandboxSpec spec, Identity known) {
        return certificates.areGood(spec.id())
                ? Sighting.of(known, "its certificate")
                : Sighting.NOTHING;
    }

    @Override
    public ExecPlan exec(SandboxSpec spec, Identity identity, ExecRequest request)
            throws SandboxException {
        throw new SandboxException(
                "This sandbox is on another machine. Run the command there: sallyport exec");
    }

    /// Nobody tells us; certificates lapse.
    @Override
    public void onEnd(SandboxSpec spec, Identity identity, Consumer<SessionId> listener) {
        // Looked at with the others, now and then.
    }

    @Override
    public void onChange(SandboxSpec spec, Consumer<SessionId> listener) {
        // Likewise.
    }

    @Override
    public int sweep(Set<SessionId> known) {
        return 0;
    }
}
