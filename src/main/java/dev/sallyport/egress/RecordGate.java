package dev.sallyport.egress;

import dev.sallyport.audit.Recorder;
import dev.sallyport.policy.Refusal;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// Reads nothing from a sandbox before its connection is in the record. The gateway can answer the
/// hello meanwhile, which has no effect outside; a request has to be read first. When it is
/// recorded, the gate goes; when it cannot be, the connection does.
final class RecordGate extends ChannelOutboundHandlerAdapter {
    private boolean wanted;

    /// Stands behind whatever is in the pipeline now, and before what comes later. Called on the
    /// channel's event loop; its auto-read is off.
    ///
    /// @param unrecorded told when the record is not made and the connection is still there
    static void on(Channel channel, CompletableFuture<Void> record, Consumer<Refusal> unrecorded) {
        RecordGate gate = new RecordGate();
        channel.pipeline().addLast("record", gate);
        Recorder.then(
                record,
                channel.eventLoop(),
                problem -> {
                    if (!channel.isActive()) {
                        return;
                    }
                    if (problem.isPresent()) {
                        unrecorded.accept(problem.get());
                        var _ = channel.close();
                    } else {
                        gate.open(channel.pipeline().context(gate));
                    }
                });
    }

    private void open(ChannelHandlerContext ctx) {
        if (wanted) {
            ctx.read();
        }
        ctx.pipeline().remove(this);
    }

    @Override
    public void read(ChannelHandlerContext ctx) {
        wanted = true;
    }
}
