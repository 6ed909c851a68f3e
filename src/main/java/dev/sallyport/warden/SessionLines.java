package dev.sallyport.warden;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Stamp;
import dev.sallyport.config.GitRule;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Remedy;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// What the warden adds to the gateway's lines: whose they are, and where in `policy.yaml` the rule
/// for a repository stands. Found out once for each session and its rights, because there is a line
/// for each request.
final class SessionLines {
    private static final int SESSIONS_MAX = 4_096;
    private static final int REPOS_MAX = 256;
    private static final String RULE = "rule";
    private static final String REPO = "repo";

    private final GatewayLink link;
    private final Supplier<PolicyFile> policy;
    private final Map<String, Known> sessions = new ConcurrentHashMap<>();

    /// @param places of rules, by repository
    private record Known(
            Session session, PolicyFile policy, Stamp stamp, Map<String, String> places) {}

    SessionLines(GatewayLink link, Supplier<PolicyFile> policy) {
        this.link = link;
        this.policy = policy;
    }

    Stamp stamp(String session) {
        return known(session).map(Known::stamp).orElse(Stamp.NONE);
    }

    /// The same with the place of the git rule, if it is about a repository.
    AuditEvent placed(AuditEvent event) {
        String repo = event.detail().get(REPO);
        Optional<Known> known = repo == null ? Optional.empty() : known(event.session());
        if (repo == null
                || known.isEmpty()
                || event.decision().isEmpty()
                || event.detail().size() >= AuditEvent.DETAILS_MAX) {
            return event;
        }
        Map<String, String> detail = new TreeMap<>(event.detail());
        detail.put(RULE, place(known.get(), repo));
        return new AuditEvent(event.kind(), event.session(), event.decision(), detail);
    }

    private static String place(Known known, String repo) {
        if (known.places().size() >= REPOS_MAX) {
            known.places().clear();
        }
        return known.places().computeIfAbsent(repo, name -> place(known.policy(), name));
    }

    /// As `policy explain` says it.
    private static String place(PolicyFile policy, String repo) {
        try {
            RepoName name = RepoName.parse(repo);
            return policy.rule(new RepoPattern(name.host(), name.owner(), Optional.of(name.name())))
                    .map(GitRule::place)
                    .orElse(Remedy.STANDARD_RULES);
        } catch (MalformedNameException _) {
            return "";
        }
    }

    /// A session that is gone is known as it was last.
    private Optional<Known> known(String session) {
        Known before = sessions.get(session);
        Optional<Session> now = present(session);
        PolicyFile rules = policy.get();
        boolean same =
                before != null
                        && before.policy().equals(rules)
                        && (now.isEmpty() || before.session().equals(now.get()));
        if (same || now.isEmpty()) {
            return Optional.ofNullable(before);
        }
        if (sessions.size() >= SESSIONS_MAX) {
            sessions.clear();
        }
        Known known =
                new Known(now.get(), rules, Ledger.stamp(now.get()), new ConcurrentHashMap<>());
        sessions.put(session, known);
        return Optional.of(known);
    }

    /// The text comes from the gateway and may be anything.
    private Optional<Session> present(String session) {
        try {
            return link.session(new SessionId(session));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }
}
