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
        Path mirrors = Path.of(args[1]);
        int threads = Math.max(LOOPS_MIN, Runtime.getRuntime().availableProcessors());
        EventLoopGroup loops =
                new MultiThreadIoEventLoopGroup(threads, EpollIoHandler.newFactory());
        // Of its own, so that no sandbox's traffic stands between the gateway and its orders.
        EventLoopGroup channelLoop =
                new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        CompletableFuture<ChannelClient> client = new CompletableFuture<>();
        Consumer<Message> warden =
                message -> {
                    var _ = client.thenAccept(channel -> channel.send(message));
                };
        Path work = Path.of(System.getProperty("java.io.tmpdir", ""));
        Path directory = Path.of(args[0]);
        try {
            PrivateMemory.ofThisProcess();
            Seccomp.onEveryThread(SyscallFilter.ofGateway());
            Ownership.requirePrivateDirectory(mirrors);
            long wardenPid = ChannelClient.wardenPid();
            Gateway gateway =
                    new Gateway(
                            loops,
                            warden,
                            ChannelRecorder.connect(loops, directory, wardenPid, GatewayMain::halt),
                            new JudgingGitDoor(loops, work, mirrors),
                            work,
                            GatewayMain::halt);
            CleanLog.install(gateway::isKnown);
            client.complete(
                    ChannelClient.connect(channelLoop.next(), directory, wardenPid, gateway));
            var _ =
                    channelLoop.scheduleWithFixedDelay(
                            gateway::tellFigures,
                            FigureReports.PERIOD_SECONDS,
                            FigureReports.PERIOD_SECONDS,
                            TimeUnit.SECONDS);
            CachePages.giveBackWith(channelLoop);
        } catch (IOException e) {
            halt(String.valueOf(e.getMessage()));
        }
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
