package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.channel.Message;
import dev.sallyport.control.Api;
import dev.sallyport.fixture.FakeApp;
import dev.sallyport.policy.HostName;
import dev.sallyport.session.Usage;
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

/// What the warden asks of GitHub for a session, and what becomes of it.
class AppTokensTest {
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

    @Test
    void twoTokensAreForExactlyTheRepositoryAndWhatTheRulesAllow() throws Exception {
        rig.create(AppRig.APP);
        rig.untilMinted(2);
        FakeApp.Token git = rig.github.minted.get(0);
        FakeApp.Token api = rig.github.minted.get(1);
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
        assertThat(rig.given())
                .extracting(s -> s.minted().orElseThrow())
                .containsExactly(
                        new Message.MintedFor("git", List.of(AppRig.APP), "write", false),
                        new Message.MintedFor("api", List.of(AppRig.APP), "read", false));
        assertThat(rig.lines("secret.mint"))
                .hasSize(2)
                .allMatch(line -> line.contains("acme/app") && line.contains("contents:"));
        assertThat(rig.parts.sandboxes.remarks().on(rig.box().id())).isEmpty();
    }

    /// Least for each: what is only read is not in the token that writes.
    @Test
    void readingAndWritingHaveTokensOfTheirOwn() throws Exception {
        rig.create(AppRig.APP, FakeApp.HOST + "/acme/lib:read", FakeApp.HOST + "/acme/docs:read");
        rig.untilMinted(4);
        assertThat(rig.github.minted)
                .extracting(FakeApp.Token::names)
                .containsExactly(
                        Set.of("app"), Set.of("docs", "lib"), Set.of("app"), Set.of("docs", "lib"));
        assertThat(rig.github.minted.get(1).permissions())
                .isEqualTo(Map.of("contents", "read", "metadata", "read"));
        assertThat(rig.github.minted.get(3).permissions()).doesNotContainValue("write");
    }

    @Test
    void aGrantForAllOfAnOwnersIsForAllOnWhichTheAppIsInstalled() throws Exception {
        rig.create(FakeApp.HOST + "/acme/*:read");
        rig.untilMinted(2);
        assertThat(rig.github.minted.getFirst().names()).isEmpty();
        assertThat(rig.github.minted.getFirst().permissions())
                .isEqualTo(Map.of("contents", "read", "metadata", "read"));
        assertThat(rig.github.calls).contains("GET /api/v3/users/acme/installation");
    }

    @Test
    void isRenewedBeforeItEndsAndTheOneBeforeStaysGoodForWhatHasBegun() throws Exception {
        rig.create(AppRig.APP);
        rig.untilMinted(2);
        rig.pass(Duration.ofMinutes(49));
        rig.until("idle", rig::isSettled);
        assertThat(rig.github.minted).hasSize(2);

        rig.pass(Duration.ofMinutes(2));
        rig.untilMinted(4);
        assertThat(rig.github.live()).hasSize(4);
        assertThat(rig.github.revoked).isEmpty();
        assertThat(rig.given()).hasSize(2);

        rig.pass(Duration.ofMinutes(10));
        assertThat(rig.github.live()).hasSize(2);
        rig.pass(Duration.ofMinutes(40));
        rig.untilMinted(6);
    }

    @Test
    void aTokenThatGithubWouldTakeForLongerEndsAfterAnHour() throws Exception {
        rig.github.life = Duration.ofHours(8);
        rig.create(AppRig.APP);
        rig.untilMinted(2);
        rig.pass(Duration.ofMinutes(51));
        rig.untilMinted(4);
        rig.pass(Duration.ofMinutes(9));
        rig.until("the first ones are given back", () -> rig.github.revoked.size() == 2);
        assertThat(rig.github.live()).hasSize(2);
    }

    @Test
    void isGivenBackWhenTheSandboxStopsOrGoes() throws Exception {
        rig.create(AppRig.APP);
        rig.untilMinted(2);
        rig.parts.sandboxes.stop("box");
        rig.until("given back", () -> rig.github.live().isEmpty());
        assertThat(rig.github.revoked).hasSize(2);
        assertThat(rig.lines("secret.revoke")).hasSize(2);

        rig.parts.sandboxes.start("box");
        rig.untilMinted(4);
        rig.parts.sandboxes.destroy("box");
        rig.until("given back", () -> rig.github.live().isEmpty());
        assertThat(rig.lines("secret.revoke-failed")).isEmpty();
    }

    @Test
    void isGivenBackWhenTheWardenEnds() throws Exception {
        rig.create(AppRig.APP);
        rig.untilMinted(2);
        rig.parts.apps.close();
        assertThat(rig.github.live()).isEmpty();
    }

    @Test
    void whatAnotherRuleTakesAwayIsGivenBackAtOnce() throws Exception {
        String rule = "git:\n  - repo: " + AppRig.APP + "\n    access: ";
        rig.policy(rule + "write\n");
        rig.parts.policy.apply(new Api.ApplyPolicy(false, false));
        rig.create(AppRig.APP);
        rig.untilMinted(2);
        rig.policy(rule + "read\n");
        rig.parts.policy.apply(new Api.ApplyPolicy(false, false));
        assertThat(rig.given())
                .as("the tokens for less are not there yet, and those for more not any more")
                .noneMatch(s -> s.minted().orElseThrow().access().equals("write"));
        rig.until("given back", () -> rig.github.revoked.size() == 2);
        rig.untilMinted(4);
        assertThat(rig.github.live())
                .allMatch(t -> !t.permissions().containsValue("write"))
                .hasSize(2);
    }

    @Test
    void aRemovedAppLeavesNoToken() throws Exception {
        rig.create(AppRig.APP);
        rig.untilMinted(2);
        rig.parts.secrets.remove("corp");
        assertThat(rig.given()).isEmpty();
        rig.until("given back", () -> rig.github.live().isEmpty());
    }

    @Test
    void theGatewayGetsNoKeyAndTheRecordNeitherKeyNorToken() throws Exception {
        rig.create(AppRig.APP);
        rig.untilMinted(2);
        Message.Attach attach =
                new AttachMessages(
                                rig.parts.live::current,
                                rig.parts.secrets.files(),
                                rig.parts.apps,
                                rig.parts.authorities,
                                _ -> Usage.NONE,
                                id -> new Message.Badges(id.value(), List.of()))
                        .attach(rig.box(), List.of());
        assertThat(attach.secrets()).hasSize(2).allMatch(s -> s.minted().isPresent());
        assertThat(attach.injected()).isEmpty();
        String line = rig.github.keyPem().split("\n", -1)[10];
        String log = Files.readString(rig.parts.home.auditLog());
        assertThat(log).doesNotContain(line, "ghs_", "eyJ");
        assertThat(Files.readString(rig.parts.home.secrets().resolve("corp.json")))
                .doesNotContain("ghs_");
        assertThat(rig.parts.secrets.list().secrets().getFirst())
                .matches(v -> v.kind().equals("github-app"))
                .matches(v -> v.app().equals(Optional.of(FakeApp.ID)))
                .matches(v -> v.sandboxes().equals(List.of("box")));
    }

    /// The key of an App is sent nowhere, whatever a rule says.
    @Test
    void noRuleInjectsTheKey() throws Exception {
        rig.parts.secrets.remove("corp");
        rig.put("api.example.com", rig.github.keyPem());
        rig.policy(
                "egress:\n  - host: api.example.com\n    inject: {secret: corp, bearer: true}\n");
        rig.parts.policy.apply(new Api.ApplyPolicy(false, false));
        assertThatThrownBy(() -> rig.create(AppRig.APP))
                .hasMessageContaining("key of a GitHub App");
        assertThat(rig.parts.secrets.files().find("corp", new HostName("api.example.com")))
                .isEmpty();
        assertThat(rig.parts.secrets.files().findApp("corp", new HostName("api.example.com")))
                .as("positive control")
                .isPresent();
    }
}
