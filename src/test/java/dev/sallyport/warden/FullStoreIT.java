package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.Api;
import dev.sallyport.fixture.Command;
import dev.sallyport.session.Session;
import dev.sallyport.session.Usage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The life of sandboxes on a disk that is full. The record has a disk of its own, which is not.
class FullStoreIT {
    private static final int FULL_BYTES_MAX = 64 << 20;

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
        Path ballast = fill();

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

    @Test
    void whatIsOverLosesItsDoorsThoughNobodyCanWriteThatDown() throws Exception {
        Session app = parts.create("app", Api.LifeRequest.STANDARD);
        Path ballast = fill();
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
    private Path fill() throws IOException {
        Path ballast = home.resolve("ballast");
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
