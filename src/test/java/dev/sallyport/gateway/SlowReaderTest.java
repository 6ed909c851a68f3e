package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import dev.sallyport.http.Door;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.http.Responder;
import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// P10: an answer that is not taken stops its source, stays small in memory, and ends in time.
final class SlowReaderTest {
    private static final String SESSION = "00000000000000aa";

    private final List<Refusal> aborted = new CopyOnWriteArrayList<>();
    private final AtomicLong written = new AtomicLong();

    private static Limits impatient() {
        Limits standard = Limits.standard();
        return new Limits(
                new Limits.Http(16_384, 64, 128, 10, 60, 2, 64, 3_600),
                standard.sharing(),
                standard.git(),
                Limits.standard().push(),
                Limits.standard().mirror(),
                standard.dns(),
                standard.upstream(),
                standard.egress(),
                Limits.Api.STANDARD,
                Limits.Approvals.STANDARD);
    }

    /// Has an endless answer, of which it writes as much as the connection can take.
    private Door endless() {
        return (_, _, responder) -> {
            responder.start(200, Map.of(), OptionalLong.empty());
            pour(responder);
            return new Pouring(responder);
        };
    }

    private void pour(Responder responder) {
        while (responder.isWritable()) {
            responder.write(Unpooled.wrappedBuffer(new byte[16_384]));
            written.addAndGet(16_384);
        }
    }

    @Test
    void p10_endsAnAnswerThatIsNotRead() throws Exception {
        GatewayInProcess gateway = new GatewayInProcess(impatient(), endless());
        gateway.attach(SESSION);
        try (Client client = new Client(gateway.httpPorts.getOrDefault(SESSION, 0))) {
            client.send("GET /git/x HTTP/1.1\r\nHost: localhost\r\n\r\n");
            Await.until(() -> !aborted.isEmpty());
            assertThat(aborted).containsExactly(Refusal.REQUEST_TIMEOUT);
            assertThat(written.get()).isPositive().isLessThan(32L << 20);
        }
        gateway.close();
    }

    private final class Pouring implements RequestHandler {
        private final Responder responder;

        Pouring(Responder responder) {
            this.responder = responder;
        }

        @Override
        public void body(ByteBuf piece) {
            piece.release();
        }

        @Override
        public void end() {}

        @Override
        public void abort(Refusal reason) {
            aborted.add(reason);
        }

        @Override
        public void writabilityChanged(boolean writable) {
            if (writable) {
                pour(responder);
            }
        }
    }
}
