package dev.sallyport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.HandClock;
import dev.sallyport.policy.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// P10: how places for requests are shared between sandboxes, and who waits for one.
final class RequestQuotaTest {
    private static final int IN_FLIGHT_MAX = 32;
    private static final int TOTAL_MAX = 256;
    private static final int LINE_MAX = 64;
    private static final Limits.Sharing LIMITS =
            new Limits.Sharing(128, 8_192, IN_FLIGHT_MAX, TOTAL_MAX, 10_000, LINE_MAX, 30);

    private final RequestQuota.Total total = new RequestQuota.Total(LIMITS);

    private RequestQuota sandbox() {
        return new RequestQuota(LIMITS, total, new HandClock());
    }

    /// Asks for so many places; who could not even wait is not among them.
    private static List<FakeGuest> ask(RequestQuota quota, int requests) {
        return Stream.generate(FakeGuest::new)
                .limit(requests)
                .filter(guest -> quota.enter(guest).isEmpty())
                .toList();
    }

    private static long admitted(List<FakeGuest> guests) {
        return guests.stream().filter(guest -> guest.admissions() == 1).count();
    }

    @Test
    void p10_greedySandboxesCannotTakeThePlacesOfABystander() {
        List<RequestQuota> greedy = Stream.generate(this::sandbox).limit(32).toList();
        RequestQuota bystander = sandbox();
        List<FakeGuest> taken = new ArrayList<>();
        greedy.forEach(quota -> taken.addAll(ask(quota, IN_FLIGHT_MAX)));
        assertThat(admitted(taken)).isBetween(TOTAL_MAX - 8L, (long) TOTAL_MAX);

        assertThat(admitted(ask(bystander, 4))).isEqualTo(4);
        assertThat(admitted(ask(bystander, 1))).isZero();
    }

    @Test
    void p10_sharedPlacesThatBecomeFreeGoRound() {
        List<RequestQuota> greedy = Stream.generate(this::sandbox).limit(32).toList();
        greedy.forEach(quota -> ask(quota, IN_FLIGHT_MAX));
        RequestQuota late = sandbox();
        List<FakeGuest> waiting = ask(late, 6);
        assertThat(admitted(waiting)).isEqualTo(4);

        for (RequestQuota full : greedy.subList(0, 2)) {
            while (full.inFlight() > 0) {
                full.leave();
            }
        }
        assertThat(late.inFlight()).isEqualTo(5);
        assertThat(greedy.subList(2, 32)).allMatch(quota -> quota.inFlight() > 4);
    }

    @Test
    void aSandboxThatHasEndedReservesNothing() {
        List<RequestQuota> idle = Stream.generate(this::sandbox).limit(64).toList();
        RequestQuota one = sandbox();
        List<FakeGuest> guests = ask(one, 8);
        assertThat(admitted(guests)).isEqualTo(4);
        idle.forEach(RequestQuota::close);
        assertThat(admitted(guests)).isEqualTo(8);
    }

    /// Nobody else is there to wake it: it would wait in vain, and then get 429.
    @Test
    void whoseTimeComesJustAfterItWasTurnedAwayIsWoken() {
        HandClock clock = new HandClock();
        int perSecond = 10;
        Limits.Sharing slow =
                new Limits.Sharing(128, 8_192, IN_FLIGHT_MAX, TOTAL_MAX, perSecond, LINE_MAX, 30);
        RequestQuota quota = new RequestQuota(slow, new RequestQuota.Total(slow), clock);
        assertThat(admitted(ask(quota, perSecond))).isEqualTo(perSecond);
        while (quota.inFlight() > 0) {
            quota.leave();
        }
        clock.passSecondsAfterEachLook(1);
        assertThat(admitted(ask(quota, 1))).isEqualTo(1);
    }

    @Test
    void theLineHasAnEnd() {
        RequestQuota quota = sandbox();
        List<FakeGuest> guests = ask(quota, IN_FLIGHT_MAX + LINE_MAX);
        assertThat(guests).hasSize(IN_FLIGHT_MAX + LINE_MAX);
        assertThat(admitted(guests)).isEqualTo(IN_FLIGHT_MAX);
        FakeGuest tooMuch = new FakeGuest();
        assertThat(quota.enter(tooMuch)).contains(Refusal.TOO_MANY_REQUESTS);
        while (quota.inFlight() > 0) {
            quota.leave();
        }
        assertThat(admitted(guests)).isEqualTo(IN_FLIGHT_MAX + LINE_MAX);
        assertThat(tooMuch.admissions()).isZero();
    }

    @Test
    void whoGivesUpGetsNoPlaceAndLearnsWhatWasMissing() {
        RequestQuota quota = sandbox();
        List<FakeGuest> guests = ask(quota, IN_FLIGHT_MAX + 2);
        FakeGuest first = guests.get(IN_FLIGHT_MAX);
        FakeGuest second = guests.get(IN_FLIGHT_MAX + 1);
        assertThat(quota.giveUp(first)).contains(Refusal.TOO_MANY_REQUESTS);
        quota.leave();
        assertThat(first.admissions()).isZero();
        assertThat(second.admissions()).isEqualTo(1);
        assertThat(quota.giveUp(second)).isEmpty();

        Stream.generate(this::sandbox).limit(64).forEach(other -> ask(other, 4));
        RequestQuota crowded = sandbox();
        List<FakeGuest> others = ask(crowded, 5);
        assertThat(crowded.giveUp(others.getLast())).contains(Refusal.GATEWAY_BUSY);
    }
}
