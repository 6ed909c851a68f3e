package dev.sallyport.host;

import dev.sallyport.config.EgressText;
import dev.sallyport.config.GrantText;
import dev.sallyport.control.HostApi;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.SessionId;
import java.util.ArrayList;
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
        List<RepoGrant> grants = new ArrayList<>();
        for (GrantText grant : opened.grants()) {
            grants.add(grant.toGrant());
        }
        List<EgressRule> rules = new ArrayList<>();
        for (EgressText rule : opened.egress()) {
            rules.add(rule.toRule());
        }
        return new OpenedRights(
                new SessionId(opened.session()), grants, new Egress(rules, opened.learn()));
    }

    public Policy policy() {
        return new Policy(session, grants, egress);
    }
}
