package dev.sallyport.control;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import dev.sallyport.credential.SecretModule;

/// The JSON of the control API. Requests are read strictly, so that a misspelt option is an error
/// and not a surprise; answers tolerate properties of a newer warden.
public final class ApiJson {
    /// Of a request.
    public static final int BODY_BYTES_MAX = 1 << 20;

    /// Of an answer: a list of thousands of sandboxes, each with its rules.
    static final int ANSWER_BYTES_MAX = 64 << 20;

    private ApiJson() {}

    public static ObjectMapper requests() {
        return builder()
                .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .build();
    }

    static ObjectMapper answers() {
        return builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
    }

    private static JsonMapper.Builder builder() {
        return JsonMapper.builder()
                .addModule(new Jdk8Module())
                .addModule(new SecretModule())
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS);
    }
}
