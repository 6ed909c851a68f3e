package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditReader;
import dev.sallyport.channel.Message;
import dev.sallyport.control.Api;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.policy.Refusal;
import dev.sallyport.session.Session;
import dev.sallyport.session.Usage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The life of sandboxes on a disk that is full. The record has a disk of its own, which is not
/// unless a test fills it.
class FullStoreIT {
    private static final int FULL_BYTES_MAX = 64 << 20;

    /// What still fits into the last page of the record.
    private static final int PAGE_LINES_MAX = 100;

    @TempDir Path temporary;

    private Path home;
    private WardenParts parts;

    @BeforeEach
    void open() throws IOException {
        home = temporary.toRealPath().resolve("home");
        mount(Files.createDirectory(home), "16m");
        mount(Files.createDirectory(home.resolve("audit")), "1m");
        parts = new WardenParts(temporary);
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
        Command.of("umount", "-l", home.resolve("audit").toString()).run().ok();
        Command.of("umount", "-l", home.toString()).run().ok();
    }

    private static void mount(Path place, String size) {
        String options = "size=" + size + ",mode=0700";
        Command.of("mount", "-t", "tmpfs", "-o", options, "none", place.toString()).run().ok();
    }

    @Test
    void aStopHappensWhollyOrNotAtAll() throws Exception {
        Session app = parts.create("app", Api.LifeRequest.STANDARD);
        Path ballast = fill(home);

        assertThatThrownBy(() -> parts.sandboxes.stop("app"))
                .isInstanceOfSatisfying(
                        OperationException.class,
                        e -> assertThat(e.problem().code()).isEqualTo("disk-full"))
                .hasMessageContaining("disk is full");
        assertThat(parts.runtime.alive).containsExactly(app.id());
        assertThat(isAttached(app)).isTrue();
        assertThat(parts.sandboxes.show("app").state()).isEqualTo(Session.State.RUNNING);

        Files.delete(ballast);
        assertThat(parts.sandboxes.stop("app").state()).isEqualTo(Session.State.STOPPED);
        assertThat(parts.runtime.alive).isEmpty();
        assertThat(isAttached(app)).isFalse();
        assertThat(parts.store.byName("app").orElseThrow().identity()).isEmpty();
    }

    /// What it says last must be true, or a reader takes a sandbox that runs for a stopped one.
    @Test
    void theRecordSaysThatAStopFailedThoughItIsOnAFullDisk() throws Exception {
        Session app = parts.create("app", Api.LifeRequest.STANDARD);
        fill(home.resolve("audit"));
        fill(home);
        awaitFullRecord();

        assertThatThrownBy(() -> parts.sandboxes.stop("app")).hasMessageContaining("disk is full");
        assertThat(parts.runtime.alive).containsExactly(app.id());
        assertThat(recorded()).endsWith("session.stop", "session.stop-failed");
    }

    @Test
    void theEndOfTheDaemonEndsSandboxesThoughNothingCanBeWritten() throws Exception {
        Session app = parts.create("app", Api.LifeRequest.STANDARD);
        Session brief = parts.sandboxes.create(parts.plan("brief", true, Api.LifeRequest.STANDARD));
        Files.delete(home.resolve("audit/audit.reserve"));
        fill(home.resolve("audit"));
        fill(home);
        Optional<String> unrecorded = Optional.empty();
        for (int i = 0; i < PAGE_LINES_MAX && unrecorded.isEmpty(); i++) {
            unrecorded = parts.ledger.tryToRecord("warden.stop", Map.of());
        }
        assertThat(unrecorded.orElseThrow()).startsWith("The disk is full");

        new StopAll(parts.sandboxes).run();

        assertThat(parts.runtime.alive).isEmpty();
        assertThat(isAttached(app)).isFalse();
        assertThat(isAttached(brief)).isFalse();
    }

    /// What a push waits for is one of the lines that it needs.
    @Test
    void aQuestionThatCannotBeRecordedIsRefusedForTheFullDisk() throws Exception {
        Session app = parts.create("app", Api.LifeRequest.STANDARD);
        fill(home.resolve("audit"));
        awaitFullRecord();
        List<Message> told = new ArrayList<>();
        parts.approvals.asked(
                new Message.Ask(
                        app.id().value(),
                        "k3f9x2mqab",
                        ApprovalsTest.question("https://a.example/x")),
                told::add);

        assertThat(told)
                .singleElement()
                .isInstanceOfSatisfying(
                        Message.Answered.class,
                        answer ->
                                assertThat(answer.outcome().refusal()).contains(Refusal.DISK_FULL));
        assertThat(parts.approvals.list().approvals()).isEmpty();
    }

    private void awaitFullRecord() throws Exception {
        Await.until("the record sees the full disk", () -> recorded().contains("audit.disk-full"));
    }

    private List<String> recorded() throws IOException {
        List<String> kinds = new ArrayList<>();
        AuditReader.read(
                parts.home.auditLog(), AuditFilter.ALL, line -> kinds.add(line.event().kind()));
        return kinds;
    }

    @Test
    void whatIsOverLosesItsDoorsThoughNobodyCanWriteThatDown() throws Exception {
        Session app = parts.create("app", Api.LifeRequest.STANDARD);
        Path ballast = fill(home);
        parts.clock.pass(Duration.ofDays(8));

        assertThatThrownBy(() -> parts.sandboxes.expire(app.id(), Usage.NONE))
                .hasMessageContaining("disk is full");
        parts.sandboxes.check(app.id());
        assertThat(isAttached(app)).isFalse();
        assertThat(parts.sandboxes.remarks().on(app.id()))
                .singleElement()
                .asString()
                .contains("has ended");

        Files.delete(ballast);
        parts.sandboxes.expire(app.id(), Usage.NONE);
        assertThat(parts.sandboxes.show("app").state()).isEqualTo(Session.State.ENDED);
        assertThat(parts.sandboxes.remarks().on(app.id())).isEmpty();
    }

    @Test
    void aStopThatItsRuntimeDidNotAnswerIsSeenToLater() throws Exception {
        Session app = parts.create("app", Api.LifeRequest.STANDARD);
        parts.runtime.failing = true;
        assertThatThrownBy(() -> parts.sandboxes.stop("app")).hasMessageContaining("does not work");
        assertThat(parts.sandboxes.show("app").state()).isEqualTo(Session.State.STOPPED);
        assertThat(isAttached(app)).isFalse();
        assertThat(parts.runtime.alive).containsExactly(app.id());

        parts.runtime.failing = false;
        parts.sandboxes.check(app.id());
        assertThat(parts.runtime.alive).isEmpty();
        assertThat(parts.store.byName("app").orElseThrow().identity()).isEmpty();
    }

    /// Until nothing more fits, not even into the store's own log.
    private static Path fill(Path disk) throws IOException {
        Path ballast = disk.resolve("ballast");
        try (OutputStream out = Files.newOutputStream(ballast)) {
            for (int i = 0; i < FULL_BYTES_MAX; i += 1_024) {
                out.write(new byte[1_024]);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space");
        }
        return ballast;
    }

    private boolean isAttached(Session session) {
        return parts.link.isAttached(session.id().value());
    }
}
