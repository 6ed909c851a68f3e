package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.LongWork;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// What people who wait for a clone hear of the gateway: our words, its numbers.
class BorrowingTest {
    private static final SessionId ONE = new SessionId("0123456789abcdef");
    private static final String REPO = "github.com/acme/app";

    private final LongWork work = new LongWork();
    private final Borrowing borrowing = new Borrowing(work);

    @Test
    void saysHowFarItIsUntilItIsOver() {
        CompletableFuture<Boolean> lent = borrowing.begin(ONE, REPO).orElseThrow();
        assertThat(work.now()).containsEntry(REPO, "asking the git host");
        borrowing.reached(ONE, 45L << 20, 0);
        assertThat(work.now()).containsEntry(REPO, "45 MiB copied");
        borrowing.reached(ONE, 50L << 20, 70);
        assertThat(work.now()).containsEntry(REPO, "50 MiB copied, 70% indexed");
        borrowing.over(ONE, true);
        assertThat(lent).isCompletedWithValue(true);
        assertThat(work.now()).isEmpty();
    }

    @Test
    void numbersThatCannotBeAndSessionsThatDoNotWaitAreNotTold() {
        borrowing.reached(ONE, 1, 1);
        assertThat(work.now()).isEmpty();
        borrowing.begin(ONE, REPO);
        borrowing.reached(ONE, -1, 0);
        assertThat(work.now()).containsEntry(REPO, "asking the git host");
        borrowing.reached(ONE, 0, 101);
        assertThat(work.now()).containsEntry(REPO, "0 MiB copied");
    }

    @Test
    void oneSessionWaitsOnceAndAGatewayThatDiesDisappointsAll() {
        CompletableFuture<Boolean> lent = borrowing.begin(ONE, REPO).orElseThrow();
        assertThat(borrowing.begin(ONE, "github.com/acme/other")).isEmpty();
        assertThat(work.now()).containsOnlyKeys(REPO);
        borrowing.disappoint();
        assertThat(lent).isCompletedWithValue(false);
        assertThat(work.now()).isEmpty();
    }
}
