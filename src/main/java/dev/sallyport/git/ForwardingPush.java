package dev.sallyport.git;

import dev.sallyport.mirror.Mirror;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Outlet;
import dev.sallyport.relay.Relay;
import dev.sallyport.relay.SpoolBody;
import dev.sallyport.session.Usage;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Sends what was judged upstream, and upstream's report back.
final class ForwardingPush implements PushState, Outlet {
    private final JudgedPush push;
    private final @Nullable Mirror copy;
    private final UpstreamReport report = new UpstreamReport();
    private final Relay relay;

    ForwardingPush(JudgedPush push, @Nullable Mirror copy) {
        this.push = push;
        this.copy = copy;
        PushSpool spool = push.spool();
        ByteBuf list = push.commands().serialise();
        long bytes = list.readableBytes() + spool.body().bytes();
        List<SpoolBody.Part> all = List.of(new SpoolBody.Part(0, spool.body().bytes()));
        SpoolBody body = new SpoolBody(list, spool.pack(), all, push.loop());
        this.relay =
                push.surroundings()
                        .relay(
                                push.ask(),
                                GitWire.push(push.ask(), push.permit(), bytes),
                                body,
                                new ReportScrubber(push.commands().sideband(), report),
                                this);
        body.onMore(relay::more);
    }

    void begin() {
        relay.start();
    }

    @Override
    public void begin(AnswerHead head, OptionalLong length) {}

    @Override
    public void write(ByteBuf piece) {
        push.answer().begin();
        push.answer().write(piece);
    }

    @Override
    public void writabilityChanged(boolean writable) {
        relay.writabilityChanged(writable);
    }

    @Override
    public void complete() {
        push.become(new PushState.Over());
        // Counted before git hears of it, so that the next push finds the count.
        if (report.tookAny()) {
            push.surroundings().usage().used(push.permit().session(), Usage.ONE_PUSH);
        }
        push.answer().begin();
        push.answer().end();
        long packBytes = push.spool().body().bytes();
        push.surroundings().audit().outcome(push.ask(), push.permit(), report, packBytes);
        if (copy != null && report.tookAll(push.commands().updates().size())) {
            Thread.startVirtualThread(() -> join(copy));
        } else {
            push.release(copy);
        }
    }

    private void join(Mirror lent) {
        try (lent) {
            push.spool().join(lent);
        } finally {
            push.loop().execute(() -> push.release(null));
        }
    }

    @Override
    public void failed(Failure failure) {
        push.surroundings().audit().failed(push.ask(), failure);
    }

    /// Unless upstream said no, it failed while the push was on its way: whether it took it is not
    /// known, so nothing is reported as refused.
    @Override
    public void refuse(Failure failure) {
        push.become(new PushState.Over());
        if (failure.isRefusedUpstream()) {
            push.answer()
                    .report(
                            JudgedUpdate.all(push.commands().updates(), failure),
                            PushReport.REFUSED_UPSTREAM);
        } else {
            if (push.answer().hasSideband()) {
                // git prints what is in the side band, and nothing of a refusal in HTTP.
                push.answer().say(PushReport.unclear(failure));
            }
            push.ask().refuse(failure);
        }
        push.release(copy);
    }

    @Override
    public void abort(Refusal reason) {
        push.become(new PushState.Over());
        relay.abort(reason);
        push.release(copy);
    }
}
