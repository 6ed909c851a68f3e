package dev.sallyport.egress;

import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.RequestHead;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.UrlPath;
import dev.sallyport.policy.WebRequest;
import dev.sallyport.session.LiveSession;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Decides about one request by its head alone. What only its body can tell is left to those who
/// read it.
///
/// @param place what the connection goes to
/// @param tls whether it is encrypted
record WebJudge(EgressPermit place, boolean tls) {
    /// What a sandbox could have a server act upon instead of the method and path that were judged.
    private static final Set<String> METHOD_OVERRIDES =
            Set.of("x-http-method", "x-http-method-override", "x-method-override");

    private static final Set<String> URL_OVERRIDES =
            Set.of(
                    "x-original-uri",
                    "x-original-url",
                    "x-override-url",
                    "x-rewrite-uri",
                    "x-rewrite-url");

    /// In a session that learns, these of a rule's objections are set aside, unless the rule
    /// protects a secret, and no other: not those to content, form, credentials or git.
    private static final Set<Refusal> LEARNABLE =
            Set.of(Refusal.METHOD_NOT_ALLOWED, Refusal.URL_NOT_ALLOWED);

    /// Asks the policy again, so that changed rights hold for a connection that is already there.
    Judgement judge(LiveSession session, RequestHead head) {
        return switch (session.policy().decideRequest(place.host(), place.port())) {
            case Decision.Deny(Refusal reason) -> new Judgement.Denied(reason, Optional.empty());
            case Decision.Allow(EgressPermit permit) -> judge(session, permit, head);
        };
    }

    private Judgement judge(LiveSession session, EgressPermit permit, RequestHead head) {
        UrlPath path;
        try {
            path = UrlPath.parse(head.path());
        } catch (MalformedNameException _) {
            Refusal reason = isForHost(head) ? Refusal.URL_NOT_ALLOWED : Refusal.NAMES_DISAGREE;
            return new Judgement.Denied(reason, Optional.of(permit));
        }
        WebQuery query = WebQuery.of(head.query());
        WebRequest request =
                new WebRequest(head.method(), path, head.field("content-type"), bytes(head));
        List<Refusal> byRule = new ArrayList<>(Policy.objections(permit, request));
        boolean learned = learns(session.policy(), permit) && byRule.removeIf(LEARNABLE::contains);
        Optional<Refusal> objection =
                when(!isForHost(head), Refusal.NAMES_DISAGREE)
                        .or(() -> Policy.standingObjection(request))
                        .or(() -> byRule.stream().findFirst())
                        .or(() -> ofForm(permit, head, query))
                        .or(() -> ofInjection(session, permit, head, query));
        return objection.isPresent()
                ? new Judgement.Denied(objection.get(), Optional.of(permit))
                : new Judgement.Allowed(
                        permit, path, withoutOurs(permit, query), learned || permit.learned());
    }

    private static Optional<Refusal> when(boolean holds, Refusal reason) {
        return holds ? Optional.of(reason) : Optional.empty();
    }

    /// E3: whatever name the request repeats, it is the one that was connected to. A port that is
    /// not said is the connection's.
    private boolean isForHost(RequestHead head) {
        return isPlace(head.host()) && head.authority().stream().allMatch(this::isPlace);
    }

    private boolean isPlace(String authority) {
        String host = place.host().value();
        return authority.equals(host) || authority.equals(host + ":" + place.port());
    }

    private static Optional<Long> bytes(RequestHead head) {
        return switch (head.framing()) {
            case BodyFraming.None _ -> Optional.of(0L);
            case BodyFraming.Sized(long bytes) -> Optional.of(bytes);
            case BodyFraming.Chunked _ -> Optional.empty();
        };
    }

    private static boolean learns(Policy policy, EgressPermit permit) {
        return policy.egress().learn()
                && permit.inspection().flatMap(Inspection::injection).isEmpty();
    }

    private static Optional<Refusal> ofForm(EgressPermit permit, RequestHead head, WebQuery query) {
        return when(DnsOverHttps.isIn(head, query), Refusal.CONTENT_NOT_ALLOWED)
                .or(() -> ofOverrides(permit, head))
                .or(() -> ofParameters(permit, query))
                .or(() -> Upgrade.of(head).objection(permit))
                .or(() -> JsonGate.objection(permit, head));
    }

    static boolean isOverride(String field) {
        return METHOD_OVERRIDES.contains(field) || URL_OVERRIDES.contains(field);
    }

    private static Optional<Refusal> ofOverrides(EgressPermit permit, RequestHead head) {
        Set<String> fields = head.fields().keySet();
        Optional<Inspection> rule = permit.inspection();
        boolean method =
                (permit.asks() || rule.flatMap(Inspection::methods).isPresent())
                        && !Collections.disjoint(fields, METHOD_OVERRIDES);
        boolean url =
                (permit.asks() || rule.flatMap(Inspection::paths).isPresent())
                        && !Collections.disjoint(fields, URL_OVERRIDES);
        return when(method, Refusal.METHOD_NOT_ALLOWED)
                .or(() -> when(url, Refusal.URL_NOT_ALLOWED));
    }

    private static Optional<Refusal> ofParameters(EgressPermit permit, WebQuery query) {
        WebQuery theirs = withoutOurs(permit, query);
        boolean refused =
                permit.inspection().filter(i -> ClientCredentials.areIn(theirs, i)).isPresent();
        return when(refused, Refusal.CREDENTIAL_NOT_ALLOWED);
    }

    /// A secret never goes out in the clear, and never when it cannot be found by its name and
    /// host.
    private Optional<Refusal> ofInjection(
            LiveSession session, EgressPermit permit, RequestHead head, WebQuery query) {
        Optional<Injection> injection = permit.inspection().flatMap(Inspection::injection);
        if (injection.isEmpty()) {
            return Optional.empty();
        }
        boolean agreed = ClientCredentials.areAsAgreed(head, query, injection.get());
        boolean signable = !injection.get().isSigned() || query.isSignable();
        return when(!tls || !signable, Refusal.URL_NOT_ALLOWED)
                .or(() -> when(!agreed, Refusal.CREDENTIAL_NOT_ALLOWED))
                .or(() -> when(!session.credentials().canInject(permit), Refusal.INTERNAL));
    }

    private static WebQuery withoutOurs(EgressPermit permit, WebQuery query) {
        return permit.inspection()
                .flatMap(Inspection::injection)
                .flatMap(ClientCredentials::parameter)
                .map(query::without)
                .orElse(query);
    }
}
