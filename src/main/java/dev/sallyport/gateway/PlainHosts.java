package dev.sallyport.gateway;

import dev.sallyport.audit.Recorder;
import dev.sallyport.egress.EgressTerms;
import dev.sallyport.egress.WebDoors;
import dev.sallyport.http.Door;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.NameTable;
import io.netty.channel.Channel;
import java.util.Optional;

/// The hosts that a sandbox speaks plain HTTP with, by the addresses that stand for them.
record PlainHosts(EgressTerms terms, NameTable names, Recorder recorder) {
    /// What a connection to an address is good for.
    sealed interface Meaning {}

    record Allowed(EgressPermit permit) implements Meaning {}

    record Refused(Door door) implements Meaning {}

    /// @param port that was connected to
    Meaning meantBy(Channel channel, int port) {
        Policy policy = terms.session().get().policy();
        Optional<HostName> host = MeantHost.of(channel, names, policy);
        if (host.isEmpty()) {
            return refused(Refusal.NAME_NOT_ALLOWED);
        }
        return switch (policy.decide(host.get(), port)) {
            case Decision.Allow<EgressPermit>(EgressPermit permit) -> new Allowed(permit);
            case Decision.Deny<EgressPermit>(Refusal refusal) -> refused(refusal);
        };
    }

    WebDoors.Connection open(EgressPermit permit) {
        return terms.webDoors().open(permit, false);
    }

    private Refused refused(Refusal refusal) {
        return new Refused(new RefusingDoor(refusal, recorder));
    }
}
