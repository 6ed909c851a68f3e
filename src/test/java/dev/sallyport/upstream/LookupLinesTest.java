package dev.sallyport.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Who waits for whom. The lookups of the test answer when the test says so; names that begin with
/// `fast` answer at once.
final class LookupLinesTest {
    private static final SessionId GREEDY = SessionId.random();
    private static final SessionId OTHER = SessionId.random();
    private static final int SECONDS_MAX = 60;

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final ConcurrentMap<String, CompletableFuture<Void>> held = new ConcurrentHashMap<>();
    private final LookupLines lines = new LookupLines(this::look);

    private InetAddress[] look(String name) throws UnknownHostException {
        asked.add(name);
        if (!name.startsWith("fast")) {
            gate(name).join();
        }
        return new InetAddress[] {InetAddress.ofLiteral("192.0.2.1")};
    }

    private CompletableFuture<Void> gate(String name) {
        return held.computeIfAbsent(name, _ -> new CompletableFuture<>());
    }

    @AfterEach
    void letGo() {
        asked.forEach(name -> gate(name).complete(null));
    }

    private static HostName name(String first) {
        return new HostName(first + ".example");
    }

    private List<CompletableFuture<List<InetAddress>>> askSlow(SessionId session, int count) {
        List<CompletableFuture<List<InetAddress>>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(lines.ask(session, name("slow" + i)));
        }
        return all;
    }

    private static void assertAnswered(CompletableFuture<List<InetAddress>> one) {
        assertThat(one).succeedsWithin(SECONDS_MAX, TimeUnit.SECONDS);
    }

    private static void assertBusy(CompletableFuture<List<InetAddress>> one) {
        assertThat(one.isDone()).as("refused at once").isTrue();
        assertThat(one.exceptionNow())
                .isInstanceOfSatisfying(
                        UpstreamException.class,
                        e -> assertThat(e.refusal()).isEqualTo(Refusal.GATEWAY_BUSY));
    }

    @Test
    void aSessionWithManySlowNamesKeepsNobodyElseWaiting() throws Exception {
        List<CompletableFuture<List<InetAddress>>> slow =
                askSlow(GREEDY, LookupLines.NAMES_PER_SESSION_MAX);
        Await.until("two run", () -> asked.size() == 2);
        assertAnswered(lines.ask(OTHER, name("fast")));
        assertThat(slow).noneMatch(CompletableFuture::isDone);
        assertThat(asked).containsOnlyOnce("fast.example").hasSize(3);
    }

    @Test
    void whatIsTooMuchForOneSessionIsRefusedAtOnceAndNotLookedUp() {
        askSlow(GREEDY, LookupLines.NAMES_PER_SESSION_MAX);
        assertBusy(lines.ask(GREEDY, name("fast")));
        assertAnswered(lines.ask(OTHER, name("fast2")));
        assertThat(asked).doesNotContain("fast.example");
    }

    @Test
    void equalNamesOfOneSessionAreOneLookup() throws Exception {
        CompletableFuture<List<InetAddress>> first = lines.ask(OTHER, name("slow"));
        Await.until("it runs", () -> asked.size() == 1);
        CompletableFuture<List<InetAddress>> second = lines.ask(OTHER, name("slow"));
        first.cancel(false);
        gate("slow.example").complete(null);
        assertAnswered(second);
        assertThat(asked).containsExactly("slow.example");
    }

    @Test
    void aLookupThatNobodyWaitsForIsSkippedAndItsPlaceIsFree() throws Exception {
        List<CompletableFuture<List<InetAddress>>> slow =
                askSlow(GREEDY, LookupLines.NAMES_PER_SESSION_MAX);
        Await.until("two run", () -> asked.size() == 2);
        slow.forEach(one -> one.cancel(false));
        CompletableFuture<List<InetAddress>> wanted = lines.ask(GREEDY, name("fast"));
        asked.forEach(name -> gate(name).complete(null));
        assertAnswered(wanted);
        assertThat(asked).hasSize(3).endsWith("fast.example");
    }

    @Test
    void whatRunsCountsEvenWhenNobodyWaits() throws Exception {
        askSlow(GREEDY, 2).forEach(one -> assertThat(one.isDone()).isFalse());
        Await.until("two run", () -> asked.size() == 2);
        askSlow(GREEDY, 2).forEach(one -> one.cancel(false));
        CompletableFuture<List<InetAddress>> third = lines.ask(GREEDY, name("fast"));
        assertAnswered(lines.ask(OTHER, name("fast2")));
        assertThat(third.isDone()).isFalse();
        assertThat(asked).doesNotContain("fast.example");
        gate("slow0.example").complete(null);
        assertAnswered(third);
    }

    @Test
    void aFailureIsToldToAllWhoWaitAndIsNotKept() {
        LookupLines failing =
                new LookupLines(
                        name -> {
                            asked.add(name);
                            throw new UnknownHostException(name);
                        });
        for (int round = 1; round <= 2; round++) {
            CompletableFuture<List<InetAddress>> one = failing.ask(OTHER, name("gone"));
            assertThat(one)
                    .failsWithin(SECONDS_MAX, TimeUnit.SECONDS)
                    .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                    .withCauseInstanceOf(UpstreamException.class);
            assertThat(asked).hasSize(round);
        }
        assertThat(new CompletionException(new UpstreamException(Refusal.UPSTREAM_UNREACHABLE)))
                .extracting(problem -> UpstreamException.of(problem).refusal())
                .isEqualTo(Refusal.UPSTREAM_UNREACHABLE);
    }
}
