package dev.sallyport.channel;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.sallyport.credential.SecretModule;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.netty.handler.codec.MessageToMessageCodec;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// The handlers of the message socket, the same on both ends but for the direction that may come
/// in.
final class MessagePipeline {
    private static final int LENGTH_BYTES = 4;

    /// After as many messages they are sent, even when more are on their way.
    private static final int FLUSHES_MAX = 256;

    /// What an end does with a message that arrives, on the channel's event loop.
    interface Receiver {
        void message(Message message) throws IOException;
    }

    /// @param ended told once, on the event loop, that the connection is over, by whichever side
    ///   and for whatever reason
    static void install(
            Channel channel,
            Message.Direction incoming,
            Receiver receiver,
            Consumer<String> ended) {
        // Many messages of one moment leave in one write: each tells of its use.
        channel.pipeline()
                .addLast(new FlushConsolidationHandler(FLUSHES_MAX, true))
                .addLast(
                        new LengthFieldBasedFrameDecoder(
                                MessageCodec.MESSAGE_BYTES_MAX + LENGTH_BYTES,
                                0,
                                LENGTH_BYTES,
                                0,
                                LENGTH_BYTES))
                .addLast(new LengthFieldPrepender(LENGTH_BYTES))
                .addLast(new Json(incoming))
                .addLast(new Delivery(receiver, ended));
    }

    /// Refuses what the permission table does not allow, both when sending and when receiving.
    private static final class Json extends MessageToMessageCodec<ByteBuf, Message> {
        private final MessageCodec codec = new MessageCodec();
        private final Message.Direction incoming;

        Json(Message.Direction incoming) {
            this.incoming = incoming;
        }

        @Override
        protected void encode(ChannelHandlerContext context, Message message, List<Object> out) {
            if (message.direction() == incoming) {
                throw new IllegalArgumentException(
                        message.getClass().getSimpleName() + " is not ours to send");
            }
            byte[] bytes = codec.encode(message);
            out.add(context.alloc().ioBuffer(bytes.length).writeBytes(bytes));
            Arrays.fill(bytes, (byte) 0);
        }

        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf frame, List<Object> out)
                throws IOException {
            byte[] bytes = new byte[frame.readableBytes()];
            frame.readBytes(bytes);
            Message message = codec.decode(bytes);
            Arrays.fill(bytes, (byte) 0);
            if (message.direction() != incoming) {
                throw new ChannelException(
                        message.getClass().getSimpleName() + " is not theirs to send");
            }
            out.add(message);
        }
    }

    /// Delivers until the first violation; frames that arrived together with it are dropped.
    private static final class Delivery extends SimpleChannelInboundHandler<Message> {
        private final Receiver receiver;
        private final Consumer<String> ended;
        private boolean broken;
        private String reason = "the other end closed the connection";

        Delivery(Receiver receiver, Consumer<String> ended) {
            this.receiver = receiver;
            this.ended = ended;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, Message message)
                throws IOException {
            if (!broken) {
                receiver.message(message);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            broken = true;
            reason = String.valueOf(cause.getMessage());
            var _ = context.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            ended.accept(reason);
        }
    }

    /// Messages as JSON and back. Strict, because the other end may be a compromised gateway: the
    /// `type` must name a permitted record, and a missing, null, repeated, unknown or ill-typed
    /// property is an error.
    static final class MessageCodec {
        static final int MESSAGE_BYTES_MAX = 1 << 20;

        @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
        private interface Typed {}

        private final ObjectMapper mapper;

        MessageCodec() {
            mapper =
                    JsonMapper.builder()
                            .addModule(new Jdk8Module())
                            .addModule(new SecretModule())
                            .addMixIn(Message.class, Typed.class)
                            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                            .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                            .build();
            records(Message.class)
                    .forEach(
                            type ->
                                    mapper.registerSubtypes(
                                            new NamedType(type, type.getSimpleName())));
        }

        /// Those that a sealed type permits, however far below.
        static Stream<Class<?>> records(Class<?> type) {
            return type.isSealed()
                    ? Arrays.stream(type.getPermittedSubclasses()).flatMap(MessageCodec::records)
                    : Stream.of(type);
        }

        byte[] encode(Message message) {
            byte[] bytes;
            try {
                bytes = mapper.writerFor(Message.class).writeValueAsBytes(message);
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException("a message that cannot be written", e);
            }
            if (bytes.length > MESSAGE_BYTES_MAX) {
                throw new IllegalArgumentException(
                        "a message has at most " + MESSAGE_BYTES_MAX + " bytes");
            }
            return bytes;
        }

        Message decode(byte[] bytes) throws IOException {
            Message message = mapper.readValue(bytes, Message.class);
            if (message == null) {
                throw new IOException("a message is an object");
            }
            return message;
        }
    }
}
