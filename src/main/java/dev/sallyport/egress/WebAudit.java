package dev.sallyport.egress;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestHead;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Ask;
import dev.sallyport.upstream.Failure;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// What the requests of one session leave in the record. One that is allowed waits for its line;
/// refusals do not, and share the limit of [RefusalLog].
public final class WebAudit {
    private static final String REQUEST = "egress.request";

    private final Recorder recorder;
    private final RefusalLog refusals;

    public WebAudit(Recorder recorder, RefusalLog refusals) {
        this.recorder = recorder;
        this.refusals = refusals;
    }

    /// The effect waits for this future.
    CompletableFuture<Void> allowed(Ask ask, Judgement.Allowed judged) {
        Map<String, String> detail = detail(ask, judged.permit());
        detail.put("path", LoggedPath.of(judged.path().toString()));
        detail.put("rule", judged.permit().origin());
        if (!judged.approval().isEmpty()) {
            detail.put("approval", judged.approval());
        }
        String decision = judged.learned() ? "learned" : "allow";
        AuditEvent event = ask.event(REQUEST, decision, detail);
        return reads(ask.head()) && judged.approval().isEmpty()
                ? recorder.recordRead(event)
                : recorder.record(event);
    }

    /// A request that brings nothing and, by its method, changes nothing (RFC 9110, section 9.2.1).
    /// One that opens a WebSocket is none.
    private static boolean reads(RequestHead head) {
        return (head.method().equals("GET") || head.method().equals("HEAD"))
                && head.framing() instanceof BodyFraming.None
                && Upgrade.of(head) != Upgrade.WEBSOCKET;
    }

    /// @param place host and port that were asked for
    void denied(Ask ask, EgressPermit place, Judgement.Denied judged) {
        Map<String, String> detail = detail(ask, place);
        detail.put("path", LoggedPath.of(ask.head().path()));
        judged.permit().ifPresent(permit -> detail.put("rule", permit.origin()));
        judged.rule().ifPresent(rule -> detail.put("denied", rule));
        refusals.refused(REQUEST, judged.reason(), detail);
    }

    private static Map<String, String> detail(Ask ask, EgressPermit place) {
        Map<String, String> detail = new TreeMap<>();
        detail.put("id", ask.id());
        detail.put("host", place.host().value());
        detail.put("port", Integer.toString(place.port()));
        detail.put("method", ask.head().method());
        return detail;
    }

    /// A WebSocket that was let through is ended by us, against the sandbox's wish.
    void cut(Ask ask, EgressPermit permit, Refusal reason) {
        Map<String, String> detail = detail(ask, permit);
        detail.put("reason", reason.code());
        var _ = recorder.record(ask.event("egress.cut", "deny", detail));
    }

    /// A WebSocket that was let through is over.
    void ended(Ask ask, EgressPermit permit, String why, EgressUse use, long seconds) {
        Map<String, String> detail = detail(ask, permit);
        detail.put("why", why);
        detail.put("bytes-up", Long.toString(use.bytesUp()));
        detail.put("bytes-down", Long.toString(use.bytesDown()));
        detail.put("seconds", Long.toString(seconds));
        var _ = recorder.record(ask.event("egress.end", "", detail));
    }

    /// What went wrong after the request was allowed, so that the id in a refusal leads somewhere.
    /// Nothing waits for it: the refusal happens either way.
    void failed(Ask ask, Refusal reason) {
        var _ = recorder.record(ask.failure("egress.failed", Failure.of(reason), ""));
    }

    /// A path as it is written down: without its query, and without long segments that look random,
    /// because hosts put credentials into paths, too (E19).
    static final class LoggedPath {
        private static final int LENGTH_MAX = 200;
        private static final int SEGMENT_CHARACTERS_MIN = 20;

        /// Bits per character; English words have less, random hex has up to 4, Base64 up to 6.
        private static final double ENTROPY_MIN = 3.2;

        /// `helper-module-imports-7.22.15.tgz`: words, numbers and bits of versions as `1beta2`,
        /// with a version among them, then the kind of package. A person wants to know which one it
        /// was. Tokens, keys in groups, numbers of cards and passphrases have another form.
        /// Whatever matches of the three ends at the same separator, so nothing is tried twice.
        private static final Pattern PACKAGE_FILE =
                Pattern.compile(
                        "(?=.*[0-9]\\.[0-9])[A-Z]?[a-z]{2,}[0-9]{0,4}[._+-]"
                                + "(?>[A-Z]?[a-z]+[0-9]{0,4}[._+-]|[0-9]{1,8}[._+-]"
                                + "|[0-9]{1,3}[a-z]{1,5}[0-9]{0,3}[._+-])*"
                                + "(?:tgz|crate|whl|jar|pom|aar|module|zip|gz|bz2|xz|zst|deb|rpm|apk"
                                + "|gem|nupkg|asc|md5|sha1|sha256|sha512)");

        private LoggedPath() {}

        /// @param path printable ASCII
        static String of(String path) {
            String clean =
                    Arrays.stream(path.split("/", -1))
                            .map(segment -> isRandom(segment) ? "[redacted]" : segment)
                            .collect(Collectors.joining("/"));
            return clean.length() <= LENGTH_MAX ? clean : clean.substring(0, LENGTH_MAX - 1) + "…";
        }

        private static boolean isRandom(String segment) {
            return segment.length() >= SEGMENT_CHARACTERS_MIN
                    && segment.chars().anyMatch(c -> c >= '0' && c <= '9')
                    && entropy(segment) >= ENTROPY_MIN
                    && !isPackageFile(segment);
        }

        private static boolean isPackageFile(String segment) {
            return segment.length() <= LENGTH_MAX && PACKAGE_FILE.matcher(segment).matches();
        }

        private static double entropy(String text) {
            int[] counts = new int[128];
            text.chars().forEach(c -> counts[c & 0x7f]++);
            double bits = 0;
            for (int count : counts) {
                if (count > 0) {
                    double share = (double) count / text.length();
                    bits -= share * Math.log(share) / Math.log(2);
                }
            }
            return bits;
        }
    }
}
