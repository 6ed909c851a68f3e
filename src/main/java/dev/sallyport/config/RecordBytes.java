package dev.sallyport.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sallyport.credential.SecretModule;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/// Records of one type as bytes: JSON, which is read strictly, and encrypted where there is a key.
///
/// @param key what they are encrypted to
/// @param type a record whose constructor refuses what cannot be, with an
///   [IllegalArgumentException]
public record RecordBytes<T>(Optional<AgeKey> key, Class<T> type) {
    private static final JsonMapper JSON =
            JsonMapper.builder()
                    .addModule(new SecretModule())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .build();

    /// The caller wipes them if they are not encrypted.
    public byte[] of(T value) throws IOException {
        byte[] plain = JSON.writeValueAsBytes(value);
        if (key.isEmpty()) {
            return plain;
        }
        try {
            return key.get().seal(plain);
        } finally {
            Arrays.fill(plain, (byte) 0);
        }
    }

    /// Reads what [#of] wrote. The caller wipes the bytes.
    ///
    /// @param shown what they are called in complaints
    public T read(byte[] bytes, String shown) throws IOException {
        byte[] plain = key.isPresent() ? opened(key.get(), bytes, shown) : bytes.clone();
        try {
            return JSON.readValue(plain, type);
        } catch (JsonProcessingException _) {
            // A parser's message may quote a key.
            throw new ConfigException(
                    shown + " is damaged: it is not what was written.",
                    "Restore it from a backup.");
        } finally {
            Arrays.fill(plain, (byte) 0);
        }
    }

    private static byte[] opened(AgeKey key, byte[] bytes, String shown) throws IOException {
        try {
            return key.open(bytes);
        } catch (AgeKey.NotSealedException _) {
            throw new ConfigException(
                    shown + " cannot be decrypted with the key in " + key.file() + ".",
                    "All gateways of a store need the same key. Copy it from one that works. Nothing was changed.");
        }
    }
}
