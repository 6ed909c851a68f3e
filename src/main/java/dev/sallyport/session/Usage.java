package dev.sallyport.session;

/// What a session has done so far.
///
/// @param pushes those that upstream took something of
public record Usage(long requests, long bytesUp, long bytesDown, long pushes) {
    public static final Usage NONE = new Usage(0, 0, 0);
    public static final Usage ONE_PUSH = new Usage(0, 0, 0, 1);

    /// More than any budget, for when nobody can tell.
    public static final Usage UNKNOWN =
            new Usage(
                    Long.MAX_VALUE / 4, Long.MAX_VALUE / 4, Long.MAX_VALUE / 4, Long.MAX_VALUE / 4);

    public Usage {
        if (requests < 0 || bytesUp < 0 || bytesDown < 0 || pushes < 0) {
            throw new IllegalArgumentException("usage only grows");
        }
    }

    /// Use without a push.
    public Usage(long requests, long bytesUp, long bytesDown) {
        this(requests, bytesUp, bytesDown, 0);
    }

    public Usage plus(Usage more) {
        return new Usage(
                sum(requests, more.requests),
                sum(bytesUp, more.bytesUp),
                sum(bytesDown, more.bytesDown),
                sum(pushes, more.pushes));
    }

    public long bytes() {
        return sum(bytesUp, bytesDown);
    }

    /// Never more than a long holds. A gateway that has been taken over may report anything; that
    /// must not keep a session from ending.
    private static long sum(long one, long other) {
        return one > Long.MAX_VALUE - other ? Long.MAX_VALUE : one + other;
    }
}
