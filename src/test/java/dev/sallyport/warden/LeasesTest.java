package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.SessionId;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeasesTest {
    private static final SessionId FIRST = new SessionId("00000000000000a1");
    private static final SessionId SECOND = new SessionId("00000000000000a2");

    private final Queue<SessionId> destroyed = new ConcurrentLinkedQueue<>();

    @Test
    void whatSurvivedItsWardenGoesUnlessSomebodyComesBackInTime() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        Leases leases =
                new Leases(
                        session -> {
                            destroyed.add(session);
                            ended.countDown();
                        },
                        Duration.ofMillis(200));
        leases.awaitHolder(FIRST);
        leases.awaitHolder(SECOND);
        Thread.sleep(600);
        assertThat(destroyed).as("nobody can come back yet").isEmpty();

        leases.hold(FIRST, () -> true);
        leases.beginGrace();

        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(destroyed).containsExactly(SECOND);
    }

    @Test
    void leasesOfOthersStayWhenOneHolderGoes() {
        Leases leases = new Leases(destroyed::add);
        Leases.Holder one = holder();
        leases.hold(FIRST, one);
        leases.hold(SECOND, holder());
        leases.release(one);
        assertThat(destroyed).containsExactly(FIRST);
    }

    /// An object of its own each time, as a connection is.
    private static Leases.Holder holder() {
        return new Leases.Holder() {
            @Override
            public boolean isOpen() {
                return true;
            }
        };
    }
}
