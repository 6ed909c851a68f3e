package dev.sallyport.host;

/// A gateway on another machine refused something, or did not answer. The message is for the
/// person.
public final class GatewayException extends Exception {
    private static final long serialVersionUID = 1L;

    /// As a gateway says that it cannot do it now; also for one that does not answer.
    public static final int UNAVAILABLE = 503;

    /// There is no such session of this machine.
    public static final int NOT_FOUND = 404;

    /// Another gateway has the session.
    public static final int ELSEWHERE = 421;

    static final int FAILED = 500;
    static final int INVALID = 400;

    private final int status;
    private final String code;
    private final String remedy;

    GatewayException(int status, String code, String message, String remedy) {
        super(message);
        this.status = status;
        this.code = code;
        this.remedy = remedy;
    }

    GatewayException(int status, String code, String message, String remedy, Throwable cause) {
        super(message, cause);
        this.status = status;
        this.code = code;
        this.remedy = remedy;
    }

    /// As in HTTP.
    public int status() {
        return status;
    }

    /// The word for it; see `docs/protocol/host-api.md`.
    public String code() {
        return code;
    }

    /// What to do about it.
    public String remedy() {
        return remedy;
    }
}
