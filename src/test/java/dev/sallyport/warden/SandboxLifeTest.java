package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.Api;
import dev.sallyport.fixture.Await;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.session.Moment;
import dev.sallyport.session.Session;
import dev.sallyport.session.Usage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How sessions end, come back, and do not come back, against a runtime that only pretends.
class SandboxLifeTest {
    @TempDir Path temporary;

    private WardenParts parts;
    private Sandboxes sandboxes;
    private UsageBuffer usage;

    @BeforeEach
    void open() throws IOException {
        parts = new WardenParts(temporary);
        sandboxes = parts.sandboxes;
        usage = new UsageBuffer(parts.store, parts.clock);
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
    }

    @Test
    void aSandboxThatWasRestartedByOthersKeepsItsSessionAndGetsNewDoors() throws Exception {
        Session first = create("app", Api.LifeRequest.STANDARD);
        parts.runtime.end(first.id());
        assertThat(isAttached(first)).isFalse();
        Identity fresh = parts.runtime.restart(first.spec());
        sandboxes.check(first.id());
        Session again = sandboxes.show("app");
        assertThat(again.state()).isEqualTo(Session.State.RUNNING);
        assertThat(again.identity()).contains(fresh);
        assertThat(again.policy().digest()).isEqualTo(first.policy().digest());
        assertThat(isAttached(again)).isTrue();
        assertThat(line("session.reattach"))
                .contains("\"pid\":\"" + fresh.pid() + "\"")
                .contains("\"pid-before\":\"" + first.identity().orElseThrow().pid() + "\"");
    }

    @Test
    void whatWasStoppedIsNotBroughtBackByOthersButByItsPerson() throws Exception {
        Session app = create("app", Api.LifeRequest.STANDARD);
        sandboxes.stop("app");
        parts.runtime.restart(app.spec());
        sandboxes.check(app.id());
        sandboxes.check(app.id());
        assertThat(sandboxes.show("app").state()).isEqualTo(Session.State.STOPPED);
        assertThat(isAttached(app)).isFalse();
        assertThat(record()).containsOnlyOnce("session.start-ignored").doesNotContain("reattach");
        assertThat(sandboxes.remarks().on(app.id()).getFirst())
                .contains("it was started outside Sallyport");
        takeOver();
        assertThat(isAttached(app)).as("nor by a new warden").isFalse();
        sandboxes.stop("app");
        assertThat(parts.runtime.alive).isEmpty();
        parts.runtime.restart(app.spec());
        sandboxes.check(app.id());
        assertThat(sandboxes.start("app").state()).isEqualTo(Session.State.RUNNING);
        assertThat(isAttached(app)).isTrue();
        assertThat(sandboxes.remarks().on(app.id())).isEmpty();
    }

    @Test
    void whatEndedByItselfAndWasStoppedThenStaysStopped() throws Exception {
        Session app = create("app", Api.LifeRequest.STANDARD);
        parts.runtime.end(app.id());
        assertThat(sandboxes.show("app").state()).isEqualTo(Session.State.EXITED);
        assertThat(sandboxes.stop("app").state()).isEqualTo(Session.State.STOPPED);
        parts.runtime.restart(app.spec());
        sandboxes.check(app.id());
        assertThat(isAttached(app)).isFalse();
    }

    @Test
    void aStopEndsWhatOthersStartedThoughNobodyHasSeenItYet() throws Exception {
        Session app = create("app", Api.LifeRequest.STANDARD);
        parts.runtime.end(app.id());
        parts.runtime.restart(app.spec());
        assertThat(sandboxes.stop("app").state()).isEqualTo(Session.State.STOPPED);
        assertThat(parts.runtime.alive).isEmpty();
        parts.runtime.restart(app.spec());
        assertThat(sandboxes.stop("app").state()).isEqualTo(Session.State.STOPPED);
        assertThat(parts.runtime.alive).isEmpty();

        parts.runtime.restart(app.spec());
        assertThat(sandboxes.end("app").state()).isEqualTo(Session.State.ENDED);
        assertThat(parts.runtime.alive).isEmpty();
        assertThat(isAttached(app)).isFalse();
    }

    @Test
    void whatOthersStartAfterItsEndCanBeStoppedAndStaysEnded() throws Exception {
        Session app = create("app", Api.LifeRequest.STANDARD);
        sandboxes.end("app");
        parts.runtime.restart(app.spec());
        sandboxes.check(app.id());

        assertThat(sandboxes.stop("app").state()).isEqualTo(Session.State.ENDED);
        assertThat(parts.runtime.alive).isEmpty();
        assertThat(sandboxes.show("app").state()).isEqualTo(Session.State.ENDED);

        parts.runtime.restart(app.spec());
        assertThat(sandboxes.end("app").state()).isEqualTo(Session.State.ENDED);
        assertThat(parts.runtime.alive).isEmpty();
        assertThat(isAttached(app)).isFalse();
    }

    @Test
    void theEndOfAStoppedSessionEndsWhatOthersStarted() throws Exception {
        Session spent = create("spent", life("1h", "2h"));
        Session revoked = create("revoked", Api.LifeRequest.STANDARD);
        for (Session session : List.of(spent, revoked)) {
            sandboxes.stop(session.name());
            parts.runtime.restart(session.spec());
        }
        parts.clock.pass(Duration.ofHours(3));

        upkeep();
        assertThat(sandboxes.show("spent").state()).isEqualTo(Session.State.ENDED);
        assertThat(parts.runtime.alive).as("positive control").containsExactly(revoked.id());
        assertThat(sandboxes.remarks().on(revoked.id())).isNotEmpty();

        sandboxes.revoke(revoked.id());
        assertThat(parts.runtime.alive).isEmpty();
        assertThat(sandboxes.remarks().on(revoked.id()))
                .as("start would not bring it back")
                .isEmpty();
    }

    /// Else each look would record its end again.
    @Test
    void aRuntimeThatDoesNotAnswerKeepsNoStoppedSessionFromItsEnd() throws Exception {
        create("app", life("1h", "2h"));
        sandboxes.stop("app");
        parts.clock.pass(Duration.ofHours(3));
        parts.runtime.failing = true;

        upkeep();
        upkeep();

        assertThat(sandboxes.show("app").state()).isEqualTo(Session.State.ENDED);
        assertThat(record()).containsOnlyOnce("session.expire");
        assertThatThrownBy(() -> sandboxes.stop("app")).hasMessageContaining("does not work");
    }

    @Test
    void aPauseIsRecordedAndShownAndKeepsTheDoors() throws Exception {
        Session app = create("app", Api.LifeRequest.STANDARD);
        parts.runtime.paused = true;
        sandboxes.check(app.id());
        sandboxes.check(app.id());
        Session paused = sandboxes.show("app");
        assertThat(SessionViews.of(paused, List.of(), false, Optional.empty()).state())
                .isEqualTo("paused");
        assertThat(isAttached(app)).isTrue();

        parts.runtime.paused = false;
        sandboxes.check(app.id());
        sandboxes.check(app.id());

        assertThat(
                        SessionViews.of(sandboxes.show("app"), List.of(), false, Optional.empty())
                                .state())
                .isEqualTo("running");
        assertThat(record()).containsOnlyOnce("session.pause").containsOnlyOnce("session.unpause");
    }

    /// I1, I3
    @Test
    void whatIsInAnotherSessionsNamespaceGetsNoDoorsAndIsRecordedOnce() throws Exception {
        Session other = create("other", Api.LifeRequest.STANDARD);
        Session app = create("app", Api.LifeRequest.STANDARD);
        parts.runtime.namespace = Optional.of(other.identity().orElseThrow().netNamespaceInode());
        parts.runtime.restart(app.spec());

        sandboxes.check(app.id());
        sandboxes.check(app.id());

        assertThat(sandboxes.show("app").state()).isEqualTo(Session.State.EXITED);
        assertThat(isAttached(app)).isFalse();
        assertThat(isAttached(other)).as("positive control").isTrue();
        assertThat(record()).containsOnlyOnce("session.identity-refused");
        assertThat(parts.runtime.alive).containsExactly(other.id());
    }

    /// I1
    @Test
    void anImpostorBesideTheSandboxChangesNothingButTheRecord() throws Exception {
        Session app = create("app", Api.LifeRequest.STANDARD);
        parts.runtime.impostor = Optional.of("another container has its name");

        sandboxes.check(app.id());

        assertThat(isAttached(app)).isTrue();
        assertThat(line("session.identity-refused")).contains("another container has its name");
        assertThat(sandboxes.remarks().on(app.id())).isNotEmpty();
        sandboxes.destroy("app");
        assertThat(sandboxes.remarks().on(app.id())).as("nothing is kept of it").isEmpty();
    }

    @Test
    void anEndedSessionIsNeverStartedExtendedOrRevived() throws Exception {
        Session app = create("app", Api.LifeRequest.STANDARD);
        assertThat(sandboxes.end("app").state()).isEqualTo(Session.State.ENDED);
        assertThat(isAttached(app)).isFalse();
        assertThat(parts.runtime.alive).isEmpty();
        assertThat(parts.runtime.destroyed).isEmpty();

        parts.runtime.restart(app.spec());
        sandboxes.check(app.id());
        takeOver();

        assertThat(isAttached(app)).isFalse();
        assertThatThrownBy(() -> sandboxes.start("app")).hasMessageContaining("ended for good");
        assertThatThrownBy(() -> sandboxes.extend("app", Optional.empty()))
                .hasMessageContaining("ended for good");
    }

    @Test
    void aSessionThatRestedTooLongStopsAndOnlyThePersonStartsItAgain() throws Exception {
        Session app = create("app", life("1h", "2d"));
        parts.clock.pass(Duration.ofMinutes(59));
        upkeep();
        assertThat(isAttached(app)).as("positive control").isTrue();

        parts.clock.pass(Duration.ofMinutes(2));
        upkeep();
        assertThat(sandboxes.show("app").state()).isEqualTo(Session.State.STOPPED);
        assertThat(line("session.expire")).contains("idle limit");

        parts.runtime.restart(app.spec());
        sandboxes.check(app.id());
        assertThat(isAttached(app)).isFalse();
        assertThat(sandboxes.start("app").state()).isEqualTo(Session.State.RUNNING);
    }

    @Test
    void theAbsoluteLimitIsForGoodAndAClockThatIsSetBackDoesNotHelp() throws Exception {
        Session app = create("app", life("2d", "1h"));
        parts.clock.pass(Duration.ofMinutes(50));
        parts.clock.setBack(Duration.ofDays(30));
        upkeep();
        assertThat(isAttached(app)).as("positive control").isTrue();

        parts.clock.pass(Duration.ofMinutes(11));
        upkeep();

        assertThat(sandboxes.show("app").state()).isEqualTo(Session.State.ENDED);
        assertThat(line("session.expire")).contains("absolute limit");
        assertThatThrownBy(() -> sandboxes.start("app")).hasMessageContaining("ended for good");
    }

    @Test
    void anExtensionIsRecordedRenewsRestAndStaysBelowTheMaximum() throws Exception {
        create("app", life("1h", "2h"));
        parts.clock.pass(Duration.ofMinutes(50));
        Instant now = parts.clock.now().wall();

        Session longer = sandboxes.extend("app", Optional.of(Duration.ofHours(5)));

        assertThat(longer.lifetime().expires()).isEqualTo(now.plus(Duration.ofHours(5)));
        assertThat(longer.lifetime().idleEnd()).isEqualTo(now.plus(Duration.ofHours(1)));
        assertThat(sandboxes.show("app").lifetime().expires())
                .isEqualTo(longer.lifetime().expires());
        assertThat(line("session.extend")).contains(longer.lifetime().expires().toString());
        assertThatThrownBy(() -> sandboxes.extend("app", Optional.of(Duration.ofDays(31))))
                .hasMessageContaining("cannot be extended beyond");
    }

    @Test
    void moreThanTheMaximumCannotBeAskedFor() {
        assertThatThrownBy(() -> create("app", life("1h", "31d")))
                .hasMessageContaining("--expires");
        assertThatThrownBy(() -> create("app", life("8d", "9d"))).hasMessageContaining("--idle");
        assertThatThrownBy(() -> create("app", life("0h", "9d")))
                .hasMessageContaining("--idle is not a duration: 0h.");
        assertThatThrownBy(() -> create("app", caps(0, "1K", 1)))
                .hasMessageContaining("at least 1");
        assertThatThrownBy(() -> create("app", caps(1, "9999999T", 1)))
                .hasMessageContaining("--max-bytes is not a size: 9999999T.");
    }

    @Test
    void aCapThatIsReachedEndsTheSessionAtOnceAndForGood() throws Exception {
        Session app = create("app", caps(3, "1K", 1));
        Session free = create("free", Api.LifeRequest.STANDARD);
        usage.onUse(new CapWatch(sandboxes, usage, parts.link)::used);
        usage.add(app.id(), new Usage(2, 500, 523));
        usage.add(free.id(), new Usage(2, 500, 524, 7));
        upkeep();
        assertThat(isAttached(app)).as("positive control").isTrue();
        usage.add(app.id(), Usage.ONE_PUSH);
        Await.until(() -> !isAttached(app));
        assertThat(isAttached(app)).isFalse();
        assertThat(isAttached(free)).isTrue();
        usage.flush();
        Await.until(() -> line("session.expire").contains("1 of 1 pushes"));
        assertThatThrownBy(() -> sandboxes.start("app")).hasMessageContaining("ended for good");
    }

    @Test
    void thoseInsideAreToldThatItEndsSoon() throws Exception {
        Session app = create("app", caps(10, "1K", 5));
        Moment now = parts.clock.now();
        assertThat(Notices.of(app, Usage.NONE, now)).isEmpty();
        assertThat(Notices.of(app, new Usage(9, 0, 0), now))
                .singleElement()
                .asString()
                .contains("9 of 10 requests");
        parts.clock.pass(Duration.ofHours(23));
        assertThat(Notices.of(app, Usage.NONE, parts.clock.now()))
                .singleElement()
                .asString()
                .contains(app.lifetime().end().toString(), "sallyport extend app");
    }

    private void takeOver() throws Exception {
        Recovery recovery =
                new Recovery(
                        sandboxes,
                        new Runtimes(_ -> parts.runtime, _ -> Optional.empty()),
                        new Leases(sandboxes::destroy));
        recovery.expect();
        recovery.takeOver();
    }

    private void upkeep() {
        new Upkeep(sandboxes, usage).run();
    }

    private boolean isAttached(Session session) {
        return parts.link.isAttached(session.id().value());
    }

    private static Api.LifeRequest life(String idle, String expires) {
        return new Api.LifeRequest(
                Optional.of(idle),
                Optional.of(expires),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static Api.LifeRequest caps(long requests, String bytes, long pushes) {
        return new Api.LifeRequest(
                Optional.empty(),
                Optional.empty(),
                Optional.of(requests),
                Optional.of(bytes),
                Optional.of(pushes));
    }

    private Session create(String name, Api.LifeRequest life) throws Exception {
        return parts.create(name, life);
    }

    private String line(String kind) throws IOException {
        return record().lines()
                .filter(line -> line.contains('"' + kind + '"'))
                .findFirst()
                .orElse("");
    }

    private String record() throws IOException {
        return Files.readString(parts.home.auditLog());
    }
}
