package dev.sallyport.cli;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/// Starts a process that, with all its descendants, cannot use the kernel's keys (`keyrings(7)`).
///
/// No namespace contains them. A process inherits the keyring of the person's login, with every key
/// in it, and `request_key` makes the kernel run `/sbin/request-key` on the host, as root, for a
/// description of the caller's choice: with its usual configuration that is a DNS query.
final class KernelKeys {
    private static final long NO_NEW_PRIVILEGES = 38;
    private static final long SET_SECCOMP = 22;
    private static final long FILTER_MODE = 2;

    private static final int LOAD_WORD = 0x20;
    private static final int AND = 0x54;
    private static final int JUMP_IF_EQUAL = 0x15;
    private static final int JUMP_IF_GREATER = 0x25;
    private static final int JUMP_IF_GREATER_OR_EQUAL = 0x35;
    private static final int RETURN = 0x06;

    private static final int NUMBER = 0;
    private static final int ARCHITECTURE = 4;
    private static final int ALLOW = 0x7fff0000;
    private static final int NO_SUCH_CALL = 0x00050000 | 38;

    /// x86-64 numbers its x32 calls with this bit set.
    private static final int WITHOUT_X32 = 0xbfffffff;

    /// `add_key`, `request_key` and `keyctl` follow each other everywhere.
    private enum Architecture {
        X86_64(0xc000003e, 248),
        X86(0x40000003, 286),
        ARM64(0xc00000b7, 217),
        ARM(0x40000028, 309);

        final int audit;
        final int first;

        Architecture(int audit, int first) {
            this.audit = audit;
            this.first = first;
        }
    }

    private static final MethodHandle PRCTL =
            Linker.nativeLinker()
                    .downcallHandle(
                            Linker.nativeLinker().defaultLookup().findOrThrow("prctl"),
                            FunctionDescriptor.of(
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG),
                            Linker.Option.firstVariadicArg(1));

    private KernelKeys() {}

    /// The filter is for good, so it is put on a thread that ends; children inherit it from the
    /// thread that makes them.
    static Process startWithout(ProcessBuilder builder) throws IOException, InterruptedException {
        var task =
                new FutureTask<>(
                        () -> {
                            renounce();
                            return builder.start();
                        });
        Thread.ofPlatform().daemon().start(task);
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        }
    }

    private static void renounce() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            List<Long> program = program();
            MemorySegment code = arena.allocate(8L * program.size(), 8);
            for (int i = 0; i < program.size(); i++) {
                code.setAtIndex(ValueLayout.JAVA_LONG, i, program.get(i));
            }
            MemorySegment header = arena.allocate(16, 8);
            header.set(ValueLayout.JAVA_SHORT, 0, (short) program.size());
            header.set(ValueLayout.ADDRESS, 8, code);
            prctl(NO_NEW_PRIVILEGES, 1, 0);
            prctl(SET_SECCOMP, FILTER_MODE, header.address());
        }
    }

    private static List<Long> program() {
        List<Long> program = new ArrayList<>();
        for (Architecture one : Architecture.values()) {
            program.add(instruction(LOAD_WORD, 0, 0, ARCHITECTURE));
            program.add(instruction(JUMP_IF_EQUAL, 0, 6, one.audit));
            program.add(instruction(LOAD_WORD, 0, 0, NUMBER));
            program.add(instruction(AND, 0, 0, WITHOUT_X32));
            program.add(instruction(JUMP_IF_GREATER_OR_EQUAL, 0, 2, one.first));
            program.add(instruction(JUMP_IF_GREATER, 1, 0, one.first + 2));
            program.add(instruction(RETURN, 0, 0, NO_SUCH_CALL));
            program.add(instruction(RETURN, 0, 0, ALLOW));
        }
        // Some other architecture, whose numbers we do not know.
        program.add(instruction(RETURN, 0, 0, NO_SUCH_CALL));
        return program;
    }

    /// `struct sock_filter` on a little-endian machine.
    ///
    /// @param ifTrue how many instructions to skip when the comparison holds
    /// @param ifFalse and when it does not
    private static long instruction(int code, int ifTrue, int ifFalse, int operand) {
        return (long) operand << 32 | (long) ifFalse << 24 | (long) ifTrue << 16 | code;
    }

    private static void prctl(long option, long second, long third) throws IOException {
        int result;
        try {
            result = (int) PRCTL.invokeExact((int) option, second, third, 0L, 0L);
        } catch (Error | RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        if (result != 0) {
            throw new IOException("the kernel does not take a system call filter (seccomp)");
        }
    }
}
