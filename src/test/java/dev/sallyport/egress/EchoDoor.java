package dev.sallyport.egress;

import dev.sallyport.http.Door;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.RequestHead;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.LiveSession;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/// Answers with what was asked; below `/flood` with as many bytes as the path says, as fast as the
/// other side takes them.
final class EchoDoor implements Door {
    final List<RequestHead> heads = new CopyOnWriteArrayList<>();
    final AtomicLong flooded = new AtomicLong();

    @Override
    public RequestHandler open(LiveSession session, RequestHead head, Responder responder) {
        heads.add(head);
        responder.proceed();
        return head.path().startsWith("/flood/")
                ? new Flood(responder, Long.parseLong(head.path().substring(7)))
                : new Echo(head, responder);
    }

    private static final class Echo implements RequestHandler {
        private final RequestHead head;
        private final Responder responder;
        private long bytes;

        Echo(RequestHead head, Responder responder) {
            this.head = head;
            this.responder = responder;
        }

        @Override
        public void body(ByteBuf piece) {
            bytes += piece.readableBytes();
            piece.release();
        }

        @Override
        public void end() {
            String text =
                    head.method() + " " + head.host() + head.path() + " " + bytes + " bytes\n";
            responder.start(200, Map.of("content-type", "text/plain"), OptionalLong.empty());
            responder.write(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII));
            responder.end();
        }

        @Override
        public void abort(Refusal reason) {}

        @Override
        public void writabilityChanged(boolean writable) {}
    }

    private final class Flood implements RequestHandler {
        private static final int PIECE_BYTES = 16_384;
        private final Responder responder;
        private long left;

        Flood(Responder responder, long bytes) {
            this.responder = responder;
            this.left = bytes;
        }

        @Override
        public void body(ByteBuf piece) {
            piece.release();
        }

        @Override
        public void end() {
            responder.start(200, Map.of(), OptionalLong.of(left));
            pump();
        }

        private void pump() {
            while (left > 0 && responder.isWritable()) {
                int bytes = (int) Math.min(left, PIECE_BYTES);
                left -= bytes;
                flooded.addAndGet(bytes);
                responder.write(Unpooled.wrappedBuffer(new byte[bytes]));
            }
            if (left == 0) {
                responder.end();
            }
        }

        @Override
        public void abort(Refusal reason) {
            left = -1;
        }

        @Override
        public void writabilityChanged(boolean writable) {
            if (writable && left > 0) {
                pump();
            }
        }
    }
}
