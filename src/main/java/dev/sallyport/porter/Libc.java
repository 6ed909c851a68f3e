package dev.sallyport.porter;

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

/// The few system calls that neither the JDK nor Netty offers, through the C library. They act on
/// the calling thread, so callers choose the thread with care.
final class Libc {
    private static final int O_RDONLY_CLOEXEC = 0x80000;
    private static final int CLONE_NEWNET = 0x40000000;
    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM_CLOEXEC = 0x80002;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));
    private static final Linker.Option CAPTURE = Linker.Option.captureCallState("errno");

    private static final MethodHandle OPEN =
            handle(
                    "open",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                    CAPTURE,
                    Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE =
            handle(
                    "close",
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                    CAPTURE);
    private static final MethodHandle SETNS =
            handle(
                    "setns",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                    CAPTURE);
    private static final MethodHandle SOCKET =
            handle(
                    "socket",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT),
                    CAPTURE);
    private static final MethodHandle IOCTL =
            handle(
                    "ioctl",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.ADDRESS),
                    CAPTURE,
                    Linker.Option.firstVariadicArg(2));

    private Libc() {}

    static int openForReading(String path) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(path);
            return call(
                    "open " + path, state -> (int) OPEN.invokeExact(state, text, O_RDONLY_CLOEXEC));
        }
    }

    static void close(int descriptor) throws IOException {
        call("close", state -> (int) CLOSE.invokeExact(state, descriptor));
    }

    /// Moves the calling thread, and only it, into a network namespace. There is no way back that
    /// is worth having: let the thread end.
    static void enterNetNamespace(int descriptor) throws IOException {
        call("setns", state -> (int) SETNS.invokeExact(state, descriptor, CLONE_NEWNET));
    }

    static int datagramSocket() throws IOException {
        return call(
                "socket", state -> (int) SOCKET.invokeExact(state, AF_INET, SOCK_DGRAM_CLOEXEC, 0));
    }

    static void ioctl(int descriptor, long request, MemorySegment argument) throws IOException {
        call("ioctl", state -> (int) IOCTL.invokeExact(state, descriptor, request, argument));
    }

    private static int call(String what, NativeCall body) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            int result = body.invoke(state);
            if (result < 0) {
                throw new IOException(what + " failed with errno " + ERRNO.get(state, 0L));
            }
            return result;
        } catch (IOException | Error | RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static MethodHandle handle(
            String name, FunctionDescriptor descriptor, Linker.Option... options) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, options);
    }

    @FunctionalInterface
    private interface NativeCall {
        int invoke(MemorySegment state) throws Throwable;
    }
}
