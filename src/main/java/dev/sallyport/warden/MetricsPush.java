package dev.sallyport.warden;

import dev.sallyport.config.PostUrl;
import dev.sallyport.post.Post;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/// Posts all figures to a collector of the person's. One that is not taken is not kept: the next
/// has everything in it.
final class MetricsPush {
    private final PostUrl url;
    private final Post post;
    private final Supplier<String> figures;
    private final Reception reception = new Reception("the collector for metrics");
    private final AtomicBoolean busy = new AtomicBoolean();

    /// @param figures in the JSON form of OTLP
    MetricsPush(PostUrl url, Post post, Supplier<String> figures) {
        this.url = url;
        this.post = post;
        this.figures = figures;
    }

    /// Returns at once; while one is under way there is no other.
    void push() {
        if (busy.compareAndSet(false, true)) {
            Thread.ofVirtual().name("metrics-push").start(this::send);
        }
    }

    private void send() {
        try {
            byte[] body = figures.get().getBytes(StandardCharsets.UTF_8);
            post.send("application/json", Map.of(), body);
            reception.taken();
        } catch (IOException e) {
            reception.failed(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            reception.failed("failed: " + e);
        } finally {
            busy.set(false);
        }
    }

    /// For people; empty when all is well.
    Optional<String> trouble() {
        return reception
                .trouble()
                .map(
                        why ->
                                "Metrics cannot be sent to %s (%s): check the collector, and metrics: otlp: in policy.yaml."
                                        .formatted(url.host(), why));
    }
}
