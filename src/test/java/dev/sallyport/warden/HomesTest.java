package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.Api;
import dev.sallyport.fixture.Command;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Homes that outlive their sandboxes, and how they end.
class HomesTest {
    @TempDir Path temporary;

    private WardenParts parts;
    private Path outside;

    @BeforeEach
    void open() throws IOException {
        parts = new WardenParts(temporary);
        outside = Files.createDirectory(temporary.resolve("outside"));
        Files.writeString(outside.resolve("precious"), "x");
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
    }

    private Session create(String name, boolean ephemeral) throws Exception {
        return parts.sandboxes.create(parts.plan(name, ephemeral, Api.LifeRequest.STANDARD));
    }

    private static Path directory(Session session) {
        return session.spec().home().directory().orElseThrow();
    }

    /// As the sandbox would, as somebody's number 7.
    private static Path write(Session session, int bytes) throws IOException {
        Path home = Files.createDirectories(directory(session).resolve("7"));
        return Files.write(home.resolve("file"), new byte[bytes]);
    }

    private Api.HomesRemoved remove(String of) throws OperationException {
        return parts.homes.remove(new Api.RemoveHomes(Optional.of(of), Optional.empty()));
    }

    private Api.HomesRemoved removeUnused(String duration) throws OperationException {
        return parts.homes.remove(new Api.RemoveHomes(Optional.empty(), Optional.of(duration)));
    }

    @Test
    void aProjectHasOneThatOutlivesWhatRunsThere() throws Exception {
        Session first = create("first", true);
        Path file = write(first, 1);
        Session meanwhile = create("meanwhile", true);
        assertThat(directory(meanwhile)).isEqualTo(directory(first));
        parts.sandboxes.destroy(first.id());
        parts.sandboxes.destroy(meanwhile.id());
        assertThat(file).exists();
        assertThat(Files.getAttribute(directory(first), "unix:mode")).isEqualTo(040700);
    }

    @Test
    void aSandboxThatStaysHasItsOwnUntilItIsDestroyed() throws Exception {
        Session fix = create("fix", false);
        Path file = write(fix, 1);
        assertThat(directory(create("other", false))).isNotEqualTo(directory(fix));
        assertThat(directory(create("run", true))).isNotEqualTo(directory(fix));
        parts.sandboxes.stop("fix");
        parts.sandboxes.start("fix");
        parts.sandboxes.end("fix");
        assertThat(file).exists();
        parts.sandboxes.destroy("fix");
        assertThat(directory(fix)).doesNotExist();
        assertThat(directory(create("fix", false))).isNotEqualTo(directory(fix));
    }

    @Test
    void oneThatIsTooLargeStartsNothingUntilItIsRemoved() throws Exception {
        Session fix = create("fix", false);
        Path file = write(fix, 2 * (int) WardenParts.HOME_BYTES_MAX);
        parts.sandboxes.stop("fix");
        assertThatThrownBy(() -> parts.sandboxes.start("fix"))
                .isInstanceOfSatisfying(
                        OperationException.class,
                        e ->
                                assertThat(e.problem().remedy())
                                        .contains("sallyport homes remove fix"));
        assertThat(parts.runtime.alive).doesNotContain(fix.id());
        remove("fix");
        assertThat(file).doesNotExist();
        assertThat(file.getParent()).isEmptyDirectory();
        parts.sandboxes.start("fix");
        assertThat(parts.runtime.alive).contains(fix.id());
    }

    @Test
    void aChangedLimitHoldsFromTheNextStartOn() throws Exception {
        Session fix = create("fix", false);
        write(fix, 2 * (int) WardenParts.HOME_BYTES_MAX);
        parts.sandboxes.stop("fix");
        assertThatThrownBy(() -> parts.sandboxes.start("fix"))
                .isInstanceOf(OperationException.class);
        parts.homeBytesMax = 3 * WardenParts.HOME_BYTES_MAX;
        parts.sandboxes.start("fix");
        assertThat(parts.runtime.alive).contains(fix.id());
    }

    @Test
    void aRunningSandboxThatFillsItIsSaidAndRecordedOnce() throws Exception {
        Session fix = create("fix", false);
        parts.sandboxes.homeWatch().look(fix);
        assertThat(parts.sandboxes.remarks().on(fix.id())).isEmpty();
        Path file = write(fix, 2 * (int) WardenParts.HOME_BYTES_MAX);
        parts.sandboxes.homeWatch().look(fix);
        parts.sandboxes.homeWatch().look(fix);
        assertThat(parts.sandboxes.remarks().on(fix.id()))
                .singleElement()
                .asString()
                .contains("2 MiB");
        assertThat(Files.readString(parts.home.auditLog()).split("session.home-large", -1))
                .hasSize(2);
        Files.delete(file);
        parts.sandboxes.homeWatch().look(fix);
        assertThat(parts.sandboxes.remarks().on(fix.id())).isEmpty();
    }

    @Test
    void oneInUseIsNotRemoved() throws Exception {
        Session run = create("run", true);
        Path file = write(run, 1);
        String project = run.spec().workspace().toString();
        assertThatThrownBy(() -> remove(project)).hasMessageContaining("in use");
        assertThat(removeUnused("1s").removed()).isEmpty();
        assertThat(file).exists();
        assertThat(parts.homes.list().homes())
                .singleElement()
                .satisfies(
                        home -> {
                            assertThat(home.of()).isEqualTo(project);
                            assertThat(home.sandboxes()).containsExactly("run");
                        });
        parts.sandboxes.destroy(run.id());
        assertThat(remove(project).removed()).containsExactly(project);
        assertThat(parts.homes.list().homes()).isEmpty();
        assertThatThrownBy(() -> remove(project)).hasMessageContaining("no home directory");
    }

    @Test
    void unusedOnesOfProjectsAreRemovedTogether() throws Exception {
        Session run = create("run", true);
        Session fix = create("fix", false);
        parts.sandboxes.destroy(run.id());
        parts.sandboxes.stop("fix");
        assertThat(removeUnused("30d").removed()).isEmpty();
        for (Session session : List.of(run, fix)) {
            Files.setLastModifiedTime(
                    directory(session).resolve("about.json"),
                    FileTime.from(Instant.now().minusSeconds(31 * 86_400)));
        }
        assertThat(removeUnused("30d").removed())
                .containsExactly(run.spec().workspace().toString());
        assertThat(directory(fix)).exists();
    }

    @Test
    void removalFollowsNoLinkAndEndsDeepTrees() throws Exception {
        Session fix = create("fix", false);
        Path home = write(fix, 1).resolveSibling(".").normalize();
        Files.createSymbolicLink(home.resolve("link"), outside);
        Files.createSymbolicLink(home.resolve("loop"), home);
        String half = "d/".repeat(1_500);
        Command.of("sh", "-c", "mkfifo pipe; mkdir -p a/$1 b/$1 && mv b a/$1", "sh", half)
                .in(home)
                .run()
                .ok();
        parts.sandboxes.destroy("fix");
        assertThat(parts.home.homes()).isEmptyDirectory();
        assertThat(outside.resolve("precious")).exists();
    }

    @Test
    void whatACrashLeftIsSweptAndNothingElse() throws Exception {
        Session run = create("run", true);
        Session fix = create("fix", false);
        Path orphan = Files.createDirectory(parts.home.homes().resolve("0123456789abcdef"));
        Path half = Files.createDirectory(parts.home.homes().resolve("removed-1"));
        parts.sandboxes.destroy(run.id());
        parts.sandboxes.sweepKept();
        assertThat(orphan).doesNotExist();
        assertThat(half).doesNotExist();
        assertThat(directory(run)).exists();
        assertThat(directory(fix)).exists();
    }
}
