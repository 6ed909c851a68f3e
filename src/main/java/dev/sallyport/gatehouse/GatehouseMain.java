package dev.sallyport.gatehouse;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Ownership;
import dev.sallyport.confine.Jvm;
import dev.sallyport.confine.PrivateMemory;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Entry point of the gatehouse. Its arguments are the directory of all accounts and, if only its
/// members may knock, a group.
public final class GatehouseMain {
    private static final System.Logger LOG = System.getLogger(GatehouseMain.class.getName());
    private static final int END_SECONDS_MAX = 20;

    private GatehouseMain() {}

    /// Serves until a signal ends it.
    ///
    /// @param warden how a warden is started
    public static void main(String[] args, List<String> warden) {
        try {
            if (args.length < 1 || args.length > 2) {
                throw new ConfigException(
                        "The directory of the service is missing.",
                        "Run: sallyport internal-gatehouse DIRECTORY [GROUP]");
            }
            Optional<String> group = args.length == 2 ? Optional.of(args[1]) : Optional.empty();
            run(new Lodgings(Path.of(args[0]).toAbsolutePath().normalize()), warden, group);
            System.exit(0);
        } catch (ConfigException e) {
            LOG.log(System.Logger.Level.ERROR, "the gatehouse cannot run: " + e.getMessage());
            System.exit(1);
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the gatehouse cannot run: " + e.getMessage(), e);
            System.exit(1);
        }
    }

    private static void run(Lodgings lodgings, List<String> warden, Optional<String> group)
            throws IOException {
        if (Ownership.ownUid() != 0) {
            throw new ConfigException(
                    "Only root can serve other accounts.",
                    "To start a daemon for yourself, run: sallyport up");
        }
        PrivateMemory.ofThisProcess();
        lodgings.prepare();
        System.setProperty("io.netty.native.workdir", lodgings.own().toString());
        Path lock = lodgings.own().resolve("lock");
        Ownership.createPrivateFile(lock);
        try (FileChannel channel =
                FileChannel.open(lock, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            if (channel.tryLock() == null) {
                throw new ConfigException(
                        "Another service already runs for " + lodgings.service() + ".",
                        "Use it, or stop it first.");
            }
            serve(
                    lodgings,
                    new LodgedWardens(lodgings, warden, Jvm.daemonEnvironment(System.getenv())),
                    group);
        }
    }

    private static void serve(Lodgings lodgings, LodgedWardens wardens, Optional<String> group)
            throws IOException {
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        endOnSignal(over, closed);
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try (Gatehouse _ = new Gatehouse(loops, lodgings, wardens, group)) {
            LOG.log(System.Logger.Level.INFO, "ready on " + lodgings.socket());
            Readiness.tell(loops, System.getenv().getOrDefault("NOTIFY_SOCKET", ""));
            wardens.resume();
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            wardens.close();
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
            closed.countDown();
        }
    }

    private static void endOnSignal(CountDownLatch over, CountDownLatch closed) {
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform()
                                .unstarted(
                                        () -> {
                                            over.countDown();
                                            await(closed);
                                        }));
    }

    private static void await(CountDownLatch closed) {
        try {
            var _ = closed.await(END_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Tells a service manager that we serve (`Type=notify`), so that whoever starts the service
    /// can use it at once, and learns when it does not start.
    private static final class Readiness {
        private static final System.Logger LOG = System.getLogger(Readiness.class.getName());

        /// Waits for nothing: others may write to the same socket, and fill it.
        ///
        /// @param socket what `NOTIFY_SOCKET` says; empty when nobody wants to know
        static void tell(EventLoopGroup loops, String socket) {
            if (socket.isEmpty()) {
                return;
            }
            String address = socket.startsWith("@") ? '\0' + socket.substring(1) : socket;
            new Bootstrap()
                    .group(loops)
                    .channel(EpollDomainDatagramChannel.class)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(new DomainSocketAddress(address))
                    .addListener((ChannelFutureListener) Readiness::say);
        }

        private static void say(ChannelFuture connected) {
            if (!connected.isSuccess()) {
                LOG.log(
                        System.Logger.Level.ERROR,
                        "nobody learns that we serve",
                        connected.cause());
                return;
            }
            connected
                    .channel()
                    .writeAndFlush(Unpooled.copiedBuffer("READY=1", StandardCharsets.US_ASCII))
                    .addListener(ChannelFutureListener.CLOSE);
        }
    }
}
