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
record RefusalPage(int status, Map<String, String> fields, String text) {
    /// What passes within a second.
    private static final Set<Refusal> SOON =
            Set.of(Refusal.TOO_MANY_REQUESTS, Refusal.GATEWAY_BUSY, Refusal.LOGIN_RENEWED);

    static RefusalPage of(Refusal refusal, String id) {
        return of(refusal, id, OptionalLong.empty(), "", Optional.empty());
    }

    /// @param retrySeconds how long upstream asks to wait
    /// @param rule what of a rule's text is against the request; may be empty
    /// @param remedy what would allow it
    static RefusalPage of(
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
        return new RefusalPage(status(refusal), fields, text);
    }

    private static int status(Refusal refusal) {
        return switch (refusal) {
            case REPO_UNAVAILABLE,
                    OPERATION_NOT_ALLOWED,
                    REF_NOT_ALLOWED,
                    REF_NAME_NOT_ALLOWED,
                    TOO_MANY_REFS,
                    DELETE_NOT_ALLOWED,
                    TAG_NOT_ALLOWED,
                    STALE_REF,
                    FORCE_NOT_ALLOWED,
                    NOT_A_COMMIT,
                    PATH_NOT_ALLOWED,
                    FILE_TOO_LARGE,
                    TOO_MANY_COMMITS,
                    SECRET_FOUND,
                    AUTHOR_NOT_ALLOWED,
                    HIDDEN_OBJECTS,
                    MISSING_OBJECTS,
                    PACK_LIMIT,
                    JUDGEMENT_TIMEOUT,
                    RIGHTS_CHANGED,
                    SESSION_ENDED,
                    NAME_NOT_ALLOWED,
                    PORT_NOT_ALLOWED,
                    NAMES_DISAGREE,
                    BAD_HELLO,
                    URL_NOT_ALLOWED,
                    CONTENT_NOT_ALLOWED,
                    CREDENTIAL_NOT_ALLOWED,
                    BUDGET_SPENT,
                    CREDENTIAL_REFUSED,
                    CREDENTIAL_MISSING,
                    LOGIN_EXPIRED,
                    UPSTREAM_FORBIDDEN ->
                    403;
            case NO_SUCH_ENDPOINT, REPO_NOT_FOUND -> 404;
            case METHOD_NOT_ALLOWED -> 405;
            case BAD_REQUEST, MALFORMED_BODY, MALFORMED_PUSH, MALFORMED_PACK -> 400;
            case REQUEST_TIMEOUT -> 408;
            case BODY_TOO_LARGE, UPSTREAM_TOO_LARGE -> 413;
            case TOO_MANY_REQUESTS, UPSTREAM_BUSY -> 429;
            // What makes clients, Codex among them, go on at once without a WebSocket.
            case UPGRADE_NOT_ALLOWED -> 426;
            case HEAD_TOO_LARGE -> 431;
            case INTERNAL -> 500;
            case LFS_NOT_SUPPORTED, SHA256_NOT_SUPPORTED -> 501;
            case UPSTREAM_UNREACHABLE, UPSTREAM_MISBEHAVED, UPSTREAM_FAILED, ADDRESS_NOT_ALLOWED ->
                    502;
            case LOGIN_NOT_RENEWED,
                    LOGIN_RENEWED,
                    NOT_RECORDED,
                    DISK_FULL,
                    MIRROR_UNAVAILABLE,
                    GATEWAY_BUSY ->
                    503;
            case UPSTREAM_TIMEOUT -> 504;
        };
    }
}
