package dev.sallyport.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.Limits;
import dev.sallyport.http.Door;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.session.LiveSession;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

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
                : Pages.show(head, responder, Pages.TEXT, () -> text(session));
    }

    private String json(LiveSession session) {
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("sandbox", session.sandbox());
        page.put("session", session.id().value());
        page.put("policyDigest", session.policy().digest());
        page.put("git", grants(session).map(GrantPage::json).toList());
        page.put("gitHooks", session.git().hooks());
        page.put("gitLocalClones", session.git().localClones());
        page.put("egress", rules(session).map(EgressPage::json).toList());
        page.put("learning", session.policy().egress().learn());
        page.put("limits", limits());
        page.put("notices", session.notices());
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(page) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private Map<String, Object> limits() {
        Map<String, Object> rows = new LinkedHashMap<>();
        rows.put("connectionsMax", limits.sharing().connectionsPerSandboxMax());
        rows.put("requestsInFlightMax", limits.sharing().requestsInFlightPerSandboxMax());
        rows.put("requestsPerSecondMax", limits.sharing().requestsPerSecondPerSandboxMax());
        rows.put("requestSecondsMax", limits.http().requestSecondsMax());
        rows.put("egressBytesUpMax", limits.egress().bytesUpPerSandboxMax());
        rows.put("egressBytesDownMax", limits.egress().bytesDownPerSandboxMax());
        rows.put("egressBytesUpPerHostMax", limits.egress().bytesUpPerHostMax());
        rows.put("egressBytesDownPerHostMax", limits.egress().bytesDownPerHostMax());
        rows.put("egressRequestsMax", limits.egress().requestsPerSandboxMax());
        rows.put("egressConnectionsPerHostMax", limits.egress().connectionsPerHostMax());
        rows.put("fetchBodyBytesMax", limits.git().fetchBodyBytesMax());
        rows.put("pushBodyBytesMax", limits.git().pushBodyBytesMax());
        rows.put("pushCommandsMax", limits.git().pushCommandsMax());
        return rows;
    }

    private String text(LiveSession session) {
        StringBuilder page = new StringBuilder();
        page.append("sandbox: ").append(session.sandbox()).append('\n');
        page.append("session: ").append(session.id()).append('\n');
        session.notices().forEach(notice -> page.append("notice: ").append(notice).append('\n'));
        page.append("\ngit:\n");
        List<GrantPage> grants = grants(session).toList();
        if (grants.isEmpty()) {
            page.append("  no repository is allowed\n");
        } else if (grants.size() > 1) {
            page.append("  the first entry that covers a repository decides\n");
        }
        grants.forEach(grant -> page.append(grant.text()));
        page.append(inside(session.git()));
        page.append("\nnetwork:\n").append(network(session)).append("\nlimits:\n");
        limits().forEach((name, value) -> page.append("  " + name + ": " + value + "\n"));
        return page.toString();
    }

    /// Where git inside differs from what people are used to.
    private static String inside(GitSettings git) {
        return "  hooks of the repository: "
                + (git.hooks()
                        ? "run"
                        : "do not run; to run or install them, start the sandbox with --git-hooks")
                + "\n  git clone from a local path: "
                + (git.localClones()
                        ? "works"
                        : "denied; copy the files, or ask for git-local-clones")
                + "\n";
    }

    private static String network(LiveSession session) {
        StringBuilder text = new StringBuilder();
        if (session.policy().egress().rules().size() > 1) {
            text.append("  the first entry that covers a host and port decides\n");
        }
        rules(session).forEach(rule -> text.append(rule.text()));
        boolean learning = session.policy().egress().learn();
        return text.append(
                        learning
                                ? "  everything else passes and is recorded\n"
                                : "  nothing else can be reached; why something was denied: http://gateway.sallyport/why\n")
                .toString();
    }

    private static Stream<EgressPage> rules(LiveSession session) {
        return session.policy().egress().rules().stream().map(EgressPage::of);
    }

    private Stream<GrantPage> grants(LiveSession session) {
        return session.policy().grants().stream().map(grant -> new GrantPage(grant, limits.git()));
    }
}
