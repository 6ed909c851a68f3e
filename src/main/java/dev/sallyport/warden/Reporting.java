package dev.sallyport.warden;

import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.PostUrl;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.metrics.Metrics;
import dev.sallyport.post.Post;
import dev.sallyport.post.UrlPost;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Those whom the daemon tells something by itself, as the policy file said when it started.
final class Reporting implements AutoCloseable {
    private static final int METRICS_SECONDS = 60;

    private final Optional<Webhook> webhook;
    private final Optional<MetricsPush> push;

    /// @param loop where connections are served
    Reporting(
            PolicyFile policy,
            SecretFiles files,
            Ledger ledger,
            Approvals approvals,
            OpenedPage page,
            Metrics metrics,
            EventLoop loop) {
        this.webhook =
                policy.reports()
                        .webhook()
                        .map(
                                hook ->
                                        new Webhook(
                                                hook,
                                                files,
                                                post(hook.url(), policy, loop),
                                                ledger,
                                                InstantSource.system(),
                                                approvals::isOpen));
        this.push =
                policy.reports()
                        .metricsPush()
                        .map(url -> new MetricsPush(url, post(url, policy, loop), metrics::otlp));
        webhook.ifPresent(hook -> approvals.onAsk(hook.listener(page::link)));
    }

    private static UrlPost post(PostUrl url, PolicyFile policy, EventLoop loop) {
        return new UrlPost(url, policy.limits().upstream(), policy.resolver(), loop);
    }

    void schedule(ScheduledExecutorService clock) {
        if (push.isPresent()) {
            var _ =
                    clock.scheduleWithFixedDelay(
                            push.get()::push, 0, METRICS_SECONDS, TimeUnit.SECONDS);
        }
    }

    /// Whom it cannot tell, and what to do about it.
    List<String> troubles() {
        return Stream.of(webhook.flatMap(Webhook::trouble), push.flatMap(MetricsPush::trouble))
                .flatMap(Optional::stream)
                .toList();
    }

    @Override
    public void close() {
        webhook.ifPresent(Webhook::close);
    }

    /// Posts all figures to a collector of the person's. One that is not taken is not kept: the
    /// next has everything in it.
    static final class MetricsPush {
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
}
