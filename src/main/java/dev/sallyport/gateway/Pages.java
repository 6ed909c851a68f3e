package dev.sallyport.gateway;

import dev.sallyport.http.IgnoredBody;
import dev.sallyport.http.RefusalLog;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;

/// Answers GET and HEAD with a text that the gateway made.
final class Pages {
    static final String TEXT = "text/plain; charset=utf-8";

    private Pages() {}

    static RequestHandler show(
            RequestHead head, Responder responder, String type, Supplier<String> text) {
        if (!head.method().equals("GET") && !head.method().equals("HEAD")) {
            responder.refuse(Refusal.METHOD_NOT_ALLOWED, RefusalLog.newId());
            return new IgnoredBody();
        }
        responder.answer(
                200,
                Map.of("content-type", type, "cache-control", "no-store"),
                Unpooled.copiedBuffer(text.get(), StandardCharsets.UTF_8));
        return new IgnoredBody();
    }
}
