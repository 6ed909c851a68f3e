package dev.sallyport.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.session.PostgresDatabase.StoreHosts;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StoreHostsTest {
    private final AtomicLong nanos = new AtomicLong();
    private final StoreHosts hosts = new StoreHosts(List.of("one", "two", "three"), nanos::get);

    @Test
    void theOneThatTookWritesLastComesFirst() {
        assertThat(hosts.order()).containsExactly("one", "two", "three");
        hosts.takesWrites("two");
        assertThat(hosts.order()).containsExactly("two", "one", "three");
    }

    @Test
    void oneThatIsDarkComesLastForAWhile() {
        hosts.foundDark("one");
        assertThat(hosts.order()).containsExactly("two", "three", "one");
        assertThat(hosts.isDark("one")).isTrue();
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(hosts.order()).containsExactly("one", "two", "three");
        assertThat(hosts.isDark("one")).isFalse();
    }

    @Test
    void oneThatAnswersIsDarkNoMore() {
        hosts.foundDark("one");
        hosts.takesWrites("one");
        assertThat(hosts.order()).containsExactly("one", "two", "three");
    }
}
