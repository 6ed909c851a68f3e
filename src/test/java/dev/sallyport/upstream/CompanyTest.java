package dev.sallyport.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.SessionId;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// P10: who has the gateway to itself.
final class CompanyTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final Company company = new Company(nanos::get);
    private final SessionId pusher = SessionId.random();
    private final SessionId bystander = SessionId.random();
    private final SessionId another = SessionId.random();

    private void later(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void whoeverIsTheOnlyOneIsAlone() {
        assertThat(company.isAlone(pusher)).isTrue();
        company.seen(pusher);
        later(Duration.ofMillis(500));
        company.seen(pusher);
        assertThat(company.isAlone(pusher)).isTrue();
        assertThat(company.isAlone(bystander)).isFalse();
    }

    @Test
    void p10ABystanderIsNoticedHoweverMuchTheOtherSends() {
        company.seen(bystander);
        for (int i = 0; i < 1_000; i++) {
            later(Duration.ofMillis(1));
            company.seen(pusher);
        }
        assertThat(company.isAlone(pusher)).isFalse();
        assertThat(company.isAlone(bystander)).isFalse();
    }

    @Test
    void companyEndsWhenTheOthersHaveBeenSilentForAWhile() {
        company.seen(bystander);
        company.seen(another);
        company.seen(pusher);
        later(Duration.ofSeconds(3));
        company.seen(pusher);
        assertThat(company.isAlone(pusher)).isTrue();
        assertThat(company.isAlone(bystander)).isFalse();
    }

    @Test
    void p10SandboxesThatPushAtTheSameTimeAreCompany() {
        for (int i = 0; i < 3; i++) {
            company.seen(pusher);
            company.seen(another);
            later(Duration.ofSeconds(1));
        }
        assertThat(company.isAlone(pusher)).isFalse();
        assertThat(company.isAlone(another)).isFalse();
    }
}
