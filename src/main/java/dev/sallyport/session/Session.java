package dev.sallyport.session;

import dev.sallyport.policy.Egress;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.SandboxSpec;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What binds a sandbox to its rights, as the store keeps it.
///
/// @param identity the verified sandbox; empty while it is being made or stopped
/// @param ephemeral whether it ends with the connection that made it
public record Session(
        SandboxSpec spec,
        Optional<Identity> identity,
        List<RepoGrant> grants,
        Egress egress,
        Lifetime lifetime,
        Usage usage,
        boolean ephemeral,
        State state) {

    /// How far its sandbox has come.
    public enum State {
        CREATING,
        RUNNING,
        STOPPED
    }

    public Session {
        grants = List.copyOf(grants);
        if (state == State.RUNNING && identity.isEmpty()) {
            throw new IllegalArgumentException("a running sandbox has an identity");
        }
    }

    public SessionId id() {
        return spec.id();
    }

    public String name() {
        return spec.name();
    }

    public Policy policy() {
        return new Policy(id(), grants, egress);
    }

    public Session running(Identity verified) {
        return with(Optional.of(verified), State.RUNNING);
    }

    public Session stopped() {
        return with(Optional.empty(), State.STOPPED);
    }

    public Session usedAt(Instant now) {
        Lifetime renewed = lifetime.usedAt(now);
        return new Session(spec, identity, grants, egress, renewed, usage, ephemeral, state);
    }

    /// The same session with other rights to reach hosts.
    public Session reaching(Egress widened) {
        return new Session(spec, identity, grants, widened, lifetime, usage, ephemeral, state);
    }

    /// The same session with an authority of its own.
    public Session trusting(String caPem) {
        SandboxSpec trusting = spec.trusting(caPem);
        return new Session(trusting, identity, grants, egress, lifetime, usage, ephemeral, state);
    }

    private Session with(Optional<Identity> newIdentity, State newState) {
        return new Session(spec, newIdentity, grants, egress, lifetime, usage, ephemeral, newState);
    }
}
