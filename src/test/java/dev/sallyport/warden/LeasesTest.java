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
    void aWardenThatLeavesItsSandboxesEndsNoneOfThem() {
        Leases leases = new Leases(destroyed::add);
        Leases.Holder connection = () -> true;
        leases.hold(FIRST, connection);
        leases.leave();
        leases.release(connection);
        leases.hold(SECOND, () -> false);
        assertThat(destroyed).isEmpty();
    }

    @Test
    void oneThatCannotBeEndedDoesNotKeepTheOthers() {
        Leases leases =
                new Leases(
                        session -> {
                            destroyed.add(session);
                            throw new IllegalStateException();
                        });
        Leases.Holder holder = () -> true;
        leases.hold(FIRST, holder);
        leases.hold(SECOND, holder);
        leases.release(holder);
        assertThat(destroyed).containsExactlyInAnyOrder(FIRST, SECOND);
    }
}
