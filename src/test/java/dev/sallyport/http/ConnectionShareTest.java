package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConnectionShareTest {
    private final ConnectionShare share = new ConnectionShare(new ConnectionShare.Caps(3, 1_000));
    private final AtomicInteger told = new AtomicInteger();

    private ConnectionShare.Entry enter(EmbeddedChannel connection) {
        return share.enter(connection, told::incrementAndGet);
    }

    @Test
    void p10_whoFindsNoPlaceIsToldOfTheNextOne() {
        EmbeddedChannel first = new EmbeddedChannel();
        EmbeddedChannel late = new EmbeddedChannel();
        assertThat(enter(first)).isEqualTo(ConnectionShare.Entry.IN);
        assertThat(enter(new EmbeddedChannel())).isEqualTo(ConnectionShare.Entry.IN);
        assertThat(enter(new EmbeddedChannel())).isEqualTo(ConnectionShare.Entry.IN);
        assertThat(enter(late)).isEqualTo(ConnectionShare.Entry.FULL);
        assertThat(share.size()).isEqualTo(3);
        assertThat(told.get()).isZero();

        share.left(first);

        assertThat(told.get()).isEqualTo(1);
        // Until then it may be too fast.
        Await.until(() -> enter(late) == ConnectionShare.Entry.IN);
        assertThat(enter(first)).isEqualTo(ConnectionShare.Entry.FULL);
    }

    @Test
    void p10_connectionsThatComeTooFastWait() {
        ConnectionShare slow = new ConnectionShare(new ConnectionShare.Caps(2, 1));
        for (int i = 0; i < 2; i++) {
            EmbeddedChannel one = new EmbeddedChannel();
            assertThat(slow.enter(one, told::incrementAndGet)).isEqualTo(ConnectionShare.Entry.IN);
            slow.left(one);
        }
        assertThat(slow.enter(new EmbeddedChannel(), told::incrementAndGet))
                .isEqualTo(ConnectionShare.Entry.TOO_FAST);
        assertThat(slow.size()).isZero();
    }
}
