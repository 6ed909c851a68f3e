package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.FakeApp;
import dev.sallyport.fixture.FakeApp.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What GitHub can answer instead of a token.
class AppTroubleTest {
    @TempDir Path directory;
    private AppRig rig;

    @BeforeEach
    void open() throws Exception {
        rig = new AppRig(directory);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private record Trouble(String call, Said said, String sentence) {}

    private static final String LOOK = "/installation";
    private static final String MINT = "/access_tokens";

    private static List<Trouble> troubles() {
        String huge = "{\"x\":\"" + "y".repeat(5 << 20) + "\"}";
        return List.of(
                new Trouble(LOOK, Said.json(401, "{}"), "does not accept the key"),
                new Trouble(LOOK, Said.json(403, "{}"), "refuses the GitHub App (status 403)"),
                new Trouble(LOOK, Said.json(404, "{}"), "not installed for acme/app"),
                new Trouble(MINT, Said.json(422, "{}"), "gives no token for acme/app"),
                new Trouble(
                        MINT, Said.json(500, "{\"token\":\"t0ken-in-an-error\"}"), "(status-500)"),
                new Trouble(MINT, Said.json(201, "{\"token\":\"t0ken-in-garb"), "(malformed)"),
                new Trouble(MINT, Said.json(201, "{\"token\":\"short\"}"), "(malformed)"),
                new Trouble(
                        MINT,
                        Said.json(201, "{\"token\":\"t0ken-without-an-end\"}"),
                        "(malformed)"),
                new Trouble(
                        MINT,
                        Said.json(
                                201,
                                "{\"token\":\"line\\nbreak-in-it\",\"expires_at\":\"2999-01-01T00:00:00Z\"}"),
                        "(malformed)"),
                new Trouble(
                        MINT,
                        new Said(201, Map.of("Content-Type", "text/html"), "x"),
                        "(malformed)"),
                new Trouble(
                        MINT,
                        new Said(307, Map.of("Location", "https://evil.example/"), "x"),
                        "(status-307)"),
                new Trouble(MINT, Said.json(201, huge), "(too-large)"));
    }

    /// Whatever GitHub says: the tokens that are there serve until they end, then nothing does, and
    /// the person is told. When GitHub has come to itself, so have we.
    @Test
    void noAnswerLeaksOrEndsWhatIsStillGood() throws Exception {
        rig.create(AppRig.APP);
        rig.untilMinted(2);
        for (Trouble trouble : troubles()) {
            int before = rig.github.minted.size();
            rig.github.instead =
                    call ->
                            call.endsWith(trouble.call())
                                    ? Optional.of(trouble.said())
                                    : Optional.empty();
            rig.pass(Duration.ofMinutes(51));
            rig.until(
                    "told",
                    () ->
                            !rig.parts.sandboxes.remarks().on(rig.box().id()).isEmpty()
                                    && rig.isSettled());
            assertThat(rig.parts.sandboxes.remarks().on(rig.box().id()).getFirst())
                    .contains(trouble.sentence());
            assertThat(rig.given())
                    .as("still good: " + trouble.sentence())
                    .hasSize(2)
                    .allMatch(s -> s.secret().isPresent());

            rig.pass(Duration.ofMinutes(9));
            assertThat(rig.given())
                    .as("over: " + trouble.sentence())
                    .hasSize(2)
                    .allMatch(s -> s.secret().isEmpty() && s.minted().orElseThrow().failed());
            rig.until("idle", rig::isSettled);
            assertThat(rig.github.minted).hasSize(before);

            rig.github.instead = _ -> Optional.empty();
            rig.pass(Duration.ofMinutes(3));
            rig.untilMinted(before + 2);
            assertThat(rig.parts.sandboxes.remarks().on(rig.box().id())).isEmpty();
        }
        assertThat(rig.lines("secret.mint-failed")).hasSizeGreaterThanOrEqualTo(troubles().size());
        assertThat(Files.readString(rig.parts.home.auditLog()))
                .doesNotContain("t0ken", "evil", "ghs_");
    }

    @Test
    void morePermissionsThanWereAskedForAreNotTaken() throws Exception {
        rig.github.generous = true;
        assertNotTaken("(too-wide)");
    }

    @Test
    void moreRepositoriesThanWereAskedForAreNotTaken() throws Exception {
        rig.github.boundless = true;
        assertNotTaken("(too-wide)");
    }

    @Test
    void aTokenThatHasEndedIsNotTaken() throws Exception {
        rig.github.life = Duration.ofMinutes(-5);
        assertNotTaken("(malformed)");
    }

    private void assertNotTaken(String why) throws Exception {
        rig.create(AppRig.APP);
        rig.until("told", () -> !rig.parts.sandboxes.remarks().on(rig.box().id()).isEmpty());
        assertThat(rig.parts.sandboxes.remarks().on(rig.box().id()).getFirst()).contains(why);
        rig.until("given back", () -> rig.github.live().isEmpty());
        assertThat(rig.given()).allMatch(s -> s.secret().isEmpty());
    }

    @Test
    void theRepositoriesOnWhichTheAppIsInstalledAreServedAndTheOthersNamed() throws Exception {
        rig.github.installed.remove("acme/lib");
        rig.create(AppRig.APP, FakeApp.HOST + "/acme/lib");
        rig.untilMinted(2);
        assertThat(rig.github.minted).allMatch(t -> t.names().equals(Set.of("app")));
        assertThat(rig.parts.sandboxes.remarks().on(rig.box().id()).getFirst())
                .contains("not installed for acme/lib")
                .doesNotContain("acme/app");
        assertThat(rig.given()).hasSize(4).filteredOn(s -> s.secret().isPresent()).hasSize(2);

        rig.github.installed.add("acme/lib");
        rig.pass(Duration.ofMinutes(3));
        rig.untilMinted(4);
        assertThat(rig.parts.sandboxes.remarks().on(rig.box().id())).isEmpty();
        assertThat(rig.given()).hasSize(2).allMatch(s -> s.secret().isPresent());
    }

    @Test
    void anAppThatMayDoLessIsToldToThePerson() throws Exception {
        rig.github.permissions.remove("checks");
        rig.create(AppRig.APP);
        rig.untilMinted(2);
        assertThat(rig.github.minted.get(1).permissions()).doesNotContainKey("checks");
        assertThat(rig.parts.sandboxes.remarks().on(rig.box().id()).getFirst())
                .contains("checks: read");

        rig.github.permissions.put("contents", "read");
        rig.pass(Duration.ofMinutes(51));
        rig.until(
                "told",
                () ->
                        rig.parts.sandboxes.remarks().on(rig.box().id()).stream()
                                .anyMatch(r -> r.contains("contents: write")));
    }

    @Test
    void whatCannotBeGivenBackIsTriedAgainAndThenRecorded() throws Exception {
        rig.create(AppRig.APP);
        rig.untilMinted(2);
        rig.github.instead =
                call ->
                        call.startsWith("DELETE")
                                ? Optional.of(Said.json(502, "{}"))
                                : Optional.empty();
        rig.parts.sandboxes.destroy("box");
        for (int i = 0; i < 10; i++) {
            rig.until("idle", rig::isSettled);
            rig.pass(Duration.ofMinutes(1));
        }
        rig.until("recorded", () -> countOf("secret.revoke-failed") == 2);
        assertThat(rig.github.calls.stream().filter(c -> c.startsWith("DELETE"))).hasSize(10);
        assertThat(rig.lines("secret.revoke")).hasSize(2);
    }

    private int countOf(String kind) {
        try {
            return rig.lines(kind).size();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatCannotBeRecordedIsNotMinted() throws Exception {
        rig.create(AppRig.APP);
        rig.untilMinted(2);
        rig.parts.audit.close();
        rig.pass(Duration.ofMinutes(51));
        rig.until(
                "told",
                () ->
                        !rig.parts.sandboxes.remarks().on(rig.box().id()).isEmpty()
                                && rig.isSettled());
        assertThat(rig.github.minted).hasSize(2);
    }
}
