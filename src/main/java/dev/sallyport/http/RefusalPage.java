package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// A refusal as HTTP: status, a fixed sentence, the reason code and the id that the audit resolves.
/// Git prints the text as `remote:` lines.
public record RefusalPage(int status, Map<String, String> fields, String text) {
    /// What passes within a second.
    private static final Set<Refusal> SOON =
            Set.of(Refusal.TOO_MANY_REQUESTS, Refusal.GATEWAY_BUSY, Refusal.LOGIN_RENEWED);

    static RefusalPage of(Refusal refusal, String id) {
        return of(refusal, id, OptionalLong.empty(), "", Optional.empty());
    }

    /// The page for one refusal.
    ///
    /// @param retrySeconds how long upstream asks to wait
    /// @param rule what of a rule's text is against the request; may be empty
    /// @param remedy what would allow it
    public static RefusalPage of(
            Refusal refusal,
            String id,
            OptionalLong retrySeconds,
            String rule,
            Optional<Remedy> remedy) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("content-type", "text/plain; charset=utf-8");
        fields.put("cache-control", "no-store");
        fields.put("sallyport-reason", refusal.code());
        fields.put("sallyport-id", id);
        if (SOON.contains(refusal)) {
            fields.put("retry-after", "1");
        }
        retrySeconds.ifPresent(seconds -> fields.put("retry-after", Long.toString(seconds)));
        String text =
                "Sallyport: "
                        + refusal.sentence()
                        + (rule.isEmpty() ? "" : " (" + rule + ")")
                        + "."
                        + remedy.map(known -> "\nTo allow it: " + known.forSandbox()).orElse("")
                        + "\nreason: "
                        + refusal.code()
                        + "\nid: "
                        + id
                        + "\n";
        return new RefusalPage(RefusalStatus.of(refusal), fields, text);
    }
}
