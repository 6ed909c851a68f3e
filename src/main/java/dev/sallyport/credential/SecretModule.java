package dev.sallyport.credential;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.util.Arrays;

/// Carries a [Secret] through JSON as a Base64 string, so that the channel, the control API and the
/// secret files can hold one without a package other than this reading it.
public final class SecretModule extends SimpleModule {
    private static final long serialVersionUID = 1L;

    public SecretModule() {
        super("sallyport-secret", Version.unknownVersion());
        addSerializer(Secret.class, new Writer());
        addDeserializer(Secret.class, new Reader());
    }

    private static final class Writer extends StdSerializer<Secret> {
        private static final long serialVersionUID = 1L;

        Writer() {
            super(Secret.class);
        }

        @Override
        public void serialize(Secret secret, JsonGenerator json, SerializerProvider provider)
                throws IOException {
            byte[] value = secret.reveal();
            try {
                json.writeBinary(value);
            } finally {
                Arrays.fill(value, (byte) 0);
            }
        }
    }

    private static final class Reader extends StdDeserializer<Secret> {
        private static final long serialVersionUID = 1L;

        Reader() {
            super(Secret.class);
        }

        /// Decoded from the parser's buffer, because a string could not be wiped. The decoder's own
        /// messages quote the offending text, which may be the secret in the clear; they are
        /// dropped, cause included.
        @Override
        public Secret deserialize(JsonParser json, DeserializationContext context)
                throws IOException {
            if (!json.hasToken(JsonToken.VALUE_STRING)) {
                throw JsonMappingException.from(context, "a secret is a Base64 string");
            }
            byte[] value = {};
            try {
                value = json.getBinaryValue();
                return Secret.of(value);
            } catch (JsonProcessingException | IllegalArgumentException _) {
                throw JsonMappingException.from(
                        context, "a secret is the Base64 of text without control characters");
            } finally {
                Arrays.fill(value, (byte) 0);
            }
        }
    }
}
