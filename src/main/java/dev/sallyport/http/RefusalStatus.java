package dev.sallyport.http;

import dev.sallyport.policy.Refusal;

/// The status of HTTP that stands for a refusal.
public final class RefusalStatus {
    private RefusalStatus() {}

    public static int of(Refusal refusal) {
        return switch (refusal) {
            case REPO_UNAVAILABLE, REPO_READ_ONLY, OPERATION_NOT_ALLOWED, REF_NOT_ALLOWED -> 403;
            case REF_NAME_NOT_ALLOWED, REVIEW_REF_NOT_ALLOWED, PUSH_OPTION_NOT_ALLOWED -> 403;
            case TOO_MANY_REFS, DELETE_NOT_ALLOWED, TAG_NOT_ALLOWED, STALE_REF -> 403;
            case FORCE_NOT_ALLOWED, NOT_A_COMMIT, PATH_NOT_ALLOWED, FILE_TOO_LARGE -> 403;
            case TOO_MANY_COMMITS, SECRET_FOUND, AUTHOR_NOT_ALLOWED, HIDDEN_OBJECTS -> 403;
            case LFS_NOT_ALLOWED, LFS_LOCKS_READ_ONLY, LFS_OBJECT_MISSING, MISSING_OBJECTS -> 403;
            case PACK_LIMIT, JUDGEMENT_TIMEOUT, RIGHTS_CHANGED, SESSION_ENDED -> 403;
            case APPROVAL_DENIED, APPROVAL_EXPIRED, APPROVAL_UNAVAILABLE -> 403;
            case NAME_NOT_ALLOWED, PORT_NOT_ALLOWED, NAMES_DISAGREE, BAD_HELLO -> 403;
            case URL_NOT_ALLOWED, CONTENT_NOT_ALLOWED, CREDENTIAL_NOT_ALLOWED, BUDGET_SPENT -> 403;
            case CREDENTIAL_REFUSED, CREDENTIAL_MISSING, LOGIN_EXPIRED, UPSTREAM_FORBIDDEN -> 403;
            case NO_SUCH_ENDPOINT, REPO_NOT_FOUND, LFS_ACTION_GONE -> 404;
            case METHOD_NOT_ALLOWED -> 405;
            case BAD_REQUEST, MALFORMED_BODY, MALFORMED_PUSH, MALFORMED_PACK -> 400;
            // git-lfs takes 422 for a wrong content type, and does not show the reason.
            case LFS_OBJECT_TOO_LARGE, LFS_OBJECT_MISMATCH, LFS_UPLOADS_SPENT -> 403;
            case REQUEST_TIMEOUT -> 408;
            case BODY_TOO_LARGE, UPSTREAM_TOO_LARGE -> 413;
            case TOO_MANY_REQUESTS, UPSTREAM_BUSY -> 429;
            // What makes clients, Codex among them, go on at once without a WebSocket.
            case UPGRADE_NOT_ALLOWED -> 426;
            case HEAD_TOO_LARGE -> 431;
            case INTERNAL -> 500;
            case SHA256_NOT_SUPPORTED -> 501;
            case UPSTREAM_UNREACHABLE,
                    UPSTREAM_UNTRUSTED,
                    UPSTREAM_MISBEHAVED,
                    UPSTREAM_FAILED,
                    ADDRESS_NOT_ALLOWED,
                    LFS_STORAGE_NOT_ALLOWED ->
                    502;
            case LOGIN_NOT_RENEWED,
                    LOGIN_RENEWED,
                    TOKEN_NOT_MINTED,
                    NOT_RECORDED,
                    DISK_FULL,
                    MIRROR_UNAVAILABLE,
                    GATEWAY_BUSY ->
                    503;
            case UPSTREAM_TIMEOUT -> 504;
        };
    }
}
