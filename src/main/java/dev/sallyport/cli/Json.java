package dev.sallyport.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;

/// Writes the records of the control API as the JSON that `--json` promises.
final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper().registerModule(new Jdk8Module());

    static String write(Object document) {
        try {
            return MAPPER.writeValueAsString(document);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not a document: " + document.getClass(), e);
        }
    }
}
