package dev.sallyport.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;

/// How a warden that cannot start tells whoever started it why: one line on its standard output,
/// which reaches them even when the disk is full. Stack traces are for the log.
public final class StartReport {
    private static final String MARK = "sallyport-cannot-start ";
    private static final ObjectMapper JSON = ApiJson.answers();

    private StartReport() {}

    public static String line(Api.Problem problem) {
        try {
            return MARK + JSON.writeValueAsString(problem);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a problem that cannot be written", e);
        }
    }

    /// The problem that a warden reported before it ended.
    ///
    /// @param output of the warden, which may hold lines of its JVM
    public static Optional<Api.Problem> find(String output) {
        return output.lines()
                .filter(line -> line.startsWith(MARK))
                .findFirst()
                .flatMap(line -> parse(line.substring(MARK.length())));
    }

    private static Optional<Api.Problem> parse(String json) {
        try {
            return Optional.of(JSON.readValue(json, Api.Problem.class));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }
}
