package dev.sallyport.confine;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// Starts a process from a thread that has given up what the process is not to have. The thread is
/// made for this and ends, because it cannot get anything back.
public final class ConfinedStart {
    private ConfinedStart() {}

    /// The thread ends together with the process: a parent-death signal comes when the thread that
    /// started it ends, not when its process does.
    public static Process of(ProcessBuilder builder, Confinement confinement) throws IOException {
        var started = new CompletableFuture<Process>();
        Thread.ofPlatform()
                .daemon()
                .name("confined-parent")
                .start(
                        () -> {
                            try {
                                confinement.confineThisThread();
                                started.complete(builder.start());
                            } catch (IOException | RuntimeException | Error e) {
                                started.completeExceptionally(e);
                            }
                            awaitEndOf(started);
                        });
        try {
            return started.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        }
    }

    private static void awaitEndOf(CompletableFuture<Process> started) {
        try {
            if (!started.isCompletedExceptionally()) {
                started.join().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
