package dev.sallyport.warden;

import dev.sallyport.confine.Jvm;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Keeps a gateway at work, and a spare one that is ready to take over in a moment: starting a JVM
/// takes longer than sandboxes should wait, above all on a busy machine. The spare knows no session
/// and no secret. Sidecars have none: each would cost its sandbox as much again.
///
/// It has a platform thread of its own, to whose life the gateways' are tied by the parent-death
/// signal.
final class GatewaySupervisor implements Runnable {
    private static final System.Logger LOG = System.getLogger(GatewaySupervisor.class.getName());
    private static final Duration READY_MAX = Duration.ofSeconds(30);

    /// Later than most short runs end: a second JVM costs as much as the first.
    private static final Duration SPARE_AFTER = Duration.ofSeconds(10);

    /// How often the first spare waits as long again because the machine is busy: it would take the
    /// processor from what the person has just started. The next ones do not: gateways die here.
    private static final int BUSY_WAITS_MAX = 5;

    private static final Duration HEALTHY_AFTER = Duration.ofSeconds(5);
    private static final Duration PAUSE_MIN = Duration.ofMillis(100);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(5);

    static final String SPARE_READY = "ready as spare gateway: process ";

    /// How a gateway process is made.
    interface Launch {
        GatewayProcess launch() throws IOException;
    }

    private final Launch launch;
    private final GatewayLink link;
    private final boolean spared;
    private final AtomicInteger takeovers = new AtomicInteger();
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final CompletableFuture<Object> stopped = new CompletableFuture<>();
    private volatile @Nullable GatewayProcess active;
    private volatile Duration lastWords = Duration.ZERO;
    private @Nullable GatewayProcess spare;
    private int earlyDeaths;

    /// @param messages who hears what the next process says
    GatewaySupervisor(
            GatewayCommand command,
            EventLoop loop,
            GatewayLink link,
            Supplier<? extends GatewayProcess.Listener> messages,
            Path log) {
        this.link = link;
        this.spared = command.role() == Jvm.GATEWAY;
        this.launch = () -> GatewayProcess.launch(command, loop, messages.get(), log);
    }

    Thread start() {
        return Thread.ofPlatform().name("gateway-supervisor").start(this);
    }

    /// Ends the gateways for good; the supervisor's thread ends when they have.
    void stop() {
        stopping.countDown();
        stopped.complete(stopping);
    }

    /// The same, but the one at work may end by itself before.
    void stop(Duration grace) {
        lastWords = grace;
        stop();
    }

    int restarts() {
        return Math.max(0, takeovers.get() - 1);
    }

    /// Process id of the gateway at work, or 0 between two.
    long pid() {
        GatewayProcess current = active;
        return current == null ? 0 : current.pid();
    }

    @Override
    public void run() {
        try {
            while (!isStopping()) {
                serveOnce();
            }
        } catch (InterruptedException e) {
            LOG.log(System.Logger.Level.DEBUG, "interrupted", e);
        } finally {
            drop(active);
            drop(spare);
        }
    }

    private boolean isStopping() {
        return stopping.getCount() == 0;
    }

    private static void drop(@Nullable GatewayProcess process) {
        if (process != null) {
            process.close();
        }
    }

    /// One gateway from taking over to its death.
    private void serveOnce() throws InterruptedException {
        GatewayProcess next = spare != null ? spare : tryLaunch();
        spare = null;
        long began = System.nanoTime();
        if (next != null && next.awaitReady(READY_MAX, stopped)) {
            serve(next);
        }
        drop(next);
        active = null;
        boolean young = System.nanoTime() - began < HEALTHY_AFTER.toNanos();
        earlyDeaths = young ? earlyDeaths + 1 : 0;
        if (!isStopping()) {
            LOG.log(System.Logger.Level.WARNING, "the gateway has ended; the next takes over");
            var _ = stopping.await(pause(earlyDeaths).toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void serve(GatewayProcess ready) throws InterruptedException {
        active = ready;
        takeovers.incrementAndGet();
        try {
            ready.admit();
            link.begin(ready.channel());
            awaitEnd(ready);
            var _ = isOver(ready.heard(), lastWords);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            // Such as no free descriptor or thread. Nobody else would start the next gateway.
            LOG.log(System.Logger.Level.ERROR, "the gateway cannot be told of the sandboxes", e);
        } finally {
            link.end(ready.channel());
        }
    }

    /// Waits for the end of the gateway at work, and meanwhile sees to the spare.
    private void awaitEnd(GatewayProcess working) throws InterruptedException {
        CompletableFuture<Object> end = CompletableFuture.anyOf(working.over(), stopped);
        if (!spared) {
            end.exceptionally(_ -> stopping).join();
            return;
        }
        Duration patience = SPARE_AFTER;
        int waits = takeovers.get() > 1 ? 0 : BUSY_WAITS_MAX;
        while (!isOver(end, patience)) {
            if (waits-- > 0 && isMachineBusy()) {
                continue;
            }
            drop(spare);
            spare = tryLaunch();
            if (spare != null) {
                long pid = spare.pid();
                spare.whenReady(() -> LOG.log(System.Logger.Level.INFO, SPARE_READY + pid));
                CompletableFuture.anyOf(end, spare.over()).join();
            }
            patience = PAUSE_MAX;
        }
    }

    /// Whether more threads want a processor now than the machine has, this one not counted.
    private static boolean isMachineBusy() {
        try {
            String threads = Files.readString(Path.of("/proc/loadavg")).split(" ", -1)[3];
            long processors =
                    Files.readAllLines(Path.of("/proc/stat")).stream()
                            .filter(line -> line.matches("cpu[0-9].*"))
                            .count();
            return Long.parseLong(threads.split("/", -1)[0]) - 1 > processors;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private static boolean isOver(CompletableFuture<?> end, Duration patience)
            throws InterruptedException {
        try {
            end.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return true;
        }
    }

    private @Nullable GatewayProcess tryLaunch() {
        try {
            return launch.launch();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            LOG.log(System.Logger.Level.ERROR, "the gateway cannot be started", e);
            return null;
        }
    }

    /// The first restart is immediate; when gateways die young again and again, the next comes ever
    /// later.
    static Duration pause(int earlyDeaths) {
        if (earlyDeaths < 2) {
            return Duration.ZERO;
        }
        Duration pause = PAUSE_MIN.multipliedBy(1L << Math.min(earlyDeaths - 2, 10));
        return pause.compareTo(PAUSE_MAX) < 0 ? pause : PAUSE_MAX;
    }
}
