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
                    SESSION_ENDED,
                    ADDRESS_NOT_ALLOWED,
                    URL_NOT_ALLOWED,
                    CONTENT_NOT_ALLOWED,
                    CREDENTIAL_NOT_ALLOWED,
                    UPGRADE_NOT_ALLOWED,
                    TOO_MANY_REQUESTS ->
                    ACCESS_DENIED;
            // What no connection is refused for before its first request.
            default -> INTERNAL_ERROR;
        };
    }
}
