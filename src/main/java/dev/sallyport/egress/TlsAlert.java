package dev.sallyport.egress;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/// A refusal as TLS: a fatal alert (RFC 8446, section 6.2). There is no room for a sentence; the
/// reason is in the record.
enum TlsAlert {
    ACCESS_DENIED(49),
    DECODE_ERROR(50),
    INTERNAL_ERROR(80),
    UNRECOGNIZED_NAME(112);

    private static final int ALERT = 21;
    private static final int TLS_1_2 = 0x0303;
    private static final int FATAL = 2;

    private final int code;

    TlsAlert(int code) {
        this.code = code;
    }

    /// As a record of its own.
    ByteBuf bytes() {
        return Unpooled.buffer(7)
                .writeByte(ALERT)
                .writeShort(TLS_1_2)
                .writeShort(2)
                .writeByte(FATAL)
                .writeByte(code);
    }

    static TlsAlert of(Refusal refusal) {
        return switch (refusal) {
            case NAME_NOT_ALLOWED, NAMES_DISAGREE -> UNRECOGNIZED_NAME;
            case BAD_HELLO -> DECODE_ERROR;
            case PORT_NOT_ALLOWED,
                    BUDGET_SPENT,
                    RIGHTS_CHANGED,
                    APPROVAL_DENIED,
                    APPROVAL_EXPIRED,
                    APPROVAL_UNAVAILABLE,
                    SESSION_ENDED,
                    ADDRESS_NOT_ALLOWED,
                    URL_NOT_ALLOWED,
                    CONTENT_NOT_ALLOWED,
                    CREDENTIAL_NOT_ALLOWED,
                    UPGRADE_NOT_ALLOWED,
                    TOO_MANY_REQUESTS ->
                    ACCESS_DENIED;
            // What no connection is refused for before its first request.
            case REPO_UNAVAILABLE, REPO_READ_ONLY, OPERATION_NOT_ALLOWED -> INTERNAL_ERROR;
            case NO_SUCH_ENDPOINT, UPSTREAM_UNTRUSTED -> INTERNAL_ERROR;
            case METHOD_NOT_ALLOWED, BAD_REQUEST, MALFORMED_BODY, BODY_TOO_LARGE -> INTERNAL_ERROR;
            case HEAD_TOO_LARGE, REQUEST_TIMEOUT -> INTERNAL_ERROR;
            case SHA256_NOT_SUPPORTED,
                    REF_NOT_ALLOWED,
                    REF_NAME_NOT_ALLOWED,
                    REVIEW_REF_NOT_ALLOWED,
                    PUSH_OPTION_NOT_ALLOWED ->
                    INTERNAL_ERROR;
            case TOO_MANY_REFS, DELETE_NOT_ALLOWED, TAG_NOT_ALLOWED, STALE_REF -> INTERNAL_ERROR;
            case FORCE_NOT_ALLOWED, NOT_A_COMMIT, PATH_NOT_ALLOWED -> INTERNAL_ERROR;
            case FILE_TOO_LARGE, TOO_MANY_COMMITS, SECRET_FOUND -> INTERNAL_ERROR;
            case AUTHOR_NOT_ALLOWED, HIDDEN_OBJECTS, MISSING_OBJECTS -> INTERNAL_ERROR;
            case LFS_NOT_ALLOWED, LFS_LOCKS_READ_ONLY, LFS_OBJECT_TOO_LARGE -> INTERNAL_ERROR;
            case LFS_OBJECT_MISMATCH, LFS_OBJECT_MISSING, LFS_ACTION_GONE -> INTERNAL_ERROR;
            case LFS_UPLOADS_SPENT, LFS_STORAGE_NOT_ALLOWED -> INTERNAL_ERROR;
            case MALFORMED_PACK, PACK_LIMIT, JUDGEMENT_TIMEOUT, MALFORMED_PUSH -> INTERNAL_ERROR;
            case CREDENTIAL_REFUSED, CREDENTIAL_MISSING, UPSTREAM_FORBIDDEN -> INTERNAL_ERROR;
            case REPO_NOT_FOUND, UPSTREAM_TOO_LARGE, UPSTREAM_BUSY -> INTERNAL_ERROR;
            case UPSTREAM_FAILED, UPSTREAM_UNREACHABLE, UPSTREAM_TIMEOUT -> INTERNAL_ERROR;
            case UPSTREAM_MISBEHAVED, LOGIN_EXPIRED, LOGIN_NOT_RENEWED -> INTERNAL_ERROR;
            case LOGIN_RENEWED, TOKEN_NOT_MINTED, NOT_RECORDED, DISK_FULL -> INTERNAL_ERROR;
            case MIRROR_UNAVAILABLE, GATEWAY_BUSY, INTERNAL -> INTERNAL_ERROR;
        };
    }
}
