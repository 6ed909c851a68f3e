package dev.sallyport.warden;

import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.PostUrl;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.post.UrlPost;
import io.netty.channel.EventLoop;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// Those whom the daemon tells something by itself, as the policy file said when it started.
final class Reporting implements AutoCloseable {
    private final Optional<Webhook> webhook;

    /// @param loop where connections are served
    Reporting(
            PolicyFile policy,
            SecretFiles files,
            Ledger ledger,
            Approvals approvals,
            OpenedPage page,
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
        webhook.ifPresent(hook -> approvals.onAsk(hook.listener(page::link)));
    }

    private static UrlPost post(PostUrl url, PolicyFile policy, EventLoop loop) {
        return new UrlPost(url, policy.limits().upstream(), policy.resolver(), loop);
    }

    /// Whom it cannot tell, and what to do about it.
    List<String> troubles() {
        return webhook.flatMap(Webhook::trouble).stream().toList();
    }

    @Override
    public void close() {
        webhook.ifPresent(Webhook::close);
    }
}
