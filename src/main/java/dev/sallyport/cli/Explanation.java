package dev.sallyport.cli;

import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.UrlPath;
import dev.sallyport.policy.WebRequest;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What the policy says to one URL, host or repository, and by which rule. The policy itself is
/// asked, as a door would.
///
/// @param how `tunnelled`, `inspected`, `plain`, `read` or `write`; empty when denied
/// @param rule file and line, when one decided
record Explanation(
        String asked, boolean allowed, String how, Optional<String> rule, Optional<String> reason) {
    private static final Pattern URL =
            Pattern.compile(
                    "(https?)://([^/?#:@\\[\\]]+)(?::([1-9][0-9]{0,4}))?(/[^?#]*)?([?#].*)?");
    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    /// @throws MalformedNameException when it is none of these
    static Explanation of(String asked, String method, Policy policy)
            throws MalformedNameException {
        Matcher url = URL.matcher(asked);
        if (url.matches()) {
            return ofUrl(asked, url, method, policy);
        }
        if (asked.indexOf('/') >= 0) {
            return ofRepo(asked, policy);
        }
        return ofHost(asked, HostName.parse(asked), HTTPS, policy);
    }

    private static Explanation ofUrl(String asked, Matcher url, String method, Policy policy)
            throws MalformedNameException {
        boolean tls = url.group(1).equals("https");
        int port = url.group(3) == null ? (tls ? HTTPS : HTTP) : Integer.parseInt(url.group(3));
        HostName host = HostName.parse(url.group(2).toLowerCase(Locale.ROOT));
        Decision<EgressPermit> decision = policy.decide(host, port);
        if (!(decision instanceof Decision.Allow<EgressPermit>(EgressPermit permit))
                || (tls && permit.inspection().isEmpty())) {
            return ofHost(asked, host, port, policy);
        }
        UrlPath path = UrlPath.parse(url.group(4) == null ? "/" : url.group(4));
        WebRequest request = new WebRequest(method, path, Optional.empty(), Optional.empty());
        Optional<Refusal> objection = Policy.objection(permit, request);
        return new Explanation(
                asked,
                objection.isEmpty(),
                objection.isPresent() ? "" : tls ? "inspected" : "plain",
                Optional.of(permit.origin()),
                objection.map(Refusal::code));
    }

    private static Explanation ofHost(String asked, HostName host, int port, Policy policy) {
        return switch (policy.decide(host, port)) {
            case Decision.Allow<EgressPermit>(EgressPermit permit) ->
                    new Explanation(
                            asked,
                            true,
                            permit.inspection().isPresent() ? "inspected" : "tunnelled",
                            Optional.of(permit.origin()),
                            Optional.empty());
            case Decision.Deny<EgressPermit>(Refusal reason) -> denied(asked, reason);
        };
    }

    private static Explanation ofRepo(String asked, Policy policy) throws MalformedNameException {
        boolean hasHost = asked.chars().filter(c -> c == '/').count() == 2;
        RepoName repo = RepoName.parse(hasHost ? asked : "github.com/" + asked);
        for (GitService service :
                new GitService[] {GitService.RECEIVE_PACK, GitService.UPLOAD_PACK}) {
            if (policy.decide(repo, service) instanceof Decision.Allow<GitPermit> _) {
                return new Explanation(
                        asked,
                        true,
                        service == GitService.RECEIVE_PACK ? "write" : "read",
                        Optional.empty(),
                        Optional.empty());
            }
        }
        return denied(asked, Refusal.REPO_UNAVAILABLE);
    }

    private static Explanation denied(String asked, Refusal reason) {
        return new Explanation(asked, false, "", Optional.empty(), Optional.of(reason.code()));
    }

    String text() {
        StringBuilder text = new StringBuilder(allowed ? "allowed" : "denied");
        text.append(how.isEmpty() ? "" : " (" + how + ")");
        rule.ifPresent(place -> text.append(" by ").append(place));
        reason.ifPresent(code -> text.append(": ").append(code));
        return text.append('\n').toString();
    }
}
