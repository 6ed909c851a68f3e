package dev.sallyport.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Links and sessions of the page.
class PageSessionsTest {
    private static final int ANN = 1_000;
    private static final int BOB = 1_001;

    private final AtomicLong nanos = new AtomicLong(-5);
    private final PageSessions sessions = new PageSessions(nanos::get);

    private String login() {
        return sessions.login(sessions.link(ANN), ANN).orElseThrow();
    }

    @Test
    void aLinkWorksOnce() {
        String link = sessions.link(ANN);
        assertThat(sessions.login(link, ANN)).isPresent();
        assertThat(sessions.login(link, ANN)).isEmpty();
    }

    @Test
    void aLinkIsOfNoUseToAnotherAccountAndStaysItsOwners() {
        String link = sessions.link(ANN);
        assertThat(sessions.login(link, BOB)).isEmpty();
        assertThat(sessions.login(link, ANN)).isPresent();
    }

    @Test
    void aLinkEndsAfterAMinute() {
        String link = sessions.link(ANN);
        nanos.addAndGet(PageSessions.LINK_LIFE.toNanos());
        assertThat(sessions.find(link, ANN)).isEmpty();
        assertThat(sessions.login(link, ANN)).isEmpty();
    }

    @Test
    void g6_aLinkWithAQuestionIsOneAccountsWorksOnceAndEndsWithIt() {
        String link = sessions.link(ANN, "k3f9x2mqab", Duration.ofMinutes(5));
        String late = sessions.link(ANN, "k3f9x2mqab", Duration.ofMinutes(5));
        nanos.addAndGet(PageSessions.LINK_LIFE.toNanos());
        assertThat(sessions.login(link, BOB)).isEmpty();
        assertThat(sessions.find(link, ANN).orElseThrow().question()).isEqualTo("k3f9x2mqab");
        assertThat(sessions.login(link, ANN)).isPresent();
        assertThat(sessions.login(link, ANN)).isEmpty();
        assertThat(sessions.find(late, ANN)).isPresent();
        nanos.addAndGet(Duration.ofMinutes(4).toNanos());
        assertThat(sessions.login(late, ANN)).isEmpty();
    }

    @Test
    void noNumberOfQuestionsMakesAPersonsOwnLinkGiveWay() {
        String own = sessions.link(ANN);
        String first = sessions.link(ANN, "k3f9x2mqab", Duration.ofMinutes(5));
        for (int i = 0; i < PageSessions.QUESTION_LINKS_MAX; i++) {
            sessions.link(ANN, "k3f9x2mqab", Duration.ofMinutes(5));
        }
        assertThat(sessions.login(first, ANN)).isEmpty();
        assertThat(sessions.login(own, ANN)).isPresent();
    }

    @Test
    void aSessionIsOneAccountsAndEnds() {
        String session = login();
        assertThat(sessions.isOpen(session, ANN)).isTrue();
        assertThat(sessions.isOpen(session, BOB)).isFalse();
        nanos.addAndGet(PageSessions.SESSION_LIFE.toNanos());
        assertThat(sessions.isOpen(session, ANN)).isFalse();
    }

    @Test
    void whoeverLogsOutIsOut() {
        String session = login();
        sessions.logout(session);
        assertThat(sessions.isOpen(session, ANN)).isFalse();
    }

    @Test
    void theOldestGivesWay() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i <= PageSessions.SESSIONS_MAX; i++) {
            all.add(login());
        }
        assertThat(new HashSet<>(all)).hasSize(PageSessions.SESSIONS_MAX + 1);
        assertThat(sessions.isOpen(all.getFirst(), ANN)).isFalse();
        assertThat(sessions.isOpen(all.get(1), ANN)).isTrue();
        assertThat(sessions.isOpen(all.getLast(), ANN)).isTrue();
        String first = sessions.link(ANN);
        for (int i = 0; i < PageSessions.LINKS_MAX; i++) {
            sessions.link(ANN);
        }
        assertThat(sessions.login(first, ANN)).isEmpty();
    }
}
