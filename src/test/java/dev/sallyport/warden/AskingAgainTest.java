package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Of many who wait for the same thing one asks again.
class AskingAgainTest {
    private static final int MANY = 20;
    private static final long NEVER = System.nanoTime() + Duration.ofHours(1).toNanos();

    private final AtomicInteger returned = new AtomicInteger();

    private List<Thread> wait(AskingAgain waiting, long latest) {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            all.add(
                    Thread.ofPlatform()
                            .daemon()
                            .start(
                                    () -> {
                                        try {
                                            waiting.turn(latest);
                                            returned.incrementAndGet();
                                        } catch (InterruptedException e) {
                                            Thread.currentThread().interrupt();
                                        }
                                    }));
        }
        Await.until("all wait", () -> all.stream().allMatch(AskingAgainTest::rests));
        return all;
    }

    private static boolean rests(Thread thread) {
        return thread.getState() == Thread.State.TIMED_WAITING
                || thread.getState() == Thread.State.TERMINATED;
    }

    @Test
    void allMayAskWhenOneWasHeard() throws Exception {
        AskingAgain waiting = new AskingAgain(Duration.ofHours(1));
        List<Thread> all = wait(waiting, NEVER);
        assertThat(returned).hasValue(0);
        waiting.heard();
        for (Thread one : all) {
            one.join();
        }
        assertThat(returned).hasValue(MANY);
    }

    @Test
    void theyTakeTurnsAndNobodyWaitsForever() throws Exception {
        for (Thread one : wait(new AskingAgain(Duration.ofMillis(5)), NEVER)) {
            one.join();
        }
        for (Thread one : wait(new AskingAgain(Duration.ofHours(1)), System.nanoTime())) {
            one.join();
        }
        assertThat(returned).hasValue(2 * MANY);
    }
}
