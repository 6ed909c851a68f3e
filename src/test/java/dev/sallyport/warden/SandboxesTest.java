package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.RecordOutcome;
import dev.sallyport.control.Api;
import dev.sallyport.session.PublishedPort;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The life of sandboxes against a runtime that only pretends.
class SandboxesTest {
    @TempDir Path temporary;

    private WardenParts parts;
    private FakeRuntime runtime;
    private SessionStore store;
    private GatewayLink link;
    private Sandboxes sandboxes;

    @BeforeEach
    void open() throws IOException {
        parts = new WardenParts(temporary);
        runtime = parts.runtime;
        store = parts.store;
        link = parts.link;
        sandboxes = parts.sandboxes;
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
    }

    @Test
    void aSandboxIsMadeAttachedAndRecorded() throws Exception {
        Session session = sandboxes.create(plan("app", false));
        assertThat(session.state()).isEqualTo(Session.State.RUNNING);
        assertThat(store.byName("app"))
                .hasValueSatisfying(s -> assertThat(s.identity()).isPresent());
        assertThat(link.isAttached(session.id().value())).isTrue();
        assertThat(record()).contains("\"session.create\"").contains(session.id().value());
    }

    @Test
    void aTakenNameIsRefusedAndTheOtherSandboxIsUntouched() throws Exception {
        Session first = sandboxes.create(plan("app", false));
        assertThatThrownBy(() -> sandboxes.create(plan("app", false)))
                .isInstanceOfSatisfying(
                        OperationException.class, e -> assertThat(e.status()).isEqualTo(409));
        assertThat(runtime.alive).containsExactly(first.id());
        assertThat(link.isAttached(first.id().value())).isTrue();
    }

    @Test
    void aRuntimeThatFailsLeavesNothing() throws Exception {
        runtime.failing = true;
        assertThatThrownBy(() -> sandboxes.create(plan("app", false)))
                .isInstanceOf(OperationException.class);
        assertThat(store.contents().sessions()).isEmpty();
        assertThat(runtime.alive).isEmpty();
    }

    @Test
    void doorsThatDoNotOpenLeaveNothing() throws Exception {
        parts.porterFails = true;
        assertThatThrownBy(() -> sandboxes.create(plan("app", false)))
                .isInstanceOf(OperationException.class);
        assertThat(store.contents().sessions()).isEmpty();
        assertThat(runtime.alive).isEmpty();
        assertThat(record()).contains("session.create-failed");
    }

    @Test
    void whatCannotBeRecordedIsNotDone() throws Exception {
        Session session = sandboxes.create(plan("app", false));
        parts.audit.close();
        assertThatThrownBy(() -> sandboxes.destroy("app"))
                .isInstanceOfSatisfying(
                        OperationException.class, e -> assertThat(e.status()).isEqualTo(503));
        assertThatThrownBy(() -> sandboxes.create(plan("other", false)))
                .isInstanceOf(OperationException.class);
        assertThat(runtime.alive).containsExactly(session.id());
        assertThat(store.contents().sessions()).hasSize(1);
    }

    @Test
    void theEndOfTheWardenEndsSandboxesThoughItCannotBeRecorded() throws Exception {
        sandboxes.create(plan("app", false));
        sandboxes.create(plan("brief", true));
        parts.audit.close();
        assertThatThrownBy(() -> sandboxes.stop("app")).hasMessageContaining("nothing was done");
        assertThat(runtime.alive).hasSize(2);

        assertThat(parts.ledger.tryToRecord("warden.stop", Map.of()))
                .contains("the audit log is closed");
        new StopAll(sandboxes).run();

        assertThat(runtime.alive).isEmpty();
        assertThat(store.contents().sessions())
                .singleElement()
                .matches(left -> left.name().equals("app") && left.isAtRest());
        assertThatThrownBy(() -> sandboxes.start("app")).hasMessageContaining("nothing was done");
        assertThat(runtime.alive).isEmpty();
    }

    @Test
    void stopAndStartGiveANewIdentity() throws Exception {
        Session first = sandboxes.create(plan("app", false));
        assertThat(sandboxes.stop("app").state()).isEqualTo(Session.State.STOPPED);
        assertThat(link.isAttached(first.id().value())).isFalse();
        Session again = sandboxes.start("app");
        assertThat(again.identity()).isNotEqualTo(first.identity());
        assertThat(link.isAttached(first.id().value())).isTrue();
    }

    @Test
    void theEndOfItsFirstProcessDetachesAtOnce() throws Exception {
        Session session = sandboxes.create(plan("app", false));
        runtime.end(session.id());
        assertThat(link.isAttached(session.id().value())).isFalse();
        assertThat(store.byName("app").orElseThrow().state()).isEqualTo(Session.State.EXITED);
    }

    @Test
    void theEndOfAnEphemeralOneRemovesIt() throws Exception {
        Session session = sandboxes.create(plan("app", true));
        runtime.end(session.id());
        assertThat(store.contents().sessions()).isEmpty();
        assertThat(runtime.destroyed).contains(session.id());
    }

    @Test
    void aLateEndOfTheOldProcessDoesNotTouchTheNewOne() throws Exception {
        Session session = sandboxes.create(plan("app", false));
        sandboxes.stop("app");
        sandboxes.start("app");
        runtime.tellEnd(session.id());
        assertThat(link.isAttached(session.id().value())).isTrue();
    }

    @Test
    void aLeaseEndsTheSandboxOfItsConnectionAndNoOther() throws Exception {
        Leases leases = new Leases(sandboxes::destroy);
        Session leased = sandboxes.create(plan("leased", true));
        Session other = sandboxes.create(plan("other", true));
        Leases.Holder connection = () -> true;
        Leases.Holder second = new SecondHolder();
        leases.hold(leased.id(), connection);
        leases.hold(other.id(), second);
        leases.release(connection);
        assertThat(runtime.alive).containsExactly(other.id());
    }

    @Test
    void aLeaseOnAConnectionThatIsGoneEndsTheSandboxAtOnce() throws Exception {
        Session session = sandboxes.create(plan("app", true));
        new Leases(sandboxes::destroy).hold(session.id(), () -> false);
        assertThat(runtime.alive).isEmpty();
        assertThat(store.contents().sessions()).isEmpty();
    }

    @Test
    void aNewWardenTakesOverWhatRunsAndEndsTheRest() throws Exception {
        Session running = sandboxes.create(plan("running", false));
        Session dead = sandboxes.create(plan("dead", false));
        Session orphan = sandboxes.create(plan("orphan", true));
        link.detach(running.id());
        link.detach(dead.id());
        link.detach(orphan.id());
        runtime.alive.remove(dead.id());
        runtime.alive.remove(orphan.id());
        Recovery recovery =
                new Recovery(
                        sandboxes,
                        new Runtimes(_ -> runtime, _ -> Optional.empty()),
                        new Leases(sandboxes::destroy));
        recovery.expect();
        recovery.takeOver();
        recovery.sweep();
        assertThat(link.isAttached(running.id().value())).isTrue();
        assertThat(link.isAttached(dead.id().value())).isFalse();
        assertThat(store.byName("dead").orElseThrow().state()).isEqualTo(Session.State.EXITED);
        assertThat(store.byName("orphan")).isEmpty();
        assertThat(runtime.swept).containsExactlyInAnyOrder(running.id(), dead.id());
    }

    @Test
    void theGatewayCannotRecordLifecycleEventsOrSpeakForOthers() throws Exception {
        Session session = sandboxes.create(plan("app", false));
        GatewayMessages messages = parts.messages(new Ledger(parts.audit));
        String id = session.id().value();
        assertThat(messages.mayRecord(event("git.request", id))).isTrue();
        assertThat(messages.mayRecord(event("session.destroy", id))).isFalse();
        assertThat(messages.mayRecord(event("warden.stop", id))).isFalse();
        assertThat(messages.mayRecord(event("git.request", "0000000000000000"))).isFalse();
        assertThat(messages.mayRecord(event("git.request", ""))).isFalse();
        assertThat(messages.mayRecord(event("audit.thinned", id))).isTrue();
        assertThat(messages.mayRecord(event("audit.thinned", "0000000000000000"))).isFalse();
        assertThat(messages.mayRecord(event("audit.removed", id))).isFalse();
    }

    @Test
    void whatPassedThroughItsPortsIsNotForgottenWithASandboxThatHasEnded() throws Exception {
        Session session = sandboxes.create(plan("app", false));
        link.change(session.publishing(List.of(PublishedPort.parse("8080:3000"))));
        GatewayMessages messages = parts.messages(new Ledger(parts.audit));
        String id = session.id().value();
        sandboxes.stop("app");
        assertThat(messages.mayRecord(event("git.request", id))).isFalse();
        assertThat(messages.mayRecord(event("port.used", id))).as("127.0.0.1").isTrue();
        assertThat(messages.mayRecord(event("port.used", id))).as("::1").isTrue();
        assertThat(messages.mayRecord(event("port.used", id))).as("no socket").isFalse();
    }

    @Test
    void aForgedEventCostsOthersOfItsBatchNothing() throws Exception {
        Session session = sandboxes.create(plan("app", false));
        GatewayMessages messages = parts.messages(new Ledger(parts.audit));
        String id = session.id().value();
        assertThat(
                        messages.record(
                                List.of(
                                        event("git.request", id),
                                        event("session.destroy", id),
                                        event("dns.denied", id))))
                .containsExactly(
                        RecordOutcome.RECORDED, RecordOutcome.NOT_RECORDED, RecordOutcome.RECORDED);
        assertThat(record())
                .contains("\"git.request\"", "\"dns.denied\"")
                .doesNotContain("\"session.destroy\"");
        assertThat(messages.record(List.of(event("warden.stop", id))))
                .containsExactly(RecordOutcome.NOT_RECORDED);
    }

    @Test
    void aLineOfTheGatewaysGetsWhoseItIsAndTheRuleFromTheWarden() throws Exception {
        Session session = sandboxes.create(plan("app", false));
        GatewayMessages messages = parts.messages(new Ledger(parts.audit));
        Map<String, String> said = Map.of("repo", "github.com/acme/app", "rule", "forged:1");
        messages.record(List.of(new AuditEvent("git.push", session.id().value(), "allow", said)));
        assertThat(record().lines().toList().getLast())
                .contains(
                        "\"sandbox\":\"app\"",
                        "\"policy\":\"" + session.policy().digest().substring(0, 16) + "\"",
                        "\"rule\":\"the standard rules\"")
                .doesNotContain("forged");
    }

    private static AuditEvent event(String kind, String session) {
        return new AuditEvent(kind, session, "allow", Map.of());
    }

    private Session plan(String name, boolean ephemeral) throws Exception {
        return parts.plan(name, ephemeral, Api.LifeRequest.STANDARD);
    }

    private String record() throws IOException {
        return Files.readString(parts.home.auditLog());
    }

    private static final class SecondHolder implements Leases.Holder {
        @Override
        public boolean isOpen() {
            return TimeUnit.SECONDS.toMillis(1) > 0;
        }
    }
}
