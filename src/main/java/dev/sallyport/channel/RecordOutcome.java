package dev.sallyport.channel;

/// What became of one event that the gateway wanted recorded.
public enum RecordOutcome {
    RECORDED(0),
    NOT_RECORDED(1),
    DISK_FULL(2);

    private final int code;

    RecordOutcome(int code) {
        this.code = code;
    }

    /// As a byte on its way to the gateway.
    int code() {
        return code;
    }

    static RecordOutcome of(int code) throws ChannelException {
        return switch (code) {
            case 0 -> RECORDED;
            case 1 -> NOT_RECORDED;
            case 2 -> DISK_FULL;
            default -> throw new ChannelException("an outcome is 0, 1 or 2");
        };
    }
}
