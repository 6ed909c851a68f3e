package dev.sallyport.confine;

/// What a refused call fails with. Programs fall back to an older call on `ENOSYS`, and give up on
/// `EPERM`.
enum Errno {
    EPERM(1),
    ENOSYS(38),
    EAFNOSUPPORT(97);

    private final int number;

    Errno(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
