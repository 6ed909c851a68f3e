package dev.sallyport.warden;

import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.PostUrl;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.metrics.Metrics;
import dev.sallyport.post.UrlPost;
import io.netty.channel.EventLoop;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
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
        push.ifPresent(
                figures ->
                        clock.scheduleWithFixedDelay(
                                figures::push, 0, METRICS_SECONDS, TimeUnit.SECONDS));
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
}
