package dev.sallyport.egress;

import dev.sallyport.http.HopByHop;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Trailers;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Inspection;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.WebOrder;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// Which fields are passed on, in either direction. What is about one connection stays on it, what
/// is a credential is dropped, and what is left keeps its one meaning.
final class PassedFields {
    /// Written anew for upstream, or acted upon here.
    private static final Set<String> OURS = Set.of("host", "content-length", "expect");

    /// What a client claims about proxies before it, and who or what it is for, which some servers
    /// believe.
    private static final Set<String> CLAIMS =
            Set.of(
                    "alt-used",
                    "cf-connecting-ip",
                    "client-ip",
                    "early-data",
                    "fastly-client-ip",
                    "forwarded",
                    "remote-user",
                    "true-client-ip",
                    "via",
                    "x-client-cert",
                    "x-client-ip",
                    "x-cluster-client-ip",
                    "x-host",
                    "x-host-override",
                    "x-http-host-override",
                    "x-original-forwarded-for",
                    "x-original-host",
                    "x-originating-ip",
                    "x-real-ip",
                    "x-remote-addr",
                    "x-remote-ip",
                    "x-remote-user",
                    "x-ssl-client-cert");

    private static final String FORWARDED = "x-forwarded-";

    /// Fields that are part of a signature for AWS, or that it has to cover.
    private static final String AMAZON = "x-amz-";

    /// In a part of an answer, or in a WebSocket that is compressed, nobody would recognise the
    /// secret.
    private static final Set<String> PARTS =
            Set.of("range", "if-range", "sec-websocket-extensions");

    /// Fields of answers that are not for the sandbox: credentials, demands for one, and what would
    /// lead a client around the gateway (`alt-svc`) or tie it to what this gateway speaks
    /// (`strict-transport-security`, `public-key-pins`). `location` and `refresh` are passed on:
    /// whoever follows them asks here again.
    private static final Set<String> WITHHELD =
            Set.of(
                    "alt-svc",
                    "alternate-protocol",
                    "authentication-info",
                    "content-length",
                    "public-key-pins",
                    "set-cookie",
                    "set-cookie2",
                    "strict-transport-security",
                    "www-authenticate");

    /// Only the gateway says this.
    private static final String SALLYPORT = "sallyport-";

    private PassedFields() {}

    static Map<String, String> upstream(RequestHead head, EgressPermit permit) {
        Optional<Injection> injection = permit.inspection().flatMap(Inspection::injection);
        Map<String, String> passed = new HashMap<>(head.fields());
        passed.keySet().removeIf(PassedFields::staysHere);
        if (head.takesTrailers()) {
            passed.put("te", "trailers");
        }
        injection.ifPresent(
                i -> {
                    ClientCredentials.field(i.place()).ifPresent(passed::remove);
                    passed.keySet().removeAll(PARTS);
                    passed.keySet().removeIf(name -> i.isSigned() && name.startsWith(AMAZON));
                    // Nobody would recognise the secret in compressed bytes.
                    passed.put("accept-encoding", "identity");
                    passed.replace("grpc-accept-encoding", "identity");
                    passed.replace("connect-accept-encoding", "identity");
                });
        return passed;
    }

    /// What comes after a body says nothing that the head was judged by: a server that joins both
    /// would take it for the head's.
    static Map<String, String> trailers(Map<String, String> fields, WebOrder order) {
        Optional<Injection> injection = order.permit().inspection().flatMap(Inspection::injection);
        if (injection.filter(Injection::isSigned).isPresent()) {
            // No signature covers them.
            return Map.of();
        }
        Map<String, String> passed = new HashMap<>(fields);
        passed.keySet().removeIf(name -> staysHere(name) || WebJudge.isOverride(name));
        passed.keySet().removeAll(order.fields().keySet());
        injection
                .flatMap(i -> ClientCredentials.field(i.place()))
                .map(name -> name.toLowerCase(Locale.ROOT))
                .ifPresent(passed::remove);
        return passed;
    }

    private static boolean staysHere(String name) {
        return HopByHop.has(name)
                || OURS.contains(name)
                || CLAIMS.contains(name)
                || ClientCredentials.isOne(name)
                || name.startsWith(FORWARDED)
                || name.startsWith(SALLYPORT);
    }

    /// Fields that come more than once are joined (RFC 9110, section 5.3). One that cannot be
    /// written in printable ASCII is left out.
    static Map<String, String> downstream(AnswerHead head) {
        return joined(head.fields(), PassedFields::isPassed);
    }

    /// The same for fields after a body. What belongs into a head was for the gateway to see there.
    static Map<String, String> after(List<AnswerHead.Field> fields) {
        return joined(fields, name -> isPassed(name) && !Trailers.isOfHeads(name));
    }

    private static Map<String, String> joined(
            List<AnswerHead.Field> fields, Predicate<String> isPassed) {
        Map<String, String> passed = new LinkedHashMap<>();
        for (AnswerHead.Field field : fields) {
            String value = field.value().replace('\t', ' ');
            if (isPassed.test(field.name()) && value.chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
                passed.merge(field.name(), value, (one, more) -> one + ", " + more);
            }
        }
        return passed;
    }

    private static boolean isPassed(String name) {
        return !HopByHop.has(name)
                && !WITHHELD.contains(name)
                && !name.startsWith(SALLYPORT)
                && name.chars().allMatch(c -> c == '-' || Character.isLetterOrDigit(c));
    }
}
