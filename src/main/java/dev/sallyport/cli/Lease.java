package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// Holds an ephemeral sandbox: it lives while this connection does. When the warden ends without
/// its sandboxes, a new one is started and the lease taken again within the grace that it gives.
final class Lease implements AutoCloseable, ClonedWorkspace.Inside {
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

    /// How often we look for the next warden of a person before we start one.
    private static final int LOOKS_MAX = 5;

    private final Output output;
    private final Api.SandboxView made;
    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private final Thread watch;
    private ControlClient warden;
    private boolean held = true;
    private int looks;
    private boolean ended;

    private Lease(Output output, ControlClient warden, Api.SandboxView made) {
        this.output = output;
        this.warden = warden;
        this.made = made;
        this.name = made.name();
        this.watch = Thread.ofVirtual().unstarted(this::watch);
    }

    static Lease take(Output output, Api.CreateSandbox request)
            throws IOException, ControlException, CliException {
        ControlClient warden = output.wardens().connectOrStart(output);
        try {
            Api.SandboxView made = output.wardens().create(output, warden, request);
            HookNotice.give(output, made);
            PortText.give(output, made);
            Lease lease = new Lease(output, warden, made);
            lease.watch.start();
            return lease;
        } catch (ControlException e) {
            warden.close();
            throw e;
        }
    }

    /// The sandbox as it was made.
    Api.SandboxView made() {
        return made;
    }

    /// May take as long as fetching the repository does.
    @Override
    public Api.Shared share(Api.Share request) throws ControlException {
        lock.lock();
        try {
            return warden.share(name, request);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Api.ExecAnswer exec(Api.ExecCommand command) throws ControlException {
        lock.lock();
        try {
            return warden.exec(name, command);
        } finally {
            lock.unlock();
        }
    }

    /// Removes the sandbox now instead of when the connection ends, so that nothing is left when
    /// the person's prompt comes back. When the warden has just died, the next one does it if there
    /// is one by now; none is started, because somebody may just have told the daemons to end.
    void destroy() throws IOException, ControlException {
        lock.lock();
        try {
            ended = true;
            ensureGone();
        } catch (ControlException e) {
            if (!e.isConnectionLost()) {
                throw e;
            }
            warden.close();
            warden = output.wardens().connectToRunning();
            ensureGone();
        } finally {
            lock.unlock();
        }
    }

    private void ensureGone() throws ControlException {
        try {
            warden.destroy(name);
        } catch (ControlException e) {
            if (e.status() != ControlException.NOT_FOUND) {
                throw e;
            }
        }
    }

    private void watch() {
        try {
            while (true) {
                Thread.sleep(CHECK_INTERVAL);
                renewWhenLost();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void renewWhenLost() {
        lock.lock();
        try {
            if (!ended && (!held || isLost())) {
                held = false;
                warden.close();
                Optional<ControlClient> next = next();
                if (next.isPresent()) {
                    warden = next.get();
                    warden.lease(name);
                    held = true;
                    looks = 0;
                }
            }
        } catch (ControlException e) {
            // Without an answer, or after a fault, the next round tries again. A warden that
            // answers "no" has removed the sandbox, and the command with it, which the person sees.
            ended = e.status() / 100 == 4;
        } catch (IOException | CliException e) {
            output.warn("The daemon stopped and cannot be restarted: " + e.getMessage());
        } finally {
            lock.unlock();
        }
    }

    /// One that was told to end is left to the person at first: they may start another version, and
    /// this would be the old one.
    private Optional<ControlClient> next() throws IOException, ControlException, CliException {
        Wardens wardens = output.wardens();
        Optional<ControlClient> running = wardens.connect();
        if (running.isPresent() || (wardens.hasLeft() && looks++ < LOOKS_MAX)) {
            return running;
        }
        return Optional.of(wardens.connectOrStart(output.quiet()));
    }

    /// Any answer is a sign of life, also that something failed: to close the connection of a
    /// warden that lives is to end the sandbox.
    private boolean isLost() {
        try {
            warden.sandbox(name);
            return false;
        } catch (ControlException e) {
            return e.isConnectionLost();
        }
    }

    @Override
    public void close() {
        watch.interrupt();
        lock.lock();
        try {
            ended = true;
            warden.close();
        } finally {
            lock.unlock();
        }
    }
}
