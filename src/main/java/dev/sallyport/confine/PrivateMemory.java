package dev.sallyport.confine;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Keeps what a process of ours has in memory from getting out: no other process of the same user
/// reads it, traces it or takes its descriptors (`/proc/PID/mem`, `ptrace`, `pidfd_getfd`), and the
/// kernel writes no core dump. Only root still can.
public final class PrivateMemory {
    private static final long SET_DUMPABLE = 4;
    private static final long LIMIT_OF_CORE_FILE = 4;
    private static final long THIS_PROCESS = 0;

    private PrivateMemory() {}

    /// For all threads, at once and for good. A program that it starts is an ordinary process
    /// again, but leaves no core dump either.
    public static void ofThisProcess() throws IOException {
        Kernel.require("to close this process's memory", Syscall.PRCTL, SET_DUMPABLE, 0, 0);
        try (Arena arena = Arena.ofConfined()) {
            // Both limits, the present and the highest, are zero, as fresh memory is.
            MemorySegment none = arena.allocate(2 * Long.BYTES, Long.BYTES);
            Kernel.require(
                    "to do without core dumps",
                    Syscall.PRLIMIT64,
                    THIS_PROCESS,
                    LIMIT_OF_CORE_FILE,
                    none.address());
        }
    }
}
