package dev.sallyport.sandbox;

import dev.sallyport.confine.Kernel;
import dev.sallyport.confine.Syscall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// Looks at processes and kills them through a descriptor that pins them (`pidfd_open(2)`), so that
/// a number that was given to another process meanwhile deceives nobody.
public final class PidDescriptor {
    private static final int SIGKILL = 9;
    private static final Duration END_MAX = Duration.ofSeconds(10);
    private static final int POLL_MILLIS = 5;

    /// `struct pollfd`: a descriptor, what is waited for, what happened.
    private static final int POLL_BYTES = 8;

    private static final int EVENTS = 4;
    private static final int RETURNED_EVENTS = 6;
    private static final short POLLIN = 1;

    private PidDescriptor() {}

    /// What was found out about a process, if all of it is about the same one: it was pinned
    /// before, and has not ended since.
    static <T> Optional<T> pinned(long pid, Supplier<Optional<T>> facts) {
        int descriptor = pin(pid);
        if (descriptor < 0) {
            return Optional.empty();
        }
        try {
            Optional<T> found = facts.get();
            return runs(descriptor) ? found : Optional.empty();
        } finally {
            close(descriptor);
        }
    }

    /// The descriptor becomes readable when its process ends. Unlike a signal of number 0 that
    /// needs no right over the process, and counts one that nobody has collected as ended.
    private static boolean runs(int descriptor) {
        return awaitEnd(new int[] {descriptor}, 0).isEmpty();
    }

    /// Waits until one of these processes has ended, and no longer than `millis`.
    ///
    /// @return the places of those that have
    static BitSet awaitEnd(int[] descriptors, int millis) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment polls =
                    arena.allocate((long) POLL_BYTES * descriptors.length, Integer.BYTES);
            for (int i = 0; i < descriptors.length; i++) {
                polls.set(ValueLayout.JAVA_INT, (long) POLL_BYTES * i, descriptors[i]);
                polls.set(ValueLayout.JAVA_SHORT, (long) POLL_BYTES * i + EVENTS, POLLIN);
            }
            Duration most = Duration.ofMillis(millis);
            MemorySegment limit =
                    arena.allocateFrom(ValueLayout.JAVA_LONG, most.toSeconds(), most.toNanosPart());
            long found =
                    Kernel.call(
                            Syscall.PPOLL, polls.address(), descriptors.length, limit.address(), 0);
            BitSet ended = new BitSet();
            for (int i = 0; found > 0 && i < descriptors.length; i++) {
                ended.set(i, hasHappened(polls, (long) POLL_BYTES * i));
            }
            return ended;
        }
    }

    private static boolean hasHappened(MemorySegment polls, long offset) {
        return polls.get(ValueLayout.JAVA_SHORT, offset + RETURNED_EVENTS) != 0;
    }

    /// A descriptor of the process if it is the one meant; closed by the caller.
    ///
    /// @param isTheOne asked after the process has been pinned
    static OptionalInt open(long pid, BooleanSupplier isTheOne) {
        int descriptor = pin(pid);
        if (descriptor < 0) {
            return OptionalInt.empty();
        }
        if (isTheOne.getAsBoolean()) {
            return OptionalInt.of(descriptor);
        }
        close(descriptor);
        return OptionalInt.empty();
    }

    /// Ends a process if it is still the one meant, and waits until it is gone. For the first
    /// process of a pid namespace that means that every process in it is gone.
    ///
    /// @param isTheOne asked after the process has been pinned
    public static void kill(long pid, BooleanSupplier isTheOne) throws SandboxException {
        int descriptor = pin(pid);
        if (descriptor < 0) {
            return;
        }
        try {
            OptionalLong startTicks = ProcessIdentity.startTicks(pid);
            if (startTicks.isPresent() && isTheOne.getAsBoolean()) {
                signal(descriptor, SIGKILL);
                awaitEnd(pid, startTicks);
            }
        } finally {
            close(descriptor);
        }
    }

    /// Sends a signal to a process if it is still the one meant.
    static void send(long pid, int signal, BooleanSupplier isTheOne) {
        int descriptor = pin(pid);
        if (descriptor < 0) {
            return;
        }
        try {
            if (isTheOne.getAsBoolean()) {
                signal(descriptor, signal);
            }
        } finally {
            close(descriptor);
        }
    }

    private static void awaitEnd(long pid, OptionalLong startTicks) throws SandboxException {
        long deadline = System.nanoTime() + END_MAX.toNanos();
        while (ProcessIdentity.startTicks(pid).equals(startTicks)) {
            if (System.nanoTime() - deadline > 0) {
                throw new SandboxException(
                        "process "
                                + pid
                                + " was killed but has not ended; it may be waiting for a disk. Try again later.");
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new SandboxException("interrupted while waiting for process " + pid, e);
            }
        }
    }

    /// Negative when there is no such process.
    private static int pin(long pid) {
        return (int) Kernel.call(Syscall.PIDFD_OPEN, pid, 0, 0, 0);
    }

    private static void signal(int descriptor, int signal) {
        Kernel.call(Syscall.PIDFD_SEND_SIGNAL, descriptor, signal, 0, 0);
    }

    static void close(int descriptor) {
        Kernel.call(Syscall.CLOSE, descriptor, 0, 0, 0);
    }
}
