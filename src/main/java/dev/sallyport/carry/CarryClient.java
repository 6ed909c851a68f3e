package dev.sallyport.carry;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.unix.FileDescriptor;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The end of a machine with sandboxes: carries the connections of one sandbox to the gateway. It
/// keeps a connection there, has up to four while they are busy, and connects again when one is
/// lost; what is accepted meanwhile waits for a moment. All methods may be called from any thread.
public final class CarryClient implements AutoCloseable {
    private static final int LINES_MAX = 4;

    /// A line with as many streams is busy, so there is another one.
    private static final int BUSY_STREAMS = 64;

    private static final int WAITING_MAX = 1_024;
    private static final int WAIT_SECONDS_MAX = 10;
    private static final int PAUSE_MILLIS_MIN = 50;
    private static final int PAUSE_MILLIS_MAX = 2_000;

    /// As long as a certificate lives. Then what is carried with the old one is cut.
    private static final int LEAVE_MINUTES_MAX = 60;

    private static final int READ_BYTES_MAX = 128 * 1_024;

    /// What becomes of the way to the gateway. On one event loop; must not block.
    public interface Events {
        /// There is a way now, with the certificate that was given last.
        void connected();

        /// The gateway does not take our certificate. It is tried again, and with the next one that
        /// is given to [#use].
        void refused(String why);

        /// There is none any more, or still none. It is tried again.
        void lost(String why);
    }

    /// Somebody who waits for a line.
    private record Waiting(Consumer<Line> ready, Runnable expired, long deadlineNanos) {}

    private final EventLoop loop;
    private final Dialler dialler;
    private final Events events;
    private final DnsQuestions questions = new DnsQuestions(this::whenUp);
    private final List<Line> lines = new ArrayList<>();
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private String gateway = "";
    private @Nullable SslContext context;
    private @Nullable Future<?> expiry;
    private boolean dialling;
    private boolean pausing;
    private int failures;
    private boolean closed;

    /// Connects as soon as it has a certificate, see [#use].
    public CarryClient(EventLoopGroup loops, Dialler dialler, Events events) {
        this.loop = loops.next();
        this.dialler = dialler;
        this.events = events;
    }

    /// From now on new connections to the gateway are made with this certificate; those that are
    /// there take nothing more and end with what they carry. Takes ownership.
    public void use(SslContext next) {
        loop.execute(() -> use(gateway, next));
    }

    /// As [#use(SslContext)], at a gateway that may be another one. One that had the sandbox before
    /// serves it no more, so what it carries ends.
    ///
    /// @param at where it is, to tell it from others
    public void use(SslContext next, String at) {
        loop.execute(() -> use(at, next));
    }

    private void use(String at, SslContext next) {
        ReferenceCountUtil.release(context);
        context = next;
        if (closed) {
            release();
            return;
        }
        failures = 0;
        boolean same = at.equals(gateway);
        gateway = at;
        List.copyOf(lines).forEach(line -> retire(line, same));
        dial();
    }

    private void retire(Line line, boolean sameGateway) {
        if (sameGateway) {
            leave(line);
        } else {
            line.close();
        }
    }

    private void leave(Line line) {
        line.leave();
        var late = loop.schedule(line::close, LEAVE_MINUTES_MAX, TimeUnit.MINUTES);
        line.whenOver(() -> late.cancel(false));
    }

    /// Carries a connection that was accepted and from which nothing was read: auto-read is off,
    /// and its local address is what was dialled. Takes ownership.
    public void carry(Channel accepted) {
        if (accepted.localAddress() instanceof InetSocketAddress dialled) {
            carry(accepted, dialled);
        } else {
            CarriedChannel.reset(accepted);
        }
    }

    /// The same for a socket that stands for another address.
    ///
    /// @param dialled an address of the loopback network, as the sandbox has it
    public void carry(Channel accepted, InetSocketAddress dialled) {
        Pump.prepare(accepted);
        accepted.config()
                .setRecvByteBufAllocator(
                        new AdaptiveRecvByteBufAllocator(512, 4_096, READ_BYTES_MAX));
        Runnable failed = () -> CarriedChannel.reset(accepted);
        loop.execute(
                () ->
                        whenUp(
                                line ->
                                        line.connect(
                                                dialled,
                                                stream -> Pump.join(accepted, stream),
                                                failed),
                                failed));
    }

    /// Asks the gateway's resolver one question, as it stands in a datagram. Takes ownership of the
    /// question; whoever gets the answer owns that. Empty when there is none.
    public void ask(ByteBuf question, Consumer<Optional<ByteBuf>> answer) {
        loop.execute(() -> questions.ask(question, answer));
    }

    /// Ends everything that is carried.
    @Override
    public void close() {
        loop.execute(
                () -> {
                    closed = true;
                    release();
                    List.copyOf(lines).forEach(Line::close);
                    expire(true);
                });
    }

    private void release() {
        ReferenceCountUtil.release(context);
        context = null;
    }

    /// At once, or when there is a line with room; on the event loop.
    ///
    /// @param failed runs instead when there was none for too long
    private void whenUp(Consumer<Line> ready, Runnable failed) {
        if (closed || waiting.size() >= WAITING_MAX) {
            failed.run();
            return;
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS_MAX);
        waiting.add(new Waiting(ready, failed, deadline));
        serveWaiting();
        if (expiry == null && !waiting.isEmpty()) {
            expiry = loop.scheduleWithFixedDelay(() -> expire(false), 1, 1, TimeUnit.SECONDS);
        }
    }

    private void serveWaiting() {
        Optional<Line> best = roomiest();
        while (best.isPresent() && !waiting.isEmpty()) {
            waiting.remove().ready().accept(best.get());
            best = roomiest();
        }
        dial();
    }

    private Optional<Line> roomiest() {
        return lines.stream().filter(Line::hasRoom).min(Comparator.comparingInt(Line::streams));
    }

    /// Who waits because all lines are full waits on, as in the backlog of a socket.
    private void expire(boolean all) {
        long now = System.nanoTime();
        boolean up = lines.stream().anyMatch(Line::isUp);
        while (!waiting.isEmpty()
                && (all || (!up && now - waiting.element().deadlineNanos() >= 0))) {
            waiting.remove().expired().run();
        }
        Future<?> running = expiry;
        if (waiting.isEmpty() && running != null) {
            running.cancel(false);
            expiry = null;
        }
    }

    /// There is one line, and one more while all of them are busy.
    private void dial() {
        boolean enough = lines.stream().anyMatch(l -> l.isUp() && l.streams() < BUSY_STREAMS);
        long counted = lines.stream().filter(l -> l.isUp() || l.isConnecting()).count();
        if (closed || context == null || dialling || pausing || enough || counted >= LINES_MAX) {
            return;
        }
        dialling = true;
        String at = gateway;
        dialler.dial(
                descriptor -> loop.execute(() -> open(at, descriptor)),
                why ->
                        loop.execute(
                                () -> {
                                    dialling = false;
                                    failed(false, "the gateway cannot be reached: " + why);
                                }));
    }

    /// @param at where the gateway was when the connection was asked for
    private void open(String at, FileDescriptor descriptor) {
        SslContext current = context;
        if (closed || current == null || !at.equals(gateway)) {
            dialling = false;
            Dialler.discard(descriptor);
            dial();
        } else {
            lines.add(Line.open(loop, descriptor, current, new Outcome()));
        }
    }

    private void failed(boolean refused, String why) {
        boolean up = lines.stream().anyMatch(Line::isUp);
        if (closed) {
            return;
        }
        if (refused) {
            events.refused(why);
        } else if (!up) {
            events.lost(why);
        }
        if (!pausing) {
            pausing = true;
            var _ = loop.schedule(this::dialAgain, pauseMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void dialAgain() {
        pausing = false;
        dial();
    }

    /// Twice as long each time, and not at the same time as everybody else.
    private long pauseMillis() {
        int most = Math.min(PAUSE_MILLIS_MAX, PAUSE_MILLIS_MIN << Math.min(failures, 10));
        failures++;
        return ThreadLocalRandom.current().nextLong(most / 2, most + 1L);
    }

    private final class Outcome implements Line.Owner {
        private boolean wasUp;

        @Override
        public void up(Line line) {
            dialling = false;
            wasUp = true;
            failures = 0;
            if (lines.stream().filter(Line::isUp).count() == 1) {
                events.connected();
            }
            serveWaiting();
        }

        @Override
        public void freed(Line line) {
            serveWaiting();
        }

        @Override
        public void left(Line line) {
            gone(line);
            dial();
        }

        @Override
        public void over(Line line, boolean refused, String why) {
            gone(line);
            failed(refused, why);
        }

        private void gone(Line line) {
            lines.remove(line);
            if (!wasUp) {
                dialling = false;
            }
        }
    }
}
