package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.RecordOutcome;
import dev.sallyport.control.Api;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A gateway that has lost the lease of a session serves nothing of it.
class LostLeasesTest {
    @TempDir Path temporary;

    private WardenParts parts;

    @BeforeEach
    void open() throws IOException {
        parts = new WardenParts(temporary);
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
    }

    /// As after a sleep: nobody has told it yet.
    @Test
    void whatIsNotHeldAnyMoreIsRefusedAtOnce() throws Exception {
        Session app = parts.create("app", Api.LifeRequest.STANDARD);
        assertThat(ask(app)).isEqualTo(RecordOutcome.RECORDED);
        String before = record();
        parts.held = false;
        assertThat(ask(app)).isEqualTo(RecordOutcome.NOT_RECORDED);
        assertThat(record()).isEqualTo(before);
    }

    @Test
    void itsSandboxRunsOnWithoutDoorsUntilItIsHeldAgain() throws Exception {
        Session app = parts.create("app", Api.LifeRequest.STANDARD);
        assertThat(isAttached(app)).isTrue();
        parts.held = false;
        LostLeases lost =
                new LostLeases(
                        parts.sandboxes.rights().doors(), parts.sandboxes.remarks(), parts.ledger);
        lost.accept(app.id());
        lost.accept(app.id());
        assertThat(isAttached(app)).isFalse();
        assertThat(parts.runtime.alive).containsExactly(app.id());
        assertThat(parts.sandboxes.remarks().on(app.id()).getFirst())
                .contains("without gateway access", "session store");

        parts.sandboxes.openMissing();
        parts.sandboxes.check(app.id());
        assertThat(isAttached(app)).isFalse();
        assertThat(record()).containsOnlyOnce("session.reattach-failed");

        parts.held = true;
        parts.sandboxes.openMissing();
        assertThat(isAttached(app)).isTrue();
        assertThat(parts.sandboxes.remarks().on(app.id())).isEmpty();
        assertThat(ask(app)).isEqualTo(RecordOutcome.RECORDED);
    }

    @Test
    void aNewWardenOpensNoDoorsOfWhatItDoesNotHold() throws Exception {
        Session app = parts.create("app", Api.LifeRequest.STANDARD);
        parts.link.detach(app.id());
        parts.held = false;
        parts.sandboxes.arrivals().expect(app);
        parts.sandboxes.recover(app);
        assertThat(isAttached(app)).isFalse();
        assertThat(parts.runtime.alive).containsExactly(app.id());
        assertThat(parts.link.lackingPorts()).isEmpty();
    }

    private RecordOutcome ask(Session session) {
        AuditEvent event = new AuditEvent("git.request", session.id().value(), "allow", Map.of());
        return parts.messages(parts.ledger).record(List.of(event)).getFirst();
    }

    private boolean isAttached(Session session) {
        return parts.link.isAttached(session.id().value());
    }

    private String record() throws IOException {
        return Files.readString(parts.home.auditLog());
    }
}
