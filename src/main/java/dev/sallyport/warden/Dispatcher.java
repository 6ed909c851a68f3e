package dev.sallyport.warden;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.control.ApiJson;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/// Finds a request's row in the table, runs it, and turns what comes out into an answer. Blocks.
record Dispatcher(List<Operation> table, Role role) {
    private static final System.Logger LOG = System.getLogger(Dispatcher.class.getName());
    private static final ObjectMapper JSON = ApiJson.requests();

    /// Status and body.
    record Answer(int status, String body, String type) {
        /// One of JSON.
        Answer(int status, String body) {
            this(status, body, "application/json");
        }
    }

    /// For one connection too many: it is told so.
    static Dispatcher full(Role role) {
        return new Dispatcher(List.of(), role);
    }

    Answer answer(HttpMethod method, String path, byte[] body, Leases.Holder connection) {
        try {
            List<String> segments = Operation.segments(path);
            Operation operation = find(method, segments);
            Operation.Call call =
                    new Operation.Call(
                            role, operation.nameIn(segments), new JsonBody(body), connection);
            Object said = operation.handler().handle(call);
            return said instanceof Operation.Text(String text)
                    ? new Answer(200, text, Operation.Text.TYPE)
                    : new Answer(200, write(said));
        } catch (OperationException e) {
            LOG.log(System.Logger.Level.INFO, method + ": " + e.problem(), e);
            return new Answer(e.status(), write(e.problem()));
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.log(System.Logger.Level.ERROR, "a control operation failed", e);
            OperationException problem = OperationException.failed(e);
            return new Answer(problem.status(), write(problem.problem()));
        } finally {
            // It may have held a secret.
            Arrays.fill(body, (byte) 0);
        }
    }

    private Operation find(HttpMethod method, List<String> segments) throws OperationException {
        if (table.isEmpty()) {
            throw OperationException.unavailable(
                    "Too many commands are connected to the daemon at once.",
                    "Try again when some of them have finished.");
        }
        List<Operation> here = table.stream().filter(row -> row.matches(segments)).toList();
        if (here.isEmpty()) {
            throw OperationException.notFound(
                    "There is no such operation.",
                    "The operations are listed in docs/protocol/control-api.md.");
        }
        Operation operation =
                here.stream()
                        .filter(row -> row.method().equals(method))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new OperationException(
                                                OperationException.Fault.METHOD_NOT_ALLOWED,
                                                "Wrong method for this operation.",
                                                "See docs/protocol/control-api.md."));
        if (!operation.roles().contains(role)) {
            throw new OperationException(
                    OperationException.Fault.FORBIDDEN,
                    "You may not use this operation.",
                    "Ask the owner of this daemon.");
        }
        return operation;
    }

    private static String write(Object answer) {
        try {
            return JSON.writeValueAsString(answer);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer that cannot be written", e);
        }
    }

    private static final class JsonBody implements Operation.Body {
        private final byte[] bytes;

        JsonBody(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public <T> T as(Class<T> type) throws OperationException {
            try {
                T value = JSON.readValue(bytes, type);
                if (value != null) {
                    return value;
                }
            } catch (IOException e) {
                throw OperationException.invalid(
                        "The body is not a " + type.getSimpleName() + ".",
                        "See docs/protocol/control-api.md; every property must be known.");
            }
            throw OperationException.invalid("The body is missing.", "Send a JSON object.");
        }
    }
}
