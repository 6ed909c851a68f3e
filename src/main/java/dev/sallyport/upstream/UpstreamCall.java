package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.policy.Refusal;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The caller's end of one request upstream. All methods are called on the event loop that the call
/// was made with, which is the one of the downstream connection, so that neither side waits for a
/// lock or hops a thread.
public final class UpstreamCall {
    /// At most this much waits for upstream's socket before the sandbox is paused.
    private static final WriteBufferWaterMark SEND_BUFFER =
            new WriteBufferWaterMark(64 * 1024, 256 * 1024);

    private final UpstreamHost host;
    private final UpstreamRequest request;
    private final CredentialBook credentials;
    private final Limits.Upstream limits;
    private final EventLoop loop;
    private final UpstreamEvents events;
    private final Spellings spellings;
    private boolean suffixed;
    private boolean askedAgain;
    private boolean closed;
    private boolean readingWanted = true;
    private @Nullable UpstreamExchange exchange;

    /// Ends what is under way before there is a connection.
    private Runnable giveUp = () -> {};

    UpstreamCall(
            UpstreamHost host,
            UpstreamRequest request,
            CredentialBook credentials,
            Limits.Upstream limits,
            EventLoop loop,
            UpstreamEvents events,
            Spellings spellings) {
        this.host = host;
        this.request = request;
        this.credentials = credentials;
        this.limits = limits;
        this.loop = loop;
        this.events = events;
        this.spellings = spellings;
        this.suffixed = spellings.isSuffixed(request.permit().repo());
    }

    /// First the credential, which may have to be minted, then the connection.
    void start(Resolver resolver) {
        var _ =
                credentials
                        .prepare(request.permit())
                        .orTimeout(limits.connectSecondsMax(), TimeUnit.SECONDS)
                        .whenComplete(
                                (_, problem) ->
                                        loop.execute(() -> prepared(problem == null, resolver)));
    }

    private void prepared(boolean withCredential, Resolver resolver) {
        if (!withCredential) {
            fail(Refusal.CREDENTIAL_MISSING);
        } else if (!closed) {
            dial(resolver);
        }
    }

    private void dial(Resolver resolver) {
        if (host.dial().isPresent()) {
            connect(List.of(host.dial().get()));
            return;
        }
        CompletableFuture<List<InetSocketAddress>> addresses =
                resolver.resolve(request.permit().session(), host.name())
                        .orTimeout(limits.connectSecondsMax(), TimeUnit.SECONDS);
        giveUp = () -> addresses.cancel(false);
        var _ =
                addresses.whenComplete(
                        (found, problem) -> loop.execute(() -> resolved(found, problem)));
    }

    private void resolved(@Nullable List<InetSocketAddress> found, @Nullable Throwable problem) {
        if (found != null) {
            connect(found);
            return;
        }
        fail(problem == null ? Refusal.INTERNAL : UpstreamException.of(problem).refusal());
    }

    /// Dials the first address; the others are tried only when no connection came about, never
    /// after upstream has had a chance to say something.
    private void connect(List<InetSocketAddress> addresses) {
        if (closed) {
            return;
        }
        InetSocketAddress address = addresses.getFirst();
        UpstreamExchange attempt =
                new UpstreamExchange(
                        request,
                        request.target(suffixed),
                        credentials,
                        limits,
                        new Spelled(addresses),
                        address.getPort());
        exchange = attempt;
        ChannelFuture connecting =
                new Bootstrap()
                        .group(loop)
                        .channel(EpollSocketChannel.class)
                        .option(ChannelOption.TCP_NODELAY, true)
                        .option(ChannelOption.AUTO_READ, false)
                        .option(
                                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                                (int) TimeUnit.SECONDS.toMillis(limits.connectSecondsMax()))
                        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, SEND_BUFFER)
                        .handler(new UpstreamPipeline(host, limits, attempt))
                        .connect(address);
        giveUp =
                () -> {
                    var _ = connecting.channel().close();
                };
        connecting.addListener(
                (ChannelFuture done) -> connected(done, addresses.subList(1, addresses.size())));
    }

    private void connected(ChannelFuture done, List<InetSocketAddress> others) {
        giveUp = () -> {};
        if (done.isSuccess()) {
            if (closed) {
                var _ = done.channel().close();
            }
        } else if (!others.isEmpty()) {
            connect(others);
        } else {
            fail(
                    done.cause() instanceof ConnectTimeoutException
                            ? Refusal.UPSTREAM_TIMEOUT
                            : Refusal.UPSTREAM_UNREACHABLE);
        }
    }

    private void fail(Refusal reason) {
        if (!closed) {
            closed = true;
            events.failed(Failure.of(reason));
        }
    }

    /// Asks a plain host that does not know the repository for its other name, once, and remembers
    /// the one that it knows.
    private final class Spelled implements UpstreamEvents {
        private final List<InetSocketAddress> addresses;

        Spelled(List<InetSocketAddress> addresses) {
            this.addresses = addresses;
        }

        @Override
        public void failed(Failure failure) {
            boolean unknown = failure.reason() == Refusal.REPO_NOT_FOUND;
            if (unknown && host.plain() && request.changesNothing() && !askedAgain) {
                askedAgain = true;
                suffixed = !suffixed;
                connect(addresses);
            } else {
                events.failed(failure);
            }
        }

        @Override
        public void begun(OptionalLong length) {
            spellings.found(request.permit().repo(), suffixed);
            events.begun(length);
        }

        @Override
        public void writable(boolean writable) {
            events.writable(writable);
        }

        @Override
        public void piece(ByteBuf piece) {
            events.piece(piece);
        }

        @Override
        public void complete() {
            events.complete();
        }
    }

    public boolean isWritable() {
        return exchange != null && exchange.isWritable();
    }

    /// Sends a piece of the body. Takes ownership; the caller heeds [#isWritable].
    public void write(ByteBuf piece) {
        if (exchange == null) {
            piece.release();
        } else {
            exchange.write(piece);
        }
    }

    /// The body is complete.
    public void end() {
        if (exchange != null) {
            exchange.end();
        }
    }

    /// Lets the answer come, or holds it back while the sandbox is slow to take it.
    public void reading(boolean wanted) {
        if (exchange != null && readingWanted != wanted) {
            readingWanted = wanted;
            exchange.reading(wanted);
        }
    }

    /// Gives up: nothing more is sent, and no event follows.
    public void close() {
        closed = true;
        giveUp.run();
        if (exchange != null) {
            exchange.close();
        }
    }
}
