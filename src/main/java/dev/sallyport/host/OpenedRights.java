package dev.sallyport.host;

import dev.sallyport.config.EgressText;
import dev.sallyport.config.GrantText;
import dev.sallyport.control.HostApi;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Parsing;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.SessionId;
import java.util.List;

/// The rights of a session that a gateway on another machine has opened. They say how the sandbox
/// is set up; the gateway decides.
public record OpenedRights(SessionId session, List<RepoGrant> grants, Egress egress) {
    public OpenedRights {
        grants = List.copyOf(grants);
    }

    /// Reads what a gateway has answered.
    ///
    /// @throws MalformedNameException for what no gateway says
    /// @throws IllegalArgumentException likewise
    public static OpenedRights of(HostApi.Opened opened) throws MalformedNameException {
        return new OpenedRights(
                new SessionId(opened.session()),
                Parsing.all(opened.grants(), GrantText::toGrant),
                new Egress(Parsing.all(opened.egress(), EgressText::toRule), opened.learn()));
    }

    public Policy policy() {
        return new Policy(session, grants, egress);
    }
}
