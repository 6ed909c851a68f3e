package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.control.Api;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How a new warden takes over what an earlier one made, against a runtime that only pretends.
class TakeOverTest {
    @TempDir Path temporary;

    private WardenParts parts;
    private Sandboxes sandboxes;

    @BeforeEach
    void open() throws IOException {
        parts = new WardenParts(temporary);
        sandboxes = parts.sandboxes;
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
    }

    @Test
    void whatHasNoDoorsRunsOnAndGetsThemWhenTheCauseIsGone() throws Exception {
        Session app = parts.create("app", Api.LifeRequest.STANDARD);
        parts.link.detach(app.id());
        parts.porterFails = true;
        takeOver();
        sandboxes.openMissing();
        assertThat(parts.runtime.alive).containsExactly(app.id());
        assertThat(sandboxes.show("app").state()).isEqualTo(Session.State.RUNNING);
        assertThat(isAttached(app)).isFalse();
        assertThat(sandboxes.remarks(app)).singleElement().asString().contains("no namespace");
        assertThat(record())
                .containsOnlyOnce("session.reattach-failed")
                .doesNotContain("\"session.reattach\"");

        parts.porterFails = false;
        sandboxes.openMissing();
        assertThat(isAttached(app)).isTrue();
        assertThat(sandboxes.remarks(app)).isEmpty();
        assertThat(record()).containsOnlyOnce("\"session.reattach\"");
    }

    @Test
    void whatIsOverGetsNoDoorsWhenTheCauseIsGone() throws Exception {
        Session app =
                parts.create(
                        "app",
                        new Api.LifeRequest(
                                Optional.of("1h"),
                                Optional.of("2d"),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty()));
        parts.link.detach(app.id());
        parts.porterFails = true;
        takeOver();
        parts.porterFails = false;
        parts.clock.pass(Duration.ofHours(2));

        sandboxes.openMissing();

        assertThat(isAttached(app)).isFalse();
    }

    private void takeOver() throws OperationException {
        new Recovery(sandboxes, new Runtimes(_ -> parts.runtime), new Leases(sandboxes::destroy))
                .takeOver();
    }

    private boolean isAttached(Session session) {
        return parts.link.isAttached(session.id().value());
    }

    private String record() throws IOException {
        return Files.readString(parts.home.auditLog());
    }
}
