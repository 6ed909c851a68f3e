package dev.sallyport.gatehouse;

import dev.sallyport.config.ConfigException;
import dev.sallyport.control.Admission;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/// The socket that every account may knock at. Who knocks is what the kernel says; the answer is
/// that the account's own warden is ready, at a socket that only this account can connect to, or
/// why not. Nothing is ever read.
final class Gatehouse implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Gatehouse.class.getName());
    private static final int BACKLOG = 64;
    private static final int KNOCKS_MAX = 256;
    private static final int UID_NOBODY = 65_534;

    private final Knocks knocks;
    private final LodgedWardens wardens;
    private final Semaphore room = new Semaphore(KNOCKS_MAX);
    private final Channel channel;
    private final Path socket;

    /// @param group whose members may knock; anybody when absent
    Gatehouse(
            EventLoopGroup loops, Lodgings lodgings, LodgedWardens wardens, Optional<String> group)
            throws IOException {
        this.knocks = new Knocks();
        this.wardens = wardens;
        this.socket = lodgings.socket();
        Path unnamed = lodgings.own().resolve("new.sock");
        Files.deleteIfExists(unnamed);
        this.channel =
                new ServerBootstrap()
                        .group(loops)
                        .channel(EpollServerDomainSocketChannel.class)
                        .option(ChannelOption.SO_BACKLOG, BACKLOG)
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childHandler(new Reception())
                        .bind(new DomainSocketAddress(unnamed.toString()))
                        .syncUninterruptibly()
                        .channel();
        open(unnamed, group);
        Files.move(
                unnamed,
                socket,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    private static void open(Path socket, Optional<String> group) throws IOException {
        if (group.isPresent()) {
            var lookup = socket.getFileSystem().getUserPrincipalLookupService();
            Files.setAttribute(
                    socket, "posix:group", lookup.lookupPrincipalByGroupName(group.get()));
        }
        Files.setPosixFilePermissions(
                socket,
                PosixFilePermissions.fromString(group.isPresent() ? "rw-rw----" : "rw-rw-rw-"));
    }

    private final class Reception extends ChannelInitializer<EpollDomainSocketChannel> {
        @Override
        protected void initChannel(EpollDomainSocketChannel visitor) throws IOException {
            int uid = visitor.peerCredentials().uid();
            if (!room.tryAcquire()) {
                var _ = visitor.close();
                return;
            }
            visitor.closeFuture().addListener(_ -> room.release());
            Thread.ofVirtual().name("knock of " + uid).start(() -> answer(visitor, uid));
        }
    }

    private void answer(EpollDomainSocketChannel visitor, int uid) {
        Admission admission = admit(uid);
        byte[] line = (admission.json() + "\n").getBytes(StandardCharsets.UTF_8);
        visitor.writeAndFlush(Unpooled.wrappedBuffer(line))
                .addListener(ChannelFutureListener.CLOSE);
    }

    private Admission admit(int uid) {
        if (uid < 0 || uid == UID_NOBODY || isGateways(uid)) {
            return Admission.refused(
                    "This account is not served.", "Use an account that belongs to a person.");
        }
        try (Knocks.Turn turn = knocks.take(uid)) {
            if (!turn.granted()) {
                return Admission.refused(
                        "Too many of your commands are waiting.", "Try again in a moment.");
            }
            wardens.ready(uid);
            return Admission.READY;
        } catch (ConfigException e) {
            return Admission.refused(e.problem(), e.remedy());
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a warden could not be made ready", e);
            return Admission.refused(
                    "Your daemon could not be started.", "Ask the administrator for the log.");
        }
    }

    /// Whoever takes over a gateway has no business here.
    private static boolean isGateways(int uid) {
        return uid >= Lodgings.NUMBER_MIN && uid <= Lodgings.NUMBER_MAX + 1;
    }

    @Override
    public void close() throws IOException {
        channel.close().syncUninterruptibly();
        Files.deleteIfExists(socket);
    }

    /// Those who wait at the gatehouse, one after the other for each account, so that nobody's
    /// crowd keeps another from being served.
    private static final class Knocks {
        private static final int WAITING_MAX = 16;
        private static final int WAIT_SECONDS_MAX = 60;

        private final Map<Integer, Line> lines = new ConcurrentHashMap<>();

        private static final class Line {
            private final ReentrantLock lock = new ReentrantLock(true);
            private final AtomicInteger waiting = new AtomicInteger(1);

            Line longer() {
                waiting.incrementAndGet();
                return this;
            }

            boolean comesUp() {
                try {
                    return lock.tryLock(WAIT_SECONDS_MAX, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }

            /// Whether nobody is left in it.
            boolean shorter() {
                return waiting.decrementAndGet() == 0;
            }
        }

        /// One account's turn, or that there is none.
        interface Turn extends AutoCloseable {
            boolean granted();

            @Override
            void close();
        }

        /// Blocks until those before are served.
        Turn take(int uid) {
            Line line = lines.compute(uid, (_, old) -> old == null ? new Line() : old.longer());
            boolean granted = line.waiting.get() <= WAITING_MAX && line.comesUp();
            return new Turn() {
                @Override
                public boolean granted() {
                    return granted;
                }

                @Override
                public void close() {
                    if (granted) {
                        line.lock.unlock();
                    }
                    lines.computeIfPresent(uid, (_, current) -> current.shorter() ? null : current);
                }
            };
        }
    }
}
