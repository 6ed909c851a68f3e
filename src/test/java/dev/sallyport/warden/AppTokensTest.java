package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.channel.Message;
import dev.sallyport.config.SecretInput;
import dev.sallyport.control.Api;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.fixture.FakeApp;
import dev.sallyport.fixture.FakeApp.Said;
import dev.sallyport.policy.HostName;
import dev.sallyport.session.Session;
import dev.sallyport.session.Usage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the warden asks of GitHub for a session, and what becomes of it. Time passes when a test
/// says so.
class AppTokensTest {
    private static final String APP = FakeApp.HOST + "/acme/app";

    @TempDir Path temporary;
    private FakeApp github;
    private WardenParts parts;

    @BeforeEach
    void open() throws Exception {
        github = new FakeApp(temporary.resolve("repos"), () -> parts.clock.now().wall());
        github.installed.addAll(Set.of("acme/app", "acme/lib", "acme/docs"));
        Files.createDirectory(
                temporary.toRealPath().resolve("home"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        write("ca.pem", github.pki.caPem());
        policy("");
        parts = new WardenParts(temporary);
        put(github.keyPem());
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
        github.close();
    }

    private void write(String name, String text) throws IOException {
        Path file = Files.writeString(temporary.resolve("home").resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private void policy(String git) throws IOException {
        write("policy.yaml", github.policyEntry("ca.pem") + git);
    }

    private void put(String pem) throws Exception {
        put(FakeApp.HOST, pem);
    }

    private void put(String host, String pem) throws Exception {
        byte[] bytes = pem.getBytes(StandardCharsets.US_ASCII);
        parts.secrets.put(
                "corp",
                new SecretsApi.PutSecret(
                        host,
                        Optional.empty(),
                        SecretInput.readAppKey(new ByteArrayInputStream(bytes)),
                        Optional.of("github-app"),
                        Optional.empty(),
                        Optional.of(FakeApp.ID)));
    }

    private Session create(String... repos) throws Exception {
        return parts.sandboxes.create(
                parts.plans.plan(
                        parts.request("box", false, Api.LifeRequest.STANDARD, List.of(repos))));
    }

    private static void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            LockSupport.parkNanos(5_000_000);
        }
    }

    private void pass(Duration time) {
        parts.clock.pass(time);
        parts.apps.pass();
    }

    private void untilMinted(int tokens) {
        until(tokens + " tokens", () -> github.minted.size() >= tokens && isSettled());
        assertThat(github.minted).hasSize(tokens);
    }

    private boolean isSettled() {
        return parts.apps.isIdle();
    }

    private Session box() {
        try {
            return parts.sandboxes.show("box");
        } catch (OperationException e) {
            throw new AssertionError(e);
        }
    }

    private List<Message.HostSecret> given() {
        try {
            return parts.apps.of(box());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> lines(String kind) throws IOException {
        return Files.readString(parts.home.auditLog())
                .lines()
                .filter(line -> line.contains("\"" + kind + "\""))
                .toList();
    }

    @Test
    void twoTokensAreForExactlyTheRepositoryAndWhatTheRulesAllow() throws Exception {
        create(APP);
        untilMinted(2);
        FakeApp.Token git = github.minted.get(0);
        FakeApp.Token api = github.minted.get(1);
        assertThat(git.names()).containsExactly("app");
        assertThat(git.permissions()).isEqualTo(Map.of("contents", "write", "metadata", "read"));
        assertThat(api.names()).containsExactly("app");
        assertThat(api.permissions())
                .isEqualTo(
                        Map.of(
                                "contents", "read",
                                "metadata", "read",
                                "pull_requests", "write",
                                "issues", "read",
                                "checks", "read",
                                "statuses", "read",
                                "actions", "read"));
        assertThat(given())
                .extracting(s -> s.minted().orElseThrow())
                .containsExactly(
                        new Message.MintedFor("git", List.of(APP), "write", false),
                        new Message.MintedFor("api", List.of(APP), "read", false));
        assertThat(lines("secret.mint"))
                .hasSize(2)
                .allMatch(line -> line.contains("acme/app") && line.contains("contents:"));
        assertThat(parts.sandboxes.remarks(box())).isEmpty();
    }

    /// Least for each: what is only read is not in the token that writes.
    @Test
    void readingAndWritingHaveTokensOfTheirOwn() throws Exception {
        create(APP, FakeApp.HOST + "/acme/lib:read", FakeApp.HOST + "/acme/docs:read");
        untilMinted(4);
        assertThat(github.minted)
                .extracting(FakeApp.Token::names)
                .containsExactly(
                        Set.of("app"), Set.of("docs", "lib"), Set.of("app"), Set.of("docs", "lib"));
        assertThat(github.minted.get(1).permissions())
                .isEqualTo(Map.of("contents", "read", "metadata", "read"));
        assertThat(github.minted.get(3).permissions()).doesNotContainValue("write");
    }

    @Test
    void aGrantForAllOfAnOwnersIsForAllOnWhichTheAppIsInstalled() throws Exception {
        create(FakeApp.HOST + "/acme/*:read");
        untilMinted(2);
        assertThat(github.minted.getFirst().names()).isEmpty();
        assertThat(github.minted.getFirst().permissions())
                .isEqualTo(Map.of("contents", "read", "metadata", "read"));
        assertThat(github.calls).contains("GET /api/v3/users/acme/installation");
    }

    @Test
    void isRenewedBeforeItEndsAndTheOneBeforeStaysGoodForWhatHasBegun() throws Exception {
        create(APP);
        untilMinted(2);
        pass(Duration.ofMinutes(49));
        until("idle", this::isSettled);
        assertThat(github.minted).hasSize(2);

        pass(Duration.ofMinutes(2));
        untilMinted(4);
        assertThat(github.live()).hasSize(4);
        assertThat(github.revoked).isEmpty();
        assertThat(given()).hasSize(2);

        pass(Duration.ofMinutes(10));
        assertThat(github.live()).hasSize(2);
        pass(Duration.ofMinutes(40));
        untilMinted(6);
    }

    @Test
    void aTokenThatGithubWouldTakeForLongerEndsAfterAnHour() throws Exception {
        github.life = Duration.ofHours(8);
        create(APP);
        untilMinted(2);
        pass(Duration.ofMinutes(51));
        untilMinted(4);
        pass(Duration.ofMinutes(9));
        until("the first ones are given back", () -> github.revoked.size() == 2);
        assertThat(github.live()).hasSize(2);
    }

    @Test
    void isGivenBackWhenTheSandboxStopsOrGoes() throws Exception {
        create(APP);
        untilMinted(2);
        parts.sandboxes.stop("box");
        until("given back", () -> github.live().isEmpty());
        assertThat(github.revoked).hasSize(2);
        assertThat(lines("secret.revoke")).hasSize(2);

        parts.sandboxes.start("box");
        untilMinted(4);
        parts.sandboxes.destroy("box");
        until("given back", () -> github.live().isEmpty());
        assertThat(lines("secret.revoke-failed")).isEmpty();
    }

    @Test
    void isGivenBackWhenTheWardenEnds() throws Exception {
        create(APP);
        untilMinted(2);
        parts.apps.close();
        assertThat(github.live()).isEmpty();
    }

    @Test
    void whatAnotherRuleTakesAwayIsGivenBackAtOnce() throws Exception {
        String rule = "git:\n  - repo: " + APP + "\n    access: ";
        policy(rule + "write\n");
        parts.policy.apply(new Api.ApplyPolicy(false, false));
        create(APP);
        untilMinted(2);
        policy(rule + "read\n");
        parts.policy.apply(new Api.ApplyPolicy(false, false));
        assertThat(given())
                .as("the tokens for less are not there yet, and those for more not any more")
                .noneMatch(s -> s.minted().orElseThrow().access().equals("write"));
        until("given back", () -> github.revoked.size() == 2);
        untilMinted(4);
        assertThat(github.live()).allMatch(t -> !t.permissions().containsValue("write")).hasSize(2);
    }

    @Test
    void aRemovedAppLeavesNoToken() throws Exception {
        create(APP);
        untilMinted(2);
        parts.secrets.remove("corp");
        assertThat(given()).isEmpty();
        until("given back", () -> github.live().isEmpty());
    }

    @Test
    void theGatewayGetsNoKeyAndTheRecordNeitherKeyNorToken() throws Exception {
        create(APP);
        untilMinted(2);
        Message.Attach attach =
                new AttachMessages(
                                parts.live::current,
                                parts.secrets.files(),
                                parts.apps,
                                parts.authorities,
                                _ -> Usage.NONE)
                        .attach(box(), List.of());
        assertThat(attach.secrets()).hasSize(2).allMatch(s -> s.minted().isPresent());
        assertThat(attach.injected()).isEmpty();
        String line = github.keyPem().split("\n", -1)[10];
        String log = Files.readString(parts.home.auditLog());
        assertThat(log).doesNotContain(line, "ghs_", "eyJ");
        assertThat(Files.readString(parts.home.secrets().resolve("corp.json")))
                .doesNotContain("ghs_");
        assertThat(parts.secrets.list().secrets().getFirst())
                .matches(v -> v.kind().equals("github-app"))
                .matches(v -> v.app().equals(Optional.of(FakeApp.ID)))
                .matches(v -> v.sandboxes().equals(List.of("box")));
    }

    /// The key of an App is sent nowhere, whatever a rule says.
    @Test
    void noRuleInjectsTheKey() throws Exception {
        parts.secrets.remove("corp");
        put("api.example.com", github.keyPem());
        policy("egress:\n  - host: api.example.com\n    inject: {secret: corp, bearer: true}\n");
        parts.policy.apply(new Api.ApplyPolicy(false, false));
        assertThatThrownBy(() -> create(APP)).hasMessageContaining("key of a GitHub App");
        assertThat(parts.secrets.files().find("corp", new HostName("api.example.com"))).isEmpty();
        assertThat(parts.secrets.files().findApp("corp", new HostName("api.example.com")))
                .as("positive control")
                .isPresent();
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
        create(APP);
        untilMinted(2);
        for (Trouble trouble : troubles()) {
            int before = github.minted.size();
            github.instead =
                    call ->
                            call.endsWith(trouble.call())
                                    ? Optional.of(trouble.said())
                                    : Optional.empty();
            pass(Duration.ofMinutes(51));
            until("told", () -> !parts.sandboxes.remarks(box()).isEmpty() && isSettled());
            assertThat(parts.sandboxes.remarks(box()).getFirst()).contains(trouble.sentence());
            assertThat(given())
                    .as("still good: " + trouble.sentence())
                    .hasSize(2)
                    .allMatch(s -> s.secret().isPresent());

            pass(Duration.ofMinutes(9));
            assertThat(given())
                    .as("over: " + trouble.sentence())
                    .hasSize(2)
                    .allMatch(s -> s.secret().isEmpty() && s.minted().orElseThrow().failed());
            until("idle", this::isSettled);
            assertThat(github.minted).hasSize(before);

            github.instead = _ -> Optional.empty();
            pass(Duration.ofMinutes(3));
            untilMinted(before + 2);
            assertThat(parts.sandboxes.remarks(box())).isEmpty();
        }
        assertThat(lines("secret.mint-failed")).hasSizeGreaterThanOrEqualTo(troubles().size());
        assertThat(Files.readString(parts.home.auditLog())).doesNotContain("t0ken", "evil", "ghs_");
    }

    @Test
    void moreThanWasAskedForIsNotTaken() throws Exception {
        github.generous = true;
        create(APP);
        until("told", () -> !parts.sandboxes.remarks(box()).isEmpty());
        assertThat(parts.sandboxes.remarks(box()).getFirst()).contains("(too-wide)");
        until("given back", () -> github.live().isEmpty());
        assertThat(given()).allMatch(s -> s.secret().isEmpty());
    }

    @Test
    void theRepositoriesOnWhichTheAppIsInstalledAreServedAndTheOthersNamed() throws Exception {
        github.installed.remove("acme/lib");
        create(APP, FakeApp.HOST + "/acme/lib");
        untilMinted(2);
        assertThat(github.minted).allMatch(t -> t.names().equals(Set.of("app")));
        assertThat(parts.sandboxes.remarks(box()).getFirst())
                .contains("not installed for acme/lib")
                .doesNotContain("acme/app");
        assertThat(given()).hasSize(4).filteredOn(s -> s.secret().isPresent()).hasSize(2);

        github.installed.add("acme/lib");
        pass(Duration.ofMinutes(3));
        untilMinted(4);
        assertThat(parts.sandboxes.remarks(box())).isEmpty();
        assertThat(given()).hasSize(2).allMatch(s -> s.secret().isPresent());
    }

    @Test
    void anAppThatMayDoLessIsToldToThePerson() throws Exception {
        github.permissions.remove("checks");
        create(APP);
        untilMinted(2);
        assertThat(github.minted.get(1).permissions()).doesNotContainKey("checks");
        assertThat(parts.sandboxes.remarks(box()).getFirst()).contains("checks: read");

        github.permissions.put("contents", "read");
        pass(Duration.ofMinutes(51));
        until(
                "told",
                () ->
                        parts.sandboxes.remarks(box()).stream()
                                .anyMatch(r -> r.contains("contents: write")));
    }

    @Test
    void whatCannotBeGivenBackIsTriedAgainAndThenRecorded() throws Exception {
        create(APP);
        untilMinted(2);
        github.instead =
                call ->
                        call.startsWith("DELETE")
                                ? Optional.of(Said.json(502, "{}"))
                                : Optional.empty();
        parts.sandboxes.destroy("box");
        for (int i = 0; i < 10; i++) {
            until("idle", this::isSettled);
            pass(Duration.ofMinutes(1));
        }
        until("recorded", () -> countOf("secret.revoke-failed") == 2);
        assertThat(github.calls.stream().filter(c -> c.startsWith("DELETE"))).hasSize(10);
        assertThat(lines("secret.revoke")).hasSize(2);
    }

    private int countOf(String kind) {
        try {
            return lines(kind).size();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatCannotBeRecordedIsNotMinted() throws Exception {
        create(APP);
        untilMinted(2);
        parts.audit.close();
        pass(Duration.ofMinutes(51));
        until("told", () -> !parts.sandboxes.remarks(box()).isEmpty() && isSettled());
        assertThat(github.minted).hasSize(2);
    }
}
