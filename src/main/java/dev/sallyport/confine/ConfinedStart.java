package dev.sallyport.confine;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// Starts a process from a thread that has given up what the process is not to have. The thread is
/// made for this and ends, because it cannot get anything back.
public final class ConfinedStart {
    private final CompletableFuture<ProcessBuilder> wanted = new CompletableFuture<>();
    private final CompletableFuture<Process> started = new CompletableFuture<>();

    private ConfinedStart() {}

    public static Process of(ProcessBuilder builder, Confinement confinement) throws IOException {
        return ahead(confinement).start(builder);
    }

    /// Makes the thread now, so that it has given up everything when the process is to start: to
    /// learn how to call the kernel takes a JVM that was started just now longer than the process
    /// takes to start.
    public static ConfinedStart ahead(Confinement confinement) {
        ConfinedStart start = new ConfinedStart();
        Thread.ofPlatform()
                .daemon()
                .name("confined-parent")
                .start(() -> start.confined(confinement));
        return start;
    }

    /// The thread ends together with the process: a parent-death signal comes when the thread that
    /// started it ends, not when its process does.
    private void confined(Confinement confinement) {
        try {
            confinement.confineThisThread();
            Process process = wanted.join().start();
            started.complete(process);
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException | Error e) {
            started.completeExceptionally(e);
        }
    }

    /// Once.
    ///
    /// @throws IOException also when the thread could not give up what it was to
    public Process start(ProcessBuilder builder) throws IOException {
        wanted.complete(builder);
        try {
            return started.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        }
    }
}
