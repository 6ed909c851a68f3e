package dev.sallyport.egress;

import dev.sallyport.audit.Recorder;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.upstream.UpstreamException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The hello is in order. Before anything leaves the gateway the budget has room, the decision is
/// recorded, and the host is connected to.
final class Clearing implements SecureConnection.State {
    private static final Logger LOG = System.getLogger(Clearing.class.getName());

    private final SecureConnection connection;
    private final ClientHello.Hello hello;
    private final EgressPermit permit;
    private final Policy policy;
    private final String approval;
    private Optional<EgressUse> use = Optional.empty();
    private @Nullable CompletableFuture<Channel> dialling;

    /// @param policy that the permit is from
    /// @param approval the question that a person said yes to; empty when nobody was asked
    Clearing(
            SecureConnection connection,
            ClientHello.Hello hello,
            EgressPermit permit,
            Policy policy,
            String approval) {
        this.connection = connection;
        this.hello = hello;
        this.permit = permit;
        this.policy = policy;
        this.approval = approval;
    }

    void start() {
        use = connection.terms().budget().open(permit.host());
        if (use.filter(EgressUse::request).isEmpty()) {
            connection.refuse(Refusal.BUDGET_SPENT, Map.of());
            return;
        }
        var _ =
                connection
                        .terms()
                        .audit()
                        .allowed(connection.attempt(), permit, approval)
                        .whenComplete(
                                (_, problem) ->
                                        connection
                                                .channel()
                                                .eventLoop()
                                                .execute(() -> recorded(problem)));
    }

    private void recorded(@Nullable Throwable problem) {
        if (!connection.isIn(this)) {
            return;
        }
        if (problem != null) {
            connection.refuse(Recorder.refusal(problem), Map.of());
        } else if (permit.inspection().isPresent()) {
            inspect();
        } else {
            use.ifPresent(this::dial);
        }
    }

    /// Gives the place among the host's connections back: whatever is asked inside takes its own.
    private void inspect() {
        Channel channel = connection.channel();
        ByteBuf bytes = connection.leave();
        try {
            connection.terms().inspector().take(channel, permit, bytes);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "a connection cannot be inspected", e);
            var _ = channel.close();
        }
    }

    private void dial(EgressUse tunnel) {
        CompletableFuture<Channel> dialled =
                connection.terms().dialer().dial(permit, connection.channel().eventLoop());
        dialling = dialled;
        var _ = dialled.whenComplete((upstream, problem) -> dialled(tunnel, upstream, problem));
    }

    private void dialled(
            EgressUse tunnel, @Nullable Channel upstream, @Nullable Throwable problem) {
        if (!connection.isIn(this)) {
            if (upstream != null) {
                var _ = upstream.close();
            }
            return;
        }
        dialling = null;
        if (upstream == null) {
            Refusal refusal =
                    problem instanceof UpstreamException e ? e.refusal() : Refusal.INTERNAL;
            ended(refusal.code());
            connection.part(refusal);
            return;
        }
        use = Optional.empty();
        Channel downstream = connection.channel();
        ByteBuf bytes = connection.leave();
        TlsTunnel.Leave leave = new TlsTunnel.Leave(connection.attempt(), permit, policy);
        new TlsTunnel(connection.terms(), leave, tunnel, downstream, upstream).open(hello, bytes);
    }

    private void ended(String why) {
        connection.terms().audit().ended(connection.attempt(), why, 0, 0, 0);
    }

    /// What arrives early is held.
    @Override
    public void arrived(ByteBuf bytes) {}

    @Override
    public void over() {
        CompletableFuture<Channel> running = dialling;
        if (running != null) {
            ended("closed");
            running.cancel(false);
        }
        use.ifPresent(EgressUse::close);
    }
}
