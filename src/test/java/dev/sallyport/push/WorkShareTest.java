package dev.sallyport.push;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Slices;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WorkShareTest {
    private static Deadline later() {
        return Deadline.in(Duration.ofMinutes(10), Slices.whole());
    }

    /// However many processors there are.
    @Test
    void g8NoMoreIsHeldThanAllowedOnManyProcessors() {
        WorkShare.Lane lane = new WorkShare(32).lane(1_000, later());
        AtomicLong held = new AtomicLong();
        AtomicLong most = new AtomicLong();
        for (int i = 0; i < 2_000; i++) {
            long bytes = 1L + (i % 400);
            lane.give(
                    () -> most.accumulateAndGet(held.get(), Math::max),
                    bytes,
                    () -> {
                        held.addAndGet(-bytes);
                    });
            held.addAndGet(bytes);
            assertThat(held.get()).isLessThanOrEqualTo(1_000);
        }
        lane.settle();
        assertThat(held).hasValue(0);
        assertThat(most.get()).isLessThanOrEqualTo(1_000);
    }

    @Test
    void resultsComeInTheOrderOfTheWorkOnTheReadersThread() {
        WorkShare.Lane lane = new WorkShare(4).lane(100, later());
        List<Integer> results = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            int number = i;
            lane.give(
                    () -> {},
                    1,
                    () -> {
                        results.add(number);
                        threads.add(Thread.currentThread());
                    });
        }
        lane.settle();
        assertThat(results).hasSize(500).isSorted();
        assertThat(threads).containsOnly(Thread.currentThread());
    }

    /// P10: one reader's work that does not end is not waited for by another one.
    @Test
    void p10AReaderDoesItsOwnWorkWhenTheHelpersAreBusy() throws Exception {
        WorkShare share = new WorkShare(3);
        CountDownLatch held = new CountDownLatch(2);
        CountDownLatch released = new CountDownLatch(1);
        WorkShare.Lane stuck = share.lane(1_000, later());
        for (int i = 0; i < 2; i++) {
            stuck.give(
                    () -> {
                        held.countDown();
                        await(released);
                    },
                    1,
                    () -> {});
        }
        assertThat(held.await(120, TimeUnit.SECONDS)).isTrue();
        WorkShare.Lane other = share.lane(1_000, later());
        ConcurrentLinkedQueue<Integer> done = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 100; i++) {
            int number = i;
            other.give(() -> done.add(number), 1, () -> {});
        }
        other.settle();
        assertThat(done).hasSize(100);
        released.countDown();
        stuck.settle();
    }

    /// P10: a processor is left to others.
    @Test
    void p10InCompanyOneHelperLessWorksAndBothAgainWhenAlone() {
        AtomicBoolean alone = new AtomicBoolean();
        Deadline deadline =
                Deadline.in(
                        Duration.ofMinutes(10),
                        Slices.of(Duration.ofDays(1), () -> true, alone::get));
        WorkShare.Lane lane = new WorkShare(3).lane(1_000, deadline);
        CountDownLatch held = new CountDownLatch(2);
        CountDownLatch released = new CountDownLatch(1);
        ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();
        Runnable stuck =
                () -> {
                    held.countDown();
                    await(released);
                };
        lane.give(stuck, 1, () -> {});
        for (int i = 0; i < 100; i++) {
            lane.give(() -> threads.add(Thread.currentThread()), 1, () -> {});
        }
        assertThat(threads).hasSize(100).containsOnly(Thread.currentThread());
        assertThat(held.getCount()).isGreaterThanOrEqualTo(1);

        alone.set(true);
        lane.give(stuck, 1, () -> {});
        await(held);
        released.countDown();
        lane.settle();
    }

    @Test
    void p10OfTwoProcessorsAReaderInCompanyUsesOne() {
        Deadline deadline =
                Deadline.in(
                        Duration.ofMinutes(10),
                        Slices.of(Duration.ofDays(1), () -> true, () -> false));
        WorkShare.Lane lane = new WorkShare(2).lane(1_000, deadline);
        ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 100; i++) {
            lane.give(() -> threads.add(Thread.currentThread()), 1, () -> {});
        }
        lane.settle();
        assertThat(threads).hasSize(100).containsOnly(Thread.currentThread());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(120, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void anInterruptionEndsTheWorkAndIsKept() {
        Deadline deadline = later();
        WorkShare.Lane lane = new WorkShare(2).lane(1_000, deadline);
        CountDownLatch begun = new CountDownLatch(1);
        lane.give(
                () -> {
                    begun.countDown();
                    while (!deadline.hasPassed()) {
                        Thread.onSpinWait();
                    }
                },
                1,
                () -> {});
        await(begun);
        Thread.currentThread().interrupt();
        lane.settle();
        // Asked while the thread is still interrupted: the helper may have ended before the wait.
        assertThat(deadline.hasPassed()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }
}
