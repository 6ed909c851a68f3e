package dev.sallyport.carry;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelOption;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// One stream of HTTP/2 as if it were the socket of the connection that it carries: bytes, an end
/// for each direction, a reset, and room for so many bytes and no more. Whoever serves sockets can
/// serve it. Its local address is what the program in the sandbox dialled.
///
/// It is not registered when it is made, like a connection that has just been accepted; it belongs
/// to its parent's event loop. `SO_LINGER` of 0 makes [#close] a reset.
final class CarriedChannel extends AbstractChannel implements DuplexChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false);

    /// What is written here and waits for the other side's window.
    private static final WriteBufferWaterMark WAITING_BYTES =
            new WriteBufferWaterMark(64 * 1_024, 128 * 1_024);

    /// How long what was written before a close may take; a kernel gives it minutes as well.
    private static final int LAST_BYTES_SECONDS_MAX = 600;

    /// How long the other side may take to end as well.
    private static final int LAST_WORD_SECONDS_MAX = 5;

    private final Http2StreamChannel stream;
    private final CarryFrames.Window window;
    private final InetSocketAddress dialled;
    private final ServerChannel from;
    private final CarriedConfig config = new CarriedConfig(this);
    private final UnreadBytes waiting = new UnreadBytes();
    private volatile boolean open = true;
    private volatile boolean inputShut;
    private volatile boolean outputShut;
    private boolean wanted;
    private boolean deliveryDue;
    private boolean inputEnded;
    private @Nullable ChannelFuture lastWord;

    private CarriedChannel(
            Http2StreamChannel stream, CarryFrames.Window window, InetSocketAddress dialled) {
        super(stream);
        this.stream = stream;
        this.window = window;
        this.dialled = dialled;
        this.from = asServer(stream);
    }

    /// The same channel as one that accepts. Netty takes a connection that none has accepted for a
    /// client's, and in HTTP/2 it then refuses the first stream.
    private static ServerChannel asServer(Channel stream) {
        return (ServerChannel)
                Proxy.newProxyInstance(
                        CarriedChannel.class.getClassLoader(),
                        new Class<?>[] {ServerChannel.class},
                        (_, method, arguments) -> method.invoke(stream, arguments));
    }

    @Override
    public Channel parent() {
        return from;
    }

    /// Takes the stream over; on its event loop.
    static CarriedChannel of(
            Http2StreamChannel stream, CarryFrames frames, InetSocketAddress dialled) {
        CarriedChannel carried = new CarriedChannel(stream, frames.window(stream), dialled);
        stream.config().setOption(Http2StreamChannelOption.AUTO_STREAM_FLOW_CONTROL, false);
        stream.config().setWriteBufferWaterMark(WAITING_BYTES);
        stream.closeFuture().addListener(_ -> carried.window.close());
        return carried;
    }

    /// Ends it so that the other side can tell it from a proper end.
    static void reset(Channel channel) {
        try {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
        } catch (ChannelException _) {
            // It is closed already.
        }
        if (channel.isRegistered()) {
            var _ = channel.close();
        } else {
            channel.unsafe().close(channel.unsafe().voidPromise());
        }
    }

    /// Takes ownership. Padding is of no use to anybody.
    void arrived(Http2DataFrame frame) {
        ByteBuf bytes = frame.content();
        window.taken(frame.initialFlowControlledBytes() - bytes.readableBytes(), false);
        inputEnded |= frame.isEndStream();
        if (!open || inputShut || !bytes.isReadable()) {
            bytes.release();
        } else if (wanted && waiting.isEmpty()) {
            deliver(bytes);
        } else {
            waiting.add(alloc(), bytes);
        }
        endIfOver();
    }

    private void deliver(ByteBuf bytes) {
        wanted = false;
        window.taken(bytes.readableBytes(), waiting.isEmpty());
        pipeline().fireChannelRead(bytes).fireChannelReadComplete();
        stream.flush();
    }

    /// Later, because whoever wants more does not get it from inside of saying so.
    @Override
    protected void doBeginRead() {
        wanted = true;
        if (!waiting.isEmpty() && !deliveryDue) {
            deliveryDue = true;
            eventLoop().execute(this::deliverWaiting);
        }
    }

    private void deliverWaiting() {
        deliveryDue = false;
        if (open && wanted && !waiting.isEmpty()) {
            deliver(waiting.remove());
            endIfOver();
        }
    }

    /// The end is noticed without a read, as that of a socket.
    private void endIfOver() {
        if (!inputEnded || inputShut || !open || !waiting.isEmpty()) {
            return;
        }
        inputShut = true;
        if (config.isHalfClosure()) {
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        } else {
            unsafe().close(unsafe().voidPromise());
        }
    }

    /// The other side has reset the stream, or the connection that carried it is gone.
    void broken(String why) {
        if (open) {
            waiting.release();
            if (isRegistered()) {
                pipeline().fireExceptionCaught(new IOException(why));
            }
            unsafe().close(unsafe().voidPromise());
        }
    }

    /// To be asked on the event loop.
    UnreadBytes unread() {
        return waiting;
    }

    /// The stream is over.
    void gone() {
        if (!inputEnded || !outputShut) {
            broken("the connection to the other machine was lost");
        }
    }

    void writable() {
        if (isRegistered()) {
            ((Reach) unsafe()).writeOn();
        }
    }

    /// A flush may make room at once, which nobody is told while this is running.
    @Override
    protected void doWrite(ChannelOutboundBuffer written) {
        while (written.current() instanceof ByteBuf bytes && stream.isWritable()) {
            if (bytes.isReadable()) {
                var _ = stream.write(new DefaultHttp2DataFrame(bytes.retain()));
            }
            written.remove();
            if (written.isEmpty() || !stream.isWritable()) {
                stream.flush();
            }
        }
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf) {
            return message;
        }
        throw new UnsupportedOperationException("a stream carries bytes only");
    }

    @Override
    protected void doShutdownOutput() {
        var _ = lastWord();
    }

    private ChannelFuture lastWord() {
        ChannelFuture said = lastWord;
        if (said == null) {
            outputShut = true;
            said = stream.writeAndFlush(new DefaultHttp2DataFrame(true));
            lastWord = said;
        }
        return said;
    }

    /// What was written goes out first, unless this is a reset.
    @Override
    protected void doClose() {
        open = false;
        if (stream.eventLoop().inEventLoop()) {
            leave();
        } else {
            // It waits to be let in, in the hands of another event loop.
            stream.eventLoop().execute(this::leave);
        }
    }

    private void leave() {
        waiting.release();
        if (!stream.isActive()) {
            return;
        }
        if (config.isReset()) {
            var _ = stream.close();
            return;
        }
        resetAfter(LAST_BYTES_SECONDS_MAX);
        lastWord().addListener(_ -> resetAfter(LAST_WORD_SECONDS_MAX));
    }

    /// A stream that has ended in both directions is over by itself.
    private void resetAfter(int seconds) {
        Runnable reset =
                () -> {
                    var _ = stream.close();
                };
        var late = stream.eventLoop().schedule(reset, seconds, TimeUnit.SECONDS);
        stream.closeFuture().addListener(_ -> late.cancel(false));
    }

    /// Nobody wants to read any more.
    void unwant() {
        wanted = false;
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        onLoop(() -> ((Reach) unsafe()).shutdownOutput(promise));
        return promise;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        onLoop(
                () -> {
                    inputShut = true;
                    waiting.release();
                    promise.setSuccess();
                });
        return promise;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        var _ = shutdownInput();
        return shutdownOutput(promise);
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    private void onLoop(Runnable step) {
        if (eventLoop().inEventLoop()) {
            step.run();
        } else {
            eventLoop().execute(step);
        }
    }

    @Override
    public boolean isInputShutdown() {
        return inputShut;
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShut;
    }

    @Override
    public boolean isShutdown() {
        return inputShut && outputShut;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new Reach();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop.equals(stream.eventLoop());
    }

    @Override
    protected SocketAddress localAddress0() {
        return dialled;
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return stream.remoteAddress();
    }

    @Override
    protected void doBind(SocketAddress address) {
        throw new UnsupportedOperationException("a stream is connected already");
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    private final class Reach extends AbstractUnsafe {
        @Override
        public void connect(
                SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
            promise.setFailure(new UnsupportedOperationException("a stream is connected already"));
        }

        void writeOn() {
            flush0();
        }
    }
}
