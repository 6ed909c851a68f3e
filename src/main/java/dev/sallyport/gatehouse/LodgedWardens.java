package dev.sallyport.gatehouse;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import dev.sallyport.config.Ownership;
import dev.sallyport.confine.OwnKeyring;
import dev.sallyport.sandbox.Guest;
import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.SandboxException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The wardens of all accounts: started when they are needed, and again when they fail. One that
/// its account has ended stays so until the account knocks again.
final class LodgedWardens {
    private static final System.Logger LOG = System.getLogger(LodgedWardens.class.getName());
    private static final Duration READY_MAX = Duration.ofSeconds(40);
    private static final Duration INTERVAL = Duration.ofMillis(20);
    private static final Executor LATER =
            CompletableFuture.delayedExecutor(
                    2, TimeUnit.SECONDS, task -> Thread.ofVirtual().start(task));
    private static final Duration END_MAX = Duration.ofSeconds(15);
    private static final int RESTARTS_MAX = 5;
    private static final int LOOKUPS_MAX = 64;
    private static final Duration HEALTHY_AFTER = Duration.ofMinutes(10);

    private final Lodgings lodgings;
    private final List<String> program;
    private final Map<String, String> environment;
    private final Map<Integer, Running> running = new ConcurrentHashMap<>();
    private final Semaphore lookups = new Semaphore(LOOKUPS_MAX);
    private volatile boolean closing;

    /// @param failures how often it has failed in a row
    private record Running(Process process, Instant since, int failures) {}

    /// @param program how a warden is started; its arguments follow
    LodgedWardens(Lodgings lodgings, List<String> program, Map<String, String> environment) {
        this.lodgings = lodgings;
        this.program = List.copyOf(program);
        this.environment = Map.copyOf(environment);
    }

    /// Returns when the account's warden answers. Blocks; one call for each account at a time.
    void ready(int uid) throws IOException {
        if (answers(Home.lodged(lodgings.service(), uid))) {
            return;
        }
        requireAccount(uid);
        Lodgings.Lodging lodging = lodgings.of(uid);
        Process process = start(lodging, 0);
        Instant deadline = Instant.now().plus(READY_MAX);
        while (Instant.now().isBefore(deadline)) {
            if (answers(lodging.home())) {
                return;
            }
            if (!process.isAlive() && process.exitValue() != 0) {
                break;
            }
            LockSupport.parkNanos(INTERVAL.toNanos());
        }
        throw new ConfigException(
                "Your daemon does not start.",
                "Ask the administrator to look at the log: " + lodging.home().wardenLog() + ".");
    }

    /// Whoever has been given further numbers, for user namespaces say, is not so many people.
    private void requireAccount(int uid) throws IOException {
        if (!lookups.tryAcquire()) {
            throw new ConfigException(
                    "The Sallyport service of this machine is busy.", "Try again in a moment.");
        }
        try {
            if (Guest.find(Integer.toString(uid)).isEmpty()) {
                throw new ConfigException(
                        "There is no account with the number " + uid + ".",
                        "Use an account of this machine.");
            }
        } catch (SandboxException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            lookups.release();
        }
    }

    /// At most one process for each account comes to serve: the second finds the first one's lock.
    private synchronized Process start(Lodgings.Lodging lodging, int failures) throws IOException {
        if (closing) {
            throw new IOException("the gatehouse is closing");
        }
        Running before = running.get(lodging.uid());
        if (before != null && before.process().isAlive()) {
            return before.process();
        }
        Path log = lodging.home().wardenLog();
        Ownership.createPrivateFile(log);
        List<String> command = new ArrayList<>(program);
        command.add(lodgings.service().toString());
        command.add(Integer.toString(lodging.uid()));
        command.add(Integer.toString(lodging.number()));
        ProcessBuilder builder = HostProgram.builder(command);
        builder.environment().putAll(environment);
        // No settings of anybody's tools are read with root's rights.
        builder.environment().put("HOME", lodging.home().root().toString());
        builder.directory(Path.of("/").toFile());
        builder.redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        Process process = OwnKeyring.start(builder);
        running.put(lodging.uid(), new Running(process, Instant.now(), failures));
        var _ = process.onExit().thenAcceptAsync(ended -> ended(lodging, ended), LATER);
        return process;
    }

    private void ended(Lodgings.Lodging lodging, Process process) {
        Running was = running.get(lodging.uid());
        if (was == null || !was.process().equals(process)) {
            return;
        }
        running.remove(lodging.uid(), was);
        boolean young = was.since().plus(HEALTHY_AFTER).isAfter(Instant.now());
        int failures = young ? was.failures() + 1 : 1;
        if (closing || process.exitValue() == 0 || failures > RESTARTS_MAX) {
            return;
        }
        LOG.log(System.Logger.Level.WARNING, "the warden of {0} has failed", lodging.uid());
        try {
            start(lodging, failures);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "a warden does not start again", e);
        }
    }

    /// Sandboxes that outlived the last gatehouse get their doors back without a knock.
    void resume() throws IOException {
        for (int uid : lodgings.known()) {
            try {
                if (hasSandboxes(uid)) {
                    start(lodgings.of(uid), 0);
                }
            } catch (IOException e) {
                LOG.log(System.Logger.Level.ERROR, "a warden does not start", e);
            }
        }
    }

    private boolean hasSandboxes(int uid) throws IOException {
        Path sandboxes = Home.lodged(lodgings.service(), uid).sandboxes();
        if (!Files.isDirectory(sandboxes)) {
            return false;
        }
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(sandboxes)) {
            return entries.iterator().hasNext();
        }
    }

    /// Ends all wardens, and leaves their sandboxes to the next.
    void close() {
        synchronized (this) {
            closing = true;
        }
        List<Process> processes = running.values().stream().map(Running::process).toList();
        processes.forEach(Process::destroy);
        Instant deadline = Instant.now().plus(END_MAX);
        for (Process process : processes) {
            try {
                long left = Duration.between(Instant.now(), deadline).toMillis();
                if (!process.waitFor(Math.max(0, left), TimeUnit.MILLISECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                process.destroyForcibly();
            }
        }
    }

    private static boolean answers(Home home) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(home.controlSocket()));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
