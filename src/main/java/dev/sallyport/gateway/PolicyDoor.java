package dev.sallyport.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.config.Limits;
import dev.sallyport.http.Door;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.session.LiveSession;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Tells a sandbox what it may do, so that an agent can read it instead of trying.
final class PolicyDoor implements Door {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Limits limits;

    PolicyDoor(Limits limits) {
        this.limits = limits;
    }

    @Override
    public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
        boolean json = head.field("accept").orElse("").contains("application/json");
        return json
                ? Pages.show(head, responder, "application/json", () -> json(session))
                : Pages.show(head, responder, "text/plain; charset=utf-8", () -> text(session));
    }

    private String json(LiveSession session) {
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("sandbox", session.sandbox());
        page.put("session", session.id().value());
        page.put("policyDigest", session.policy().digest());
        page.put("git", session.policy().grants().stream().map(PolicyDoor::grant).toList());
        page.put("limits", limits());
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(page) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, Object> grant(RepoGrant grant) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("repo", grant.repo().toString());
        row.put("url", "http://gateway.sallyport/git/" + grant.repo() + ".git");
        row.put("access", access(grant));
        if (grant.access() == Access.WRITE) {
            PushRules push = grant.push();
            row.put("branches", branches(push));
            row.put("delete", push.delete());
            row.put("tags", push.tags());
            row.put("packBytesMax", push.packBytesMax());
        }
        return row;
    }

    private Map<String, Object> limits() {
        Map<String, Object> rows = new LinkedHashMap<>();
        rows.put("connectionsMax", limits.sharing().connectionsPerSandboxMax());
        rows.put("requestsInFlightMax", limits.sharing().requestsInFlightPerSandboxMax());
        rows.put("requestsPerSecondMax", limits.sharing().requestsPerSecondPerSandboxMax());
        rows.put("requestSecondsMax", limits.http().requestSecondsMax());
        rows.put("fetchBodyBytesMax", limits.git().fetchBodyBytesMax());
        rows.put("pushBodyBytesMax", limits.git().pushBodyBytesMax());
        rows.put("pushCommandsMax", limits.git().pushCommandsMax());
        return rows;
    }

    private String text(LiveSession session) {
        StringBuilder page = new StringBuilder();
        page.append("sandbox: ").append(session.sandbox()).append('\n');
        page.append("session: ").append(session.id()).append("\n\ngit:\n");
        List<RepoGrant> grants = session.policy().grants();
        if (grants.isEmpty()) {
            page.append("  no repository is allowed\n");
        }
        grants.forEach(grant -> appendGrant(page, grant));
        page.append("\nnetwork: nothing else can be reached\n\nlimits:\n");
        limits().forEach((name, value) -> page.append("  " + name + ": " + value + "\n"));
        return page.toString();
    }

    private static void appendGrant(StringBuilder page, RepoGrant grant) {
        page.append("  ").append(grant.repo()).append(": ").append(access(grant)).append('\n');
        if (grant.access() == Access.WRITE) {
            PushRules push = grant.push();
            page.append("    push to branches: ").append(String.join(", ", branches(push)));
            page.append("\n    delete branches: ").append(push.delete() ? "yes" : "no");
            page.append("\n    push tags: ").append(push.tags() ? "yes" : "no").append('\n');
        }
    }

    private static String access(RepoGrant grant) {
        return grant.access().name().toLowerCase(Locale.ROOT);
    }

    private static List<String> branches(PushRules push) {
        return push.branches().stream().map(RefPattern::toString).toList();
    }
}
