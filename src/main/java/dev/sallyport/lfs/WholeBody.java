package dev.sallyport.lfs;

import dev.sallyport.http.RequestHandler;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import dev.sallyport.relay.SpoolRoom;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.util.function.Consumer;

/// Takes a small body as a whole, and then hands it over. Nothing happens before that.
final class WholeBody implements RequestHandler {
    private final int bytesMax;
    private final SpoolRoom room;
    private final SessionId session;
    private final Consumer<byte[]> whole;
    private final Consumer<Refusal> refuse;
    private final Runnable leave;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private boolean over;

    /// @param room that all such bodies share
    /// @param leave called when the sandbox is gone
    WholeBody(
            int bytesMax,
            SpoolRoom room,
            SessionId session,
            Consumer<byte[]> whole,
            Consumer<Refusal> refuse,
            Runnable leave) {
        this.bytesMax = bytesMax;
        this.room = room;
        this.session = session;
        this.whole = whole;
        this.refuse = refuse;
        this.leave = leave;
    }

    @Override
    public void body(ByteBuf piece) {
        try {
            if (over) {
                return;
            }
            if (piece.readableBytes() > bytesMax - body.size()) {
                close();
                refuse.accept(Refusal.BODY_TOO_LARGE);
                return;
            }
            if (!room.take(session, piece.readableBytes())) {
                close();
                refuse.accept(Refusal.GATEWAY_BUSY);
                return;
            }
            byte[] copy = new byte[piece.readableBytes()];
            piece.readBytes(copy);
            body.writeBytes(copy);
        } finally {
            piece.release();
        }
    }

    @Override
    public void end() {
        if (!over) {
            byte[] bytes = body.toByteArray();
            close();
            whole.accept(bytes);
        }
    }

    @Override
    public void abort(Refusal reason) {
        close();
        leave.run();
    }

    private void close() {
        if (!over) {
            over = true;
            room.giveBack(session, body.size());
            body.reset();
        }
    }
}
