package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.mirror.Progress;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.RepoName;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// What somebody who waits for a push or a fetch is told, by a clock that the test sets.
class WaitTalkTest {
    /// Where the clock of the machine may wrap.
    private static final long BEGIN = Long.MAX_VALUE - 7;

    private static final RepoName APP = new RepoName(new HostName("git.example"), "acme", "app");

    private static Optional<String> at(WaitTalk talk, Duration time) {
        return talk.due(BEGIN + time.toNanos());
    }

    @Test
    void aPersonIsToldAfterTwoSecondsAndThenEveryFew() {
        WaitTalk talk = WaitTalk.ofPush(WaitTalk.Pace.STANDARD, false, BEGIN);
        assertThat(at(talk, Duration.ofMillis(1_999))).isEmpty();
        assertThat(at(talk, Duration.ofSeconds(2))).contains("waiting to judge the push (2 s)");
        talk.at("judging the push");
        assertThat(at(talk, Duration.ofSeconds(3))).isEmpty();
        assertThat(at(talk, Duration.ofSeconds(4))).contains("judging the push (4 s)");
    }

    @Test
    void whoWantsQuietIsToldSeldom() {
        WaitTalk talk = WaitTalk.ofPush(WaitTalk.Pace.STANDARD, true, BEGIN);
        assertThat(at(talk, Duration.ofSeconds(4))).isEmpty();
        assertThat(at(talk, Duration.ofSeconds(5))).isPresent();
        assertThat(at(talk, Duration.ofSeconds(9))).isEmpty();
        assertThat(at(talk, Duration.ofSeconds(10))).isPresent();
    }

    @Test
    void saysHowFarTheCopyIs() {
        WaitTalk talk = WaitTalk.ofPush(WaitTalk.Pace.STANDARD, false, BEGIN);
        Progress copy = talk.copying(APP);
        assertThat(at(talk, Duration.ofSeconds(2)))
                .contains("asking git.example for its refs (2 s)");
        copy.shown(true);
        assertThat(at(talk, Duration.ofSeconds(4)))
                .contains("copying acme/app to judge the push (4 s)");
        copy.reached(45L << 20, 0);
        assertThat(at(talk, Duration.ofSeconds(6)))
                .contains("copying acme/app to judge the push: 45 MiB (6 s)");
        copy.reached(50L << 20, 30);
        assertThat(at(talk, Duration.ofSeconds(8)))
                .contains("copying acme/app to judge the push: 50 MiB, 30% indexed (8 s)");
    }

    @Test
    void whoFetchesIsToldOnlyOnceUpstreamHasShownItsRefs() {
        WaitTalk talk = WaitTalk.ofFetch(WaitTalk.Pace.STANDARD, false, BEGIN);
        Progress copy = talk.copying(APP);
        assertThat(at(talk, Duration.ofSeconds(9))).isEmpty();
        copy.shown(true);
        assertThat(at(talk, Duration.ofSeconds(9))).contains("copying acme/app (9 s)");
        copy.reached(3L << 20, 0);
        assertThat(at(talk, Duration.ofSeconds(11))).contains("copying acme/app: 3 MiB (11 s)");
    }

    @Test
    void whoFetchesIsToldNothingWhenUpstreamsHistoryIsCut() {
        WaitTalk talk = WaitTalk.ofFetch(WaitTalk.Pace.STANDARD, false, BEGIN);
        talk.copying(APP).shown(false);
        assertThat(at(talk, Duration.ofSeconds(9))).isEmpty();
    }
}
