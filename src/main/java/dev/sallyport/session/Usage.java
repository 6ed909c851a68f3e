package dev.sallyport.session;

/// What a session has done so far.
public record Usage(long requests, long bytesUp, long bytesDown) {
    public static final Usage NONE = new Usage(0, 0, 0);

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
