package dev.sallyport.dns;

/// The response codes that we send (RFC 1035, section 4.1.1; RFC 6891, section 9).
enum DnsCode {
    NO_ERROR(0),
    FORMAT_ERROR(1),
    NO_SUCH_NAME(3),
    NOT_IMPLEMENTED(4),
    REFUSED(5),
    /// Needs an OPT record to be said.
    BAD_VERSION(16);

    private final int value;

    DnsCode(int value) {
        this.value = value;
    }

    int value() {
        return value;
    }
}
