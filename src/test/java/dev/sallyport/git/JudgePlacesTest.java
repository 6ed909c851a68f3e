package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import dev.sallyport.policy.SessionId;
import dev.sallyport.push.Slice;
import dev.sallyport.relay.JudgeQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// P10: counts who has a place and who waits for one.
final class JudgePlacesTest {
    private static final long SMALL = Limits.standard().push().smallPackBytesMax();
    private static final long LARGE = SMALL + 1;
    private static final int PLACES = Limits.standard().push().judgementsTotalMax();

    private final JudgePlaces places =
            new JudgePlaces(Limits.standard().push(), JudgePlaces.FIRST_SLICE);
    private final List<String> begun = new CopyOnWriteArrayList<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();

    @AfterEach
    void end() {
        threads.forEach(Thread::interrupt);
    }

    /// Begins in the order of the calls: when this returns, it has a place or waits for one.
    private Thread start(String name, long packBytes, JudgePlaces.Attempt<String> attempt) {
        Thread thread =
                Thread.ofPlatform()
                        .daemon()
                        .start(() -> quietly(() -> places.run(packBytes, () -> true, attempt)));
        threads.add(thread);
        Await.until(() -> begun.contains(name) || isWaiting(thread));
        return thread;
    }

    /// Whether it stands in line for a place.
    static boolean isWaiting(Thread thread) {
        return thread.getState() == Thread.State.WAITING
                && Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().endsWith("JudgePlaces$Turn"));
    }

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    private static void quietly(Work work) {
        try {
            work.run();
        } catch (IOException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private JudgePlaces.Attempt<String> holds(String name) {
        return _ -> {
            begun.add(name);
            released.await();
            return name;
        };
    }

    private JudgePlaces.Attempt<String> ends(String name) {
        return _ -> {
            begun.add(name);
            return name;
        };
    }

    @Test
    void aSmallPackNeverWaitsForLargeOnes() {
        for (int i = 0; i < PLACES + 3; i++) {
            var _ = start("large" + i, LARGE, holds("large" + i));
        }
        assertThat(begun).hasSize(PLACES - 1);

        for (int i = 0; i < 3; i++) {
            String name = "small" + i;
            Thread small = start(name, SMALL, ends(name));
            Await.until(() -> !small.isAlive());
        }
        assertThat(begun).containsExactly("large0", "small0", "small1", "small2");
    }

    @Test
    void smallPacksUseAllPlacesWhenThereAreNoLargeOnes() {
        for (int i = 0; i < PLACES + 1; i++) {
            var _ = start("small" + i, SMALL, holds("small" + i));
        }
        assertThat(begun).hasSize(PLACES);
    }

    /// A pack of few bytes may inflate to many.
    @Test
    void aSmallPackThatTakesLongLeavesThePlaceOfSmallOnes() {
        var _ = start("large", LARGE, holds("large"));
        CountDownLatch sliceOver = new CountDownLatch(1);
        List<Duration> slices = new CopyOnWriteArrayList<>();
        Thread bomb =
                start(
                        "bomb",
                        SMALL,
                        slice -> {
                            slices.add(slice.length());
                            begun.add("bomb");
                            sliceOver.await();
                            if (!slice.renew()) {
                                throw new Slice.OverException();
                            }
                            return "judged";
                        });
        var _ = start("small", SMALL, ends("small"));
        assertThat(begun).containsExactly("large", "bomb");

        sliceOver.countDown();
        Await.until(() -> begun.contains("small"));
        var _ = start("another", SMALL, ends("another"));
        Await.until(() -> begun.contains("another"));
        assertThat(begun).containsExactly("large", "bomb", "small", "another");

        released.countDown();
        Await.until(() -> !bomb.isAlive());
        assertThat(begun).endsWith("bomb");
        assertThat(slices).hasSize(2);
        assertThat(slices.getFirst()).isLessThan(JudgePlaces.FIRST_SLICE);
        assertThat(slices.getLast()).isGreaterThan(slices.getFirst());
    }

    @Test
    void largePacksTakeTurns() {
        CountDownLatch sliceOver = new CountDownLatch(1);
        Thread first =
                start(
                        "first",
                        LARGE,
                        slice -> {
                            begun.add("first");
                            sliceOver.await();
                            if (!slice.renew()) {
                                throw new Slice.OverException();
                            }
                            return "judged";
                        });
        var _ = start("second", LARGE, ends("second"));
        assertThat(begun).containsExactly("first");

        sliceOver.countDown();
        Await.until(() -> !first.isAlive());
        assertThat(begun).containsExactly("first", "second", "first");
    }

    /// One sandbox sends many small packs, another a single one.
    @Test
    void manySmallPacksOfOneSandboxTakeOneTurnOfARound() {
        var _ = start("large", LARGE, holds("large"));
        SessionId greedy = SessionId.random();
        CountDownLatch firstOver = new CountDownLatch(1);
        try (JudgeQueue queue = new JudgeQueue("judge", 4)) {
            for (int i = 0; i < 5; i++) {
                var _ =
                        queue.submit(
                                greedy,
                                () ->
                                        quietly(
                                                () ->
                                                        places.run(
                                                                SMALL,
                                                                () -> true,
                                                                _ -> {
                                                                    begun.add("greedy");
                                                                    firstOver.await();
                                                                    return "";
                                                                })));
            }
            Await.until(() -> begun.contains("greedy"));
            var _ = start("bystander", SMALL, ends("bystander"));

            firstOver.countDown();
            Await.until(() -> begun.size() == 7);
        }
        assertThat(begun.subList(0, 4)).containsExactly("large", "greedy", "bystander", "greedy");
    }
}
