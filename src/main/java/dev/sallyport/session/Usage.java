package dev.sallyport.session;

/// What a session has done so far.
public record Usage(long requests, long bytesUp, long bytesDown) {
    public static final Usage NONE = new Usage(0, 0, 0);

    /// More than any budget, for when nobody can tell.
    public static final Usage UNKNOWN =
            new Usage(Long.MAX_VALUE / 2, Long.MAX_VALUE / 2, Long.MAX_VALUE / 2);

    public Usage {
        if (requests < 0 || bytesUp < 0 || bytesDown < 0) {
            throw new IllegalArgumentException("usage only grows");
        }
    }

    public Usage plus(Usage more) {
        return new Usage(
                Math.addExact(requests, more.requests),
                Math.addExact(bytesUp, more.bytesUp),
                Math.addExact(bytesDown, more.bytesDown));
    }
}
