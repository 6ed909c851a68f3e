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
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;

/// Messages as JSON and back. Strict, because the other end may be a compromised gateway: the
/// `type` must name a permitted record, and a missing, null, repeated, unknown or ill-typed
/// property is an error.
final class MessageCodec {
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
                        type -> mapper.registerSubtypes(new NamedType(type, type.getSimpleName())));
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
