package dev.sallyport.confine;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Puts a filter for system calls on threads, for good (`seccomp(2)`).
public final class Seccomp {
    private static final long SET_MODE_FILTER = 1;
    private static final long ALL_THREADS = 1;

    private Seccomp() {}

    /// Children inherit it from the thread that makes them.
    static void onThisThread(byte[] filter) throws IOException {
        install(filter, 0);
    }

    /// On the whole process: all threads that there are, and those they make.
    public static void onEveryThread(byte[] filter) throws IOException {
        install(filter, ALL_THREADS);
    }

    private static void install(byte[] filter, long flags) throws IOException {
        Kernel.renounceNewPrivileges();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment code = arena.allocate(filter.length, Long.BYTES);
            MemorySegment.copy(filter, 0, code, ValueLayout.JAVA_BYTE, 0, filter.length);
            MemorySegment header = arena.allocate(2L * Long.BYTES, Long.BYTES);
            int instructions = filter.length / FilterProgram.INSTRUCTION_BYTES;
            header.set(ValueLayout.JAVA_SHORT, 0, (short) instructions);
            header.set(ValueLayout.ADDRESS, Long.BYTES, code);
            long result =
                    Kernel.require(
                            "a filter for system calls",
                            Syscall.SECCOMP,
                            SET_MODE_FILTER,
                            flags,
                            header.address());
            // With several threads, the number of the one that could not be brought in line.
            if (result != 0) {
                throw new IOException("thread " + result + " has another filter for system calls");
            }
        }
    }
}
