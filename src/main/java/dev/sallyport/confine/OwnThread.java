package dev.sallyport.confine;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/// Does something on a platform thread of its own, which ends with it: what the kernel keeps for
/// each thread is changed for nothing else.
public final class OwnThread {
    private OwnThread() {}

    /// Waits even when interrupted: leaving early would lose track of what is being made.
    ///
    /// @throws IOException with the words of whatever was thrown
    public static <T> T call(String name, Callable<T> work) throws IOException {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = Thread.ofPlatform().name(name).daemon().start(task);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (task.state() == FutureTask.State.SUCCESS) {
            return task.resultNow();
        }
        Throwable cause = task.exceptionNow();
        String text = cause.getMessage();
        throw new IOException(text == null ? cause.toString() : text, cause);
    }
}
