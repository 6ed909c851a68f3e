package dev.sallyport.confine;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/// System calls by number, for what neither the JDK nor Netty offers.
public final class Kernel {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));

    private static final MethodHandle SYSCALL =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("syscall"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG),
                    Linker.Option.captureCallState("errno"),
                    Linker.Option.firstVariadicArg(1));

    private static final long NO_NEW_PRIVILEGES = 38;

    private Kernel() {}

    /// The result, or the number of the error as a negative one. A fifth argument is zero, which
    /// some calls insist on.
    public static long call(Syscall call, long first, long second, long third, long fourth) {
        long number = Processor.current().numberOf(call);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long result =
                    (long) SYSCALL.invokeExact(state, number, first, second, third, fourth, 0L);
            return result >= 0 ? result : -(int) ERRNO.get(state, 0L);
        } catch (Error | RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /// As [#call], when there is no going on after an error.
    static long require(String what, Syscall call, long first, long second, long third)
            throws IOException {
        long result = call(call, first, second, third, 0);
        if (result < 0) {
            throw new IOException("the kernel refuses " + what + " (errno " + -result + ")");
        }
        return result;
    }

    /// For this thread and what it starts (`PR_SET_NO_NEW_PRIVS`): the kernel lets nobody confine
    /// themselves who could still become somebody else by `execve`.
    static void renounceNewPrivileges() throws IOException {
        require("to renounce new privileges", Syscall.PRCTL, NO_NEW_PRIVILEGES, 1, 0);
    }
}
