package dev.sallyport.cli;

import dev.sallyport.config.GitHost;
import dev.sallyport.config.GitRule;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.forge.RestAsked;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import dev.sallyport.policy.TcpTarget;
import dev.sallyport.policy.UrlPath;
import dev.sallyport.policy.WebRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What the policy says to one URL, host or repository, and by which rule. The policy itself is
/// asked, as a door would; what a door sees besides, such as fields, query and body, it may still
/// refuse. A path in a spelling that no door takes is a denial.
///
/// @param how `tunnelled`, `any protocol`, `inspected`, `plain`, `read`, `write` or an operation of
///   an API; empty when denied
/// @param rule file and line, when one decided
/// @param needs the option without which no sandbox gets it
/// @param asks when a person has to say yes first
record Explanation(
        String asked,
        boolean allowed,
        String how,
        Optional<String> rule,
        Optional<String> needs,
        Optional<String> reason,
        Optional<String> asks) {
    private static final Pattern URL =
            Pattern.compile(
                    "(https?)://([^/?#:@\\[\\]]+)(?::([1-9][0-9]{0,4}))?(/[^?#]*)?([?#].*)?");
    private static final SessionId NOBODY = new SessionId("0".repeat(16));
    private static final int HTTP = 80;
    private static final int HTTPS = 443;

    private static Explanation allowed(String asked, String how, Optional<String> rule) {
        return new Explanation(
                asked, true, how, rule, Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static Explanation denied(String asked, Optional<String> rule, String reason) {
        return new Explanation(
                asked, false, "", rule, Optional.empty(), Optional.of(reason), Optional.empty());
    }

    private static Explanation denied(String asked, Refusal reason) {
        return denied(asked, Optional.empty(), reason.code());
    }

    private Explanation needing(RepoName repo) {
        return new Explanation(
                asked, allowed, how, rule, Optional.of("--repo " + pattern(repo)), reason, asks);
    }

    private Explanation asking(Optional<String> when) {
        return new Explanation(asked, allowed, how, rule, needs, reason, when);
    }

    private static Optional<String> asks(PushRules push) {
        return push.ask().isNone() ? Optional.empty() : Optional.of("a push: " + push.ask());
    }

    private static Optional<String> asks(ApiRules rules, RestAsked api) {
        return api.operation().filter(rules::asks).map(_ -> "every such request");
    }

    private static Optional<String> asks(EgressPermit permit) {
        return permit.asks()
                ? Optional.of(
                        permit.inspection().isPresent() ? "every request" : "every connection")
                : Optional.empty();
    }

    /// What sandboxes can have under a policy file. No entry under `git:` grants anything by
    /// itself, and a repository without one can be granted under the standard rules.
    ///
    /// @throws MalformedNameException when it is none of these
    static Explanation of(String asked, String method, PolicyFile file)
            throws MalformedNameException {
        Map<HostName, Forge> apis = new LinkedHashMap<>();
        file.hosts().forEach(h -> h.kind().forge().ifPresent(forge -> apis.put(h.name(), forge)));
        Optional<RestAsked> api = api(asked, method, apis);
        if (api.isPresent()) {
            return ofApi(asked, api.get(), file);
        }
        if (!isRepo(asked)) {
            return of(asked, method, new Policy(NOBODY, List.of(), file.egress()));
        }
        RepoName repo = repo(asked);
        if (file.host(repo.host()).isEmpty()) {
            return denied(asked, Refusal.REPO_UNAVAILABLE);
        }
        Optional<GitRule> rule = file.rule(pattern(repo));
        Access access = rule.map(found -> found.grant().access()).orElse(Access.WRITE);
        return allowed(asked, access.label(), place(rule))
                .needing(repo)
                .asking(rule.flatMap(found -> asks(found.grant().push())));
    }

    private static RepoPattern pattern(RepoName repo) {
        return new RepoPattern(repo.host(), repo.owner(), Optional.of(repo.name()));
    }

    private static Optional<String> place(Optional<GitRule> rule) {
        return Optional.of(rule.map(GitRule::place).orElse(Remedy.STANDARD_RULES));
    }

    /// What a URL asks of the API of one of these git hosts.
    private static Optional<RestAsked> api(
            String asked, String method, Map<HostName, Forge> hosts) {
        Matcher url = URL.matcher(asked);
        if (!url.matches() || !url.group(1).equals("https") || url.group(4) == null) {
            return Optional.empty();
        }
        String name = url.group(2).toLowerCase(Locale.ROOT);
        return hosts.entrySet().stream()
                .filter(h -> ApiHost.of(h.getValue(), h.getKey()).name().value().equals(name))
                .flatMap(h -> RestAsked.of(h.getValue(), h.getKey(), method, url.group(4)).stream())
                .findFirst();
    }

    private static Explanation ofApi(String asked, RestAsked api, PolicyFile file) {
        Optional<GitRule> rule = file.rule(pattern(api.repo()));
        ApiRules rules =
                rule.map(found -> found.grant().api()).orElse(ApiRules.standard(Access.WRITE));
        Optional<ApiOperation> operation = api.operation().filter(rules::allows);
        return operation.isEmpty()
                ? denied(asked, place(rule), reason(api, Refusal.OPERATION_NOT_ALLOWED))
                : allowed(asked, operation.get().label(), place(rule))
                        .needing(api.repo())
                        .asking(asks(rules, api));
    }

    /// Says of which operation a denial is, or that no rule can allow it.
    private static String reason(RestAsked api, Refusal refusal) {
        String operation = api.operation().map(ApiOperation::label).orElse("never allowed");
        return refusal.code() + " (" + operation + ")";
    }

    private static Explanation ofApi(String asked, RestAsked api, Policy policy) {
        ApiOperation operation = api.operation().orElse(ApiOperation.REPOSITORY_READ);
        return switch (policy.decide(api.repo(), operation)) {
            case Decision.Allow<ApiPermit>(ApiPermit permit) when api.operation().isPresent() ->
                    allowed(asked, operation.label(), Optional.empty())
                            .asking(asks(permit.rules(), api));
            case Decision.Allow<ApiPermit> _ ->
                    denied(asked, Optional.empty(), reason(api, Refusal.OPERATION_NOT_ALLOWED));
            case Decision.Deny<ApiPermit>(Refusal reason) ->
                    denied(asked, Optional.empty(), reason(api, reason));
        };
    }

    /// What one sandbox may do.
    ///
    /// @throws MalformedNameException when it is none of these
    static Explanation of(String asked, String method, Policy policy)
            throws MalformedNameException {
        Map<HostName, Forge> apis = new LinkedHashMap<>();
        policy.gitHosts().forEach(host -> apis.put(host, policy.forge(host)));
        Optional<RestAsked> api = api(asked, method, apis);
        if (api.isPresent()) {
            return ofApi(asked, api.get(), policy);
        }
        Matcher url = URL.matcher(asked);
        if (url.matches()) {
            return ofUrl(asked, url, method, policy);
        }
        if (isRepo(asked)) {
            return ofRepo(asked, policy);
        }
        if (asked.indexOf(':') >= 0) {
            TcpTarget target = TcpTarget.parse(asked);
            return ofHost(asked, target.host(), target.port(), policy);
        }
        return ofHost(asked, HostName.parse(asked), HTTPS, policy);
    }

    private static boolean isRepo(String asked) {
        return !URL.matcher(asked).matches() && asked.indexOf('/') >= 0;
    }

    private static RepoName repo(String asked) throws MalformedNameException {
        return RepoName.parse(GitHost.named(asked));
    }

    private static Explanation ofUrl(String asked, Matcher url, String method, Policy policy)
            throws MalformedNameException {
        boolean tls = url.group(1).equals("https");
        int port = url.group(3) == null ? (tls ? HTTPS : HTTP) : Integer.parseInt(url.group(3));
        HostName host = HostName.parse(url.group(2).toLowerCase(Locale.ROOT));
        Decision<EgressPermit> decision =
                policy.isPage(host, port, url.group(4) == null ? "/" : url.group(4))
                        ? policy.decideRequest(host, port)
                        : policy.decide(host, port);
        if (!(decision instanceof Decision.Allow<EgressPermit>(EgressPermit permit))
                || (tls && permit.inspection().isEmpty())) {
            return ofHost(asked, host, port, policy);
        }
        UrlPath path;
        try {
            path = UrlPath.parse(url.group(4) == null ? "/" : url.group(4));
        } catch (MalformedNameException _) {
            return denied(asked, Refusal.URL_NOT_ALLOWED);
        }
        WebRequest request = new WebRequest(method, path, Optional.empty(), Optional.empty());
        Optional<Refusal> objection = Policy.objection(permit, request);
        Optional<String> rule = Optional.of(permit.origin());
        return objection.isPresent()
                ? denied(asked, rule, objection.get().code())
                : allowed(asked, tls ? "inspected" : "plain", rule).asking(asks(permit));
    }

    private static Explanation ofHost(String asked, HostName host, int port, Policy policy) {
        return switch (policy.decide(host, port)) {
            case Decision.Allow<EgressPermit>(EgressPermit permit) ->
                    allowed(
                                    asked,
                                    permit.isTcp()
                                            ? "any protocol"
                                            : permit.inspection().isPresent()
                                                    ? "inspected"
                                                    : "tunnelled",
                                    Optional.of(permit.origin()))
                            .asking(asks(permit));
            case Decision.Deny<EgressPermit>(Refusal reason) -> denied(asked, reason);
        };
    }

    private static Explanation ofRepo(String asked, Policy policy) throws MalformedNameException {
        RepoName repo = repo(asked);
        for (GitService service :
                new GitService[] {GitService.RECEIVE_PACK, GitService.UPLOAD_PACK}) {
            if (policy.decide(repo, service)
                    instanceof Decision.Allow<GitPermit>(GitPermit permit)) {
                return allowed(
                                asked,
                                service == GitService.RECEIVE_PACK ? "write" : "read",
                                Optional.empty())
                        .asking(asks(permit.push()));
            }
        }
        return denied(asked, Refusal.REPO_UNAVAILABLE);
    }

    String text() {
        StringBuilder text = new StringBuilder(allowed ? "allowed" : "denied");
        text.append(how.isEmpty() ? "" : " (" + how + ")");
        rule.ifPresent(place -> text.append(" by ").append(place));
        needs.ifPresent(option -> text.append(", to a sandbox made with ").append(option));
        reason.ifPresent(code -> text.append(": ").append(words(code)));
        asks.ifPresent(when -> text.append("; a person is asked first (").append(when).append(')'));
        return text.append('\n').toString();
    }

    private String words(String code) {
        return code.equals(Refusal.NAME_NOT_ALLOWED.code())
                ? "no rule allows " + asked + " (" + code + ")"
                : code;
    }
}
