package dev.sallyport.confine;

/// Lets long work have the processors only while nobody else in the process wants them. The kernel
/// keeps a "nice" value for each thread (`setpriority(2)`); the JVM's own priorities have no effect
/// on Linux.
public final class LowPriority {
    private static final System.Logger LOG = System.getLogger(LowPriority.class.getName());

    /// About a tenth of what an ordinary thread gets beside it. Not the lowest, 19: such a thread
    /// would stand still on a busy machine, perhaps with a lock that others need.
    static final int NICE = 10;

    private static final long ONE_THREAD = 0;
    private static final long THIS_ONE = 0;

    private LowPriority() {}

    /// From now on, for good: a thread may not raise itself again. Needs no right. Where the kernel
    /// refuses, the thread goes on as it is: others are served more slowly, and nothing more.
    public static void ofThisThread() {
        // The kernel counts the other way round, so that the answer is no error.
        long nice = 20 - Kernel.call(Syscall.GETPRIORITY, ONE_THREAD, THIS_ONE, 0, 0);
        if (nice >= NICE) {
            return;
        }
        long result = Kernel.call(Syscall.SETPRIORITY, ONE_THREAD, THIS_ONE, NICE, 0);
        if (result < 0) {
            LOG.log(System.Logger.Level.WARNING, "no low priority (errno {0})", -result);
        }
    }
}
