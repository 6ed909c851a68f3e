package dev.sallyport.gateway;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.CleanLog;
import dev.sallyport.audit.Recorder;
import dev.sallyport.channel.ChannelClient;
import dev.sallyport.channel.Message;
import dev.sallyport.channel.RecordLane;
import dev.sallyport.config.Ownership;
import dev.sallyport.confine.CachePages;
import dev.sallyport.confine.PrivateMemory;
import dev.sallyport.confine.Seccomp;
import dev.sallyport.confine.SyscallFilter;
import dev.sallyport.forge.graphql.QueryJudge;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// Entry point of the gateway process: connects to the warden that started it and serves until the
/// warden is gone.
public final class GatewayMain {
    private static final int LOOPS_MIN = 2;

    private GatewayMain() {}

    /// Takes two arguments: the channel's directory, and the one where copies of repositories are
    /// kept from one gateway to the next.
    public static void main(String[] args) {
        if (args.length != 2) {
            halt("the gateway takes two arguments, the channel's directory and the mirrors'");
            return;
        }
        Path work = Path.of(System.getProperty("java.io.tmpdir", ""));
        Places places = new Places(Path.of(args[0]), Path.of(args[1]), work);
        Loops loops = new Loops();
        try {
            PrivateMemory.ofThisProcess();
            Seccomp.onEveryThread(SyscallFilter.ofGateway());
            Ownership.requirePrivateDirectory(places.mirrors());
            serve(loops, places, ChannelClient.wardenPid(), GatewayMain::halt);
            CachePages.giveBackWith(loops.channel());
        } catch (IOException e) {
            halt(String.valueOf(e.getMessage()));
        }
    }

    /// The directories of a gateway.
    ///
    /// @param channel where the warden's sockets are
    /// @param mirrors where copies of repositories are kept
    /// @param work of this process alone
    private record Places(Path channel, Path mirrors, Path work) {}

    /// The threads of a gateway.
    ///
    /// @param channel of its own, so that no sandbox's traffic stands between the gateway and its
    ///   orders
    private record Loops(EventLoopGroup sandboxes, EventLoopGroup channel) {
        Loops() {
            this(of(Math.max(LOOPS_MIN, Runtime.getRuntime().availableProcessors())), of(1));
        }

        private static EventLoopGroup of(int threads) {
            return new MultiThreadIoEventLoopGroup(threads, EpollIoHandler.newFactory());
        }

        /// First who gives orders, then who would carry them out.
        void end() {
            channel.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
            sandboxes.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    /// Serves unconfined, and ends as any program does, when the warden has closed the channel: for
    /// a JVM that notes what the real one will need, and writes it down at its end (JEP 514).
    ///
    /// @param directory has the sockets of the channel, and stands for those that a gateway may
    ///   write to
    /// @param wardenPid the process that plays the warden
    public static void train(Path directory, long wardenPid)
            throws IOException, InterruptedException {
        Loops loops = new Loops();
        CountDownLatch ended = new CountDownLatch(1);
        var _ = new QueryJudge();
        try {
            Places places = new Places(directory, directory, directory);
            serve(loops, places, wardenPid, _ -> ended.countDown());
            ended.await();
        } finally {
            loops.end();
        }
    }

    /// Returns when the gateway is connected to its warden.
    ///
    /// @param halt told the reason when it has to end
    private static void serve(Loops loops, Places places, long wardenPid, Consumer<String> halt)
            throws IOException {
        CompletableFuture<ChannelClient> client = new CompletableFuture<>();
        Consumer<Message> warden =
                message -> {
                    var _ = client.thenAccept(channel -> channel.send(message));
                };
        EventLoopGroup sandboxes = loops.sandboxes();
        Gateway gateway =
                new Gateway(
                        sandboxes,
                        warden,
                        ChannelRecorder.connect(sandboxes, places.channel(), wardenPid, halt),
                        new JudgingGitDoor(sandboxes, places.work(), places.mirrors()),
                        places.work(),
                        halt);
        CleanLog.install(gateway::isKnown);
        client.complete(
                ChannelClient.connect(
                        loops.channel().next(), places.channel(), wardenPid, gateway));
        var _ =
                loops.channel()
                        .scheduleWithFixedDelay(
                                gateway::tellFigures,
                                FigureReports.PERIOD_SECONDS,
                                FigureReports.PERIOD_SECONDS,
                                TimeUnit.SECONDS);
    }

    /// At once, without shutdown hooks: a gateway without a warden must not serve one more byte.
    private static void halt(String reason) {
        System.getLogger(GatewayMain.class.getName()).log(Level.ERROR, "gateway ends: {0}", reason);
        Runtime.getRuntime().halt(1);
    }

    /// Has events recorded by the warden: each event loop on its own lane, so that whoever waits
    /// for an event goes on where it was; other threads on one that is chosen by session.
    record ChannelRecorder(List<RecordLane> lanes) implements Recorder {
        private static final Duration PATIENCE = Duration.ofSeconds(10);

        /// Opens a lane for each event loop.
        ///
        /// @param ended told when one of them is over
        static ChannelRecorder connect(
                EventLoopGroup loops, Path directory, long wardenPid, Consumer<String> ended)
                throws IOException {
            List<RecordLane> lanes = new ArrayList<>();
            for (EventExecutor loop : loops) {
                lanes.add(
                        RecordLane.connect(
                                (EventLoop) loop, directory, wardenPid, PATIENCE, ended));
            }
            return new ChannelRecorder(List.copyOf(lanes));
        }

        @Override
        public CompletableFuture<Void> record(AuditEvent event) {
            for (int i = 0; i < lanes.size(); i++) {
                if (lanes.get(i).isOurs()) {
                    return lanes.get(i).record(event);
                }
            }
            int any = Math.floorMod(event.session().hashCode(), lanes.size());
            return lanes.get(any).record(event);
        }
    }
}
