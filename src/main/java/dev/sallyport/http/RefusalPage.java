package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/// A refusal as HTTP: status, a fixed sentence, the reason code and the id that the audit resolves.
/// Git prints the text as `remote:` lines.
record RefusalPage(int status, Map<String, String> fields, String text) {
    private static final String WHAT_IS = "; http://gateway.sallyport/policy lists what is.";
    private static final String THOSE_THAT_MAY =
            "; http://gateway.sallyport/policy lists those that may.";
    private static final String TELL = "; tell the person who runs this sandbox.";
    private static final String LATER = "; try again later.";
    private static final String WAIT = "; wait a second and try again.";
    private static final String FEWER = "; push fewer commits at once.";
    private static final String LFS_NOT_SUPPORTED =
            "Git LFS is not supported; set GIT_LFS_SKIP_SMUDGE=1 to work without large files.";
    private static final String SHA256_NOT_SUPPORTED =
            "this repository names its objects by SHA-256, which is not supported yet; only SHA-1 repositories can be pushed to.";
    private static final String SECRET_FOUND =
            "a commit adds something that looks like a credential; remove it from the history.";
    private static final String MISSING_OBJECTS =
            "the push leaves out objects that upstream does not have; fetch first, then push again.";
    private static final String NAME_NOT_ALLOWED =
            "this host may not be reached from this sandbox; git goes through http://gateway.sallyport/git/<host>/<owner>/<repo>.git, and http://gateway.sallyport/policy lists the hosts that may be.";
    private static final String CONTENT_NOT_ALLOWED =
            "the body of the request is of a kind, or has something in it, that may not be sent.";
    private static final String CREDENTIAL_NOT_ALLOWED =
            "a sandbox sends no credential of its own, nor a parameter that may be one; where the gateway adds one, send the placeholder that the policy names, if it names one.";
    private static final String FORCE_NOT_ALLOWED =
            "commits of a branch may not be dropped; push on top of what is there.";
    private static final String TOO_MANY_COMMITS =
            "the push has more commits than the limit; push fewer at once.";

    static RefusalPage of(Refusal refusal, String id) {
        return of(refusal, id, OptionalLong.empty());
    }

    /// @param retrySeconds how long upstream asks to wait
    static RefusalPage of(Refusal refusal, String id, OptionalLong retrySeconds) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("content-type", "text/plain; charset=utf-8");
        fields.put("cache-control", "no-store");
        fields.put("sallyport-reason", refusal.code());
        fields.put("sallyport-id", id);
        if (refusal == Refusal.TOO_MANY_REQUESTS || refusal == Refusal.GATEWAY_BUSY) {
            fields.put("retry-after", "1");
        }
        retrySeconds.ifPresent(seconds -> fields.put("retry-after", Long.toString(seconds)));
        String text =
                "Sallyport: "
                        + sentence(refusal)
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
                    SESSION_ENDED,
                    NAME_NOT_ALLOWED,
                    PORT_NOT_ALLOWED,
                    NAMES_DISAGREE,
                    BAD_HELLO,
                    URL_NOT_ALLOWED,
                    CONTENT_NOT_ALLOWED,
                    CREDENTIAL_NOT_ALLOWED,
                    UPGRADE_NOT_ALLOWED,
                    BUDGET_SPENT,
                    CREDENTIAL_REFUSED,
                    CREDENTIAL_MISSING,
                    UPSTREAM_FORBIDDEN ->
                    403;
            case NO_SUCH_ENDPOINT, REPO_NOT_FOUND -> 404;
            case METHOD_NOT_ALLOWED -> 405;
            case BAD_REQUEST, MALFORMED_BODY, MALFORMED_PUSH, MALFORMED_PACK -> 400;
            case REQUEST_TIMEOUT -> 408;
            case BODY_TOO_LARGE, UPSTREAM_TOO_LARGE -> 413;
            case TOO_MANY_REQUESTS, UPSTREAM_BUSY -> 429;
            case HEAD_TOO_LARGE -> 431;
            case INTERNAL -> 500;
            case LFS_NOT_SUPPORTED, SHA256_NOT_SUPPORTED -> 501;
            case UPSTREAM_UNREACHABLE, UPSTREAM_MISBEHAVED, UPSTREAM_FAILED, ADDRESS_NOT_ALLOWED ->
                    502;
            case NOT_RECORDED, MIRROR_UNAVAILABLE, GATEWAY_BUSY -> 503;
            case UPSTREAM_TIMEOUT -> 504;
        };
    }

    private static String sentence(Refusal refusal) {
        return switch (refusal) {
            case REPO_UNAVAILABLE -> "this repository is not available to this sandbox" + WHAT_IS;
            case NO_SUCH_ENDPOINT -> "nothing is served at this path" + WHAT_IS;
            case METHOD_NOT_ALLOWED -> "this path does not take this method.";
            case BAD_REQUEST -> "this request is not one that is served here.";
            case MALFORMED_BODY -> "the body of this request is not well-formed.";
            case BODY_TOO_LARGE -> "the body is larger than the limit; send less at once.";
            case HEAD_TOO_LARGE -> "the head of the request is larger than the limit.";
            case TOO_MANY_REQUESTS -> "this sandbox sends too many requests at once" + WAIT;
            case REQUEST_TIMEOUT -> "the request took too long to arrive.";
            case LFS_NOT_SUPPORTED -> LFS_NOT_SUPPORTED;
            case SHA256_NOT_SUPPORTED -> SHA256_NOT_SUPPORTED;
            case REF_NOT_ALLOWED -> "this branch may not be pushed" + THOSE_THAT_MAY;
            case REF_NAME_NOT_ALLOWED -> Sentences.REF_NAME_NOT_ALLOWED;
            case TOO_MANY_REFS -> Sentences.TOO_MANY_REFS;
            case DELETE_NOT_ALLOWED -> "branches may not be deleted.";
            case TAG_NOT_ALLOWED -> "tags may not be pushed.";
            case STALE_REF -> "the remote ref has moved; fetch first, then push again.";
            case FORCE_NOT_ALLOWED -> FORCE_NOT_ALLOWED;
            case NOT_A_COMMIT -> "a branch can only point to a commit.";
            case PATH_NOT_ALLOWED -> "a commit changes a path that may not be changed.";
            case FILE_TOO_LARGE -> "a commit adds a file that is larger than the limit.";
            case TOO_MANY_COMMITS -> TOO_MANY_COMMITS;
            case SECRET_FOUND -> SECRET_FOUND;
            case AUTHOR_NOT_ALLOWED -> "a commit has an author or committer that is not allowed.";
            case HIDDEN_OBJECTS -> "the pack holds objects that no pushed ref reaches.";
            case MISSING_OBJECTS -> MISSING_OBJECTS;
            case MALFORMED_PACK -> "the pack is not well-formed.";
            case PACK_LIMIT -> "the pack exceeds a limit" + FEWER;
            case JUDGEMENT_TIMEOUT -> "judging the push took too long" + FEWER;
            case MALFORMED_PUSH -> "the push is not in the form that is accepted here.";
            case SESSION_ENDED -> "the session of this sandbox has ended.";
            case NAME_NOT_ALLOWED -> NAME_NOT_ALLOWED;
            case PORT_NOT_ALLOWED -> "this port of the host may not be reached" + THOSE_THAT_MAY;
            case NAMES_DISAGREE -> "the request names another host than the connection.";
            case BAD_HELLO -> "the connection does not begin with an acceptable TLS hello.";
            case URL_NOT_ALLOWED -> "this path of the host may not be asked for" + THOSE_THAT_MAY;
            case CONTENT_NOT_ALLOWED -> CONTENT_NOT_ALLOWED;
            case CREDENTIAL_NOT_ALLOWED -> CREDENTIAL_NOT_ALLOWED;
            case UPGRADE_NOT_ALLOWED -> "a connection to this host may not change its protocol.";
            case BUDGET_SPENT -> "what this sandbox may transfer is used up" + TELL;
            case ADDRESS_NOT_ALLOWED -> "the host's name leads to an address that is closed.";
            case CREDENTIAL_REFUSED -> Sentences.CREDENTIAL_REFUSED;
            case CREDENTIAL_MISSING -> Sentences.CREDENTIAL_MISSING;
            case UPSTREAM_FORBIDDEN -> Sentences.UPSTREAM_FORBIDDEN;
            case REPO_NOT_FOUND -> Sentences.REPO_NOT_FOUND;
            case UPSTREAM_TOO_LARGE -> Sentences.UPSTREAM_TOO_LARGE;
            case UPSTREAM_BUSY -> Sentences.UPSTREAM_BUSY;
            case UPSTREAM_FAILED -> Sentences.UPSTREAM_FAILED;
            case UPSTREAM_UNREACHABLE -> "the upstream host cannot be reached" + LATER;
            case UPSTREAM_TIMEOUT -> "the upstream host did not answer in time" + LATER;
            case UPSTREAM_MISBEHAVED -> "the upstream host gave an answer that is not relayed.";
            case NOT_RECORDED -> "the decision could not be recorded, so nothing was done" + TELL;
            case MIRROR_UNAVAILABLE ->
                    "the repository could not be copied to judge the push" + TELL;
            case GATEWAY_BUSY -> "the gateway is busy" + WAIT;
            case INTERNAL -> "the gateway made a mistake" + TELL;
        };
    }
}
