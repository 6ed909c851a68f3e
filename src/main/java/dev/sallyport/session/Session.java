package dev.sallyport.session;

import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxSpec;
import java.util.List;
import java.util.Optional;

/// What binds a sandbox to its rights, as the store keeps it.
///
/// @param identity the verified sandbox; empty while it is being made or stopped
/// @param ephemeral whether it ends with the connection that made it
/// @param caps what it may use before it ends early
/// @param verified who it was when somebody looked last; empty before it was made
/// @param asked what its rights were made from, together with `policy.yaml`
public record Session(
        SandboxSpec spec,
        Optional<Identity> identity,
        List<RepoGrant> grants,
        Egress egress,
        Lifetime lifetime,
        Usage usage,
        boolean ephemeral,
        State state,
        Caps caps,
        Optional<Verified> verified,
        Asked asked) {

    /// How far its sandbox has come. One that is `EXITED` ended without being told to, as in a
    /// restart by somebody else, and comes back when it runs again; one that is `STOPPED` was told
    /// to, and comes back only when it is told to. Nothing leads back from `ENDED`.
    public enum State {
        CREATING,
        RUNNING,
        STOPPED,
        EXITED,
        ENDED
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

    /// Whether it runs here, and its gateway is on another machine.
    public boolean isCarried() {
        return asked.machine().isPresent() && spec.runtime() != RuntimeKind.REMOTE;
    }

    public Policy policy() {
        return new Policy(id(), grants, egress);
    }

    public Session running(Verified now) {
        return with(Optional.of(now.identity()), State.RUNNING, Optional.of(now));
    }

    public Session stopped() {
        return with(Optional.empty(), State.STOPPED, verified);
    }

    public Session exited() {
        return with(Optional.empty(), State.EXITED, verified);
    }

    /// Whether nothing of it runs, as far as we know.
    public boolean isAtRest() {
        return switch (state) {
            case STOPPED, EXITED, ENDED -> true;
            case CREATING, RUNNING -> false;
        };
    }

    public boolean isPaused() {
        return state == State.RUNNING && verified.filter(Verified::paused).isPresent();
    }

    /// The same one, with the sandbox that may still run; for one that is at rest this means that
    /// somebody has yet to see to its end.
    public Session known(Optional<Identity> now) {
        return with(now, state, verified);
    }

    /// Over for good.
    public Session ended() {
        return with(Optional.empty(), State.ENDED, verified);
    }

    public Session living(Lifetime changed) {
        return new Session(
                spec, identity, grants, egress, changed, usage, ephemeral, state, caps, verified,
                asked);
    }

    /// The same session with more hosts, because somebody asked for them.
    public Session reaching(Egress widened, List<EgressRule> more) {
        Asked all = asked.and(more);
        return new Session(
                spec, identity, grants, widened, lifetime, usage, ephemeral, state, caps, verified,
                all);
    }

    /// The same session with other rights.
    public Session with(List<RepoGrant> others, Egress changed) {
        return new Session(
                spec, identity, others, changed, lifetime, usage, ephemeral, state, caps, verified,
                asked);
    }

    /// The same session with these published ports.
    public Session publishing(List<PublishedPort> ports) {
        Asked now = asked.publishing(ports);
        return new Session(
                spec, identity, grants, egress, lifetime, usage, ephemeral, state, caps, verified,
                now);
    }

    /// The ports of the host that lead into the sandbox while it runs.
    public List<PublishedPort> published() {
        return asked.published();
    }

    /// The same session with an authority of its own.
    public Session trusting(String caPem) {
        SandboxSpec now = spec.trusting(caPem);
        return new Session(
                now, identity, grants, egress, lifetime, usage, ephemeral, state, caps, verified,
                asked);
    }

    private Session with(Optional<Identity> found, State newState, Optional<Verified> now) {
        return new Session(
                spec, found, grants, egress, lifetime, usage, ephemeral, newState, caps, now,
                asked);
    }
}
