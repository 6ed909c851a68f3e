package dev.sallyport.porter;

import dev.sallyport.confine.Kernel;
import dev.sallyport.confine.Syscall;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The few system calls that neither the JDK nor Netty offers. They act on the calling thread, so
/// callers choose the thread with care.
final class Libc {
    private static final long HERE = -100;
    private static final int O_RDONLY_CLOEXEC = 0x80000;
    private static final int CLONE_NEWNET = 0x40000000;
    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM_CLOEXEC = 0x80002;

    static int openForReading(String path) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            long text = arena.allocateFrom(path).address();
            return call("open " + path, Syscall.OPENAT, HERE, text, O_RDONLY_CLOEXEC);
        }
    }

    static void close(int descriptor) throws IOException {
        call("close", Syscall.CLOSE, descriptor, 0, 0);
    }

    /// Moves the calling thread, and only it, into a network namespace. There is no way back that
    /// is worth having: let the thread end.
    static void enterNetNamespace(int descriptor) throws IOException {
        call("setns", Syscall.SETNS, descriptor, CLONE_NEWNET, 0);
    }

    static int datagramSocket() throws IOException {
        return call("socket", Syscall.SOCKET, AF_INET, SOCK_DGRAM_CLOEXEC, 0);
    }

    static void ioctl(int descriptor, long request, MemorySegment argument) throws IOException {
        call("ioctl", Syscall.IOCTL, descriptor, request, argument.address());
    }

    private static int call(String what, Syscall call, long first, long second, long third)
            throws IOException {
        long result = Kernel.call(call, first, second, third, 0);
        if (result < 0) {
            throw new IOException(what + " failed with errno " + -result);
        }
        return (int) result;
    }
}
