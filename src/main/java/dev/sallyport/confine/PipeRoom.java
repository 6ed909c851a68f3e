package dev.sallyport.confine;

/// How much a pipe holds. Each buffer of one takes a piece of memory from a socket, however small
/// the piece, so a pipe of the usual 16 buffers takes little at a time (`fcntl(2)`,
/// `F_SETPIPE_SZ`).
public final class PipeRoom {
    private static final long F_SETPIPE_SZ = 1_031;

    private PipeRoom() {}

    /// Needs no right up to 1 MiB, unless this account has many such pipes. Where the kernel
    /// refuses, the pipe stays as it is and is only slower.
    public static void widen(int descriptor, int bytes) {
        Kernel.call(Syscall.FCNTL, descriptor, F_SETPIPE_SZ, bytes, 0);
    }
}
