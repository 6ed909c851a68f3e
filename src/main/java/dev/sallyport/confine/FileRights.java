package dev.sallyport.confine;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/// The rights to files that an account has, for root to look at files on its behalf: a path that
/// the account cannot reach, root does not reach for it.
///
/// Linux keeps these rights for each thread (`setfsuid`), and so its capabilities, which it gives
/// up altogether: some lead past permissions, for instance through `/proc`. The thread is one of
/// its own and ends with the look, so that no other work is done with rights that are not its own.
public record FileRights(int uid, int gid, List<Integer> groups) {
    private static final long ASK = -1;
    private static final int CAPABILITY_VERSION = 0x20080522;

    public FileRights {
        groups = List.copyOf(groups);
        if (uid <= 0 || gid < 0) {
            throw new IllegalArgumentException("root's rights are not borrowed");
        }
    }

    /// Runs `look` with these rights and nothing more. It starts no threads.
    public <T> T during(Callable<T> look) throws Exception {
        FutureTask<T> task =
                new FutureTask<>(
                        () -> {
                            take();
                            return look.call();
                        });
        Thread thread = Thread.ofPlatform().name("file rights").daemon().start(task);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while looking at files", e);
        }
        if (task.state() == FutureTask.State.SUCCESS) {
            return task.resultNow();
        }
        throw task.exceptionNow() instanceof Exception e
                ? e
                : new IllegalStateException(task.exceptionNow());
    }

    /// For the calling thread only: the C library would do it for all of them, so it is not asked.
    private void take() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment list = arena.allocate(ValueLayout.JAVA_INT, Math.max(1, groups.size()));
            for (int i = 0; i < groups.size(); i++) {
                list.setAtIndex(ValueLayout.JAVA_INT, i, groups.get(i));
            }
            Kernel.require(
                    "to take an account's groups",
                    Syscall.SETGROUPS,
                    groups.size(),
                    list.address(),
                    0);
        }
        // These two say what was, whether or not they changed it.
        Kernel.call(Syscall.SETFSGID, gid, 0, 0, 0);
        Kernel.call(Syscall.SETFSUID, uid, 0, 0, 0);
        if (Kernel.call(Syscall.SETFSGID, ASK, 0, 0, 0) != gid
                || Kernel.call(Syscall.SETFSUID, ASK, 0, 0, 0) != uid) {
            throw new IOException("the kernel refuses to take an account's rights to files");
        }
        giveUpCapabilities();
    }

    private static void giveUpCapabilities() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment head = arena.allocate(2 * Integer.BYTES, Integer.BYTES);
            head.set(ValueLayout.JAVA_INT, 0, CAPABILITY_VERSION);
            // All three sets are empty, as fresh memory is.
            MemorySegment none = arena.allocate(6 * Integer.BYTES, Integer.BYTES);
            Kernel.require(
                    "to give up capabilities", Syscall.CAPSET, head.address(), none.address(), 0);
        }
    }
}
