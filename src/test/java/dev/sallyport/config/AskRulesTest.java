package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiRules.ApiKind;
import dev.sallyport.policy.AskRules;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.Narrowing;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `ask` in a policy file: what it says, and that it is added and never lost.
final class AskRulesTest {
    private static final String SOME =
            "ask: {refs: [refs/heads/main], paths: [\"deploy/**\"], over-bytes: 5000}";

    @TempDir Path directory;

    private PolicyFile load(String text) throws IOException {
        Path file = directory.resolve("policy.yaml");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        return PolicyFile.load(file);
    }

    private RepoGrant grant(String push, String api) throws IOException {
        return load("git: [{repo: github.com/acme/app, access: write, push: {%s}, api: {%s}}]"
                        .formatted(push, api))
                .git()
                .getFirst()
                .grant();
    }

    private EgressRule rule(String keys) throws IOException {
        return load("egress: [{host: a.example" + keys + "}]").egress().rules().getFirst();
    }

    private static boolean asks(EgressRule rule) {
        return rule.inspection().filter(Inspection::ask).isPresent();
    }

    @Test
    void nobodyIsAskedUnlessItIsWritten() throws IOException {
        assertThat(grant("", "").push().ask()).isEqualTo(AskRules.NONE);
        assertThat(grant("ask: false", "ask: false").push().ask().isNone()).isTrue();
        assertThat(grant("", "").api().ask()).isEmpty();
        assertThat(rule("").inspection()).isEmpty();
        assertThat(asks(rule(", inspect: true"))).isFalse();
    }

    @Test
    void aHostRuleThatAsksIsInspected() throws IOException {
        assertThat(asks(rule(", ask: true"))).isTrue();
    }

    @Test
    void apiKindsAreNamedOrAll() throws IOException {
        assertThat(grant("", "ask: true").api().ask()).containsExactly(ApiKind.values());
        RepoGrant pulls = grant("", "ask: [pulls]");
        assertThat(pulls.api().asks(ApiOperation.PULL_COMMENT)).isTrue();
        assertThat(pulls.api().asks(ApiOperation.ISSUE_OPEN)).isFalse();
        assertThat(pulls.api().asks(ApiOperation.PULL_READ)).isFalse();
    }

    private static RefUpdate update(String ref) throws Exception {
        return new RefUpdate(RefName.parse(ref), ObjectName.ZERO, ObjectName.parse("1".repeat(40)));
    }

    @Test
    void oneConditionIsEnough() throws Exception {
        AskRules ask = grant(SOME, "").push().ask();
        List<RefUpdate> other = List.of(update("refs/heads/agent/x"));

        assertThat(ask.reasons(other, 5_000, List.of())).isEmpty();
        assertThat(ask.reasons(other, 5_001, List.of())).hasSize(1);
        assertThat(ask.reasons(other, 1, List.of("path deploy/x"))).hasSize(1);
        assertThat(ask.reasons(List.of(update("refs/heads/main")), 1, List.of())).hasSize(1);
        assertThat(AskRules.ALWAYS.reasons(other, 1, List.of())).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "push: {ask: {}} | says nothing to ask about",
                "push: {ask: yes} | is not true or false",
                "push: {ask: {refs: [main]}} | cannot be used",
                "push: {ask: {size: 5}} | is not a known key",
                "api: {ask: [read]} | cannot be used",
            })
    void whatSaysNothingIsAnError(String keys, String problem) {
        assertThatThrownBy(
                        () ->
                                load(
                                        "git: [{repo: github.com/acme/app, access: write, %s}]"
                                                .formatted(keys)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void aWebSocketCannotBeAskedAbout() {
        assertThatThrownBy(() -> rule(", ask: true, websocket: true"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("WebSocket");
    }

    @Test
    void asTextItStaysTheSame() throws Exception {
        RepoGrant grant = grant(SOME, "ask: [pulls, rerun]");
        EgressRule rule = rule(", ask: true");

        assertThat(GrantText.of(grant).toGrant()).isEqualTo(grant);
        assertThat(EgressText.of(rule).toRule()).isEqualTo(rule);
    }

    /// A changed file adds it to what is there, and what is there keeps it.
    @Test
    void narrowingAddsItAndNeverTakesItAway() throws Exception {
        RepoGrant asks = grant(SOME, "ask: [pulls]");
        RepoGrant none = grant("", "");
        for (RepoGrant both :
                List.of(
                        Narrowing.of(List.of(asks), List.of(none)).getFirst(),
                        Narrowing.of(List.of(none), List.of(asks)).getFirst())) {
            assertThat(both.push().ask()).isEqualTo(asks.push().ask());
            assertThat(both.api().ask()).containsExactly(ApiKind.PULLS);
        }
        Egress asked = new Egress(List.of(rule(", ask: true")), false);
        Egress tunnel = new Egress(List.of(rule("")), false);
        assertThat(Narrowing.of(asked, tunnel).rules()).allMatch(AskRulesTest::asks);
        assertThat(Narrowing.of(tunnel, asked).rules()).allMatch(AskRulesTest::asks);
        Egress socket = new Egress(List.of(rule(", websocket: true")), false);
        assertThat(Narrowing.of(socket, asked).rules())
                .noneMatch(r -> r.inspection().orElseThrow().websocket());
    }

    @Test
    void itIsPartOfTheDigest() throws Exception {
        SessionId id = SessionId.random();
        List<Policy> different =
                List.of(
                        new Policy(id, List.of(grant("", ""))),
                        new Policy(id, List.of(grant("ask: true", ""))),
                        new Policy(id, List.of(grant(SOME, ""))),
                        new Policy(id, List.of(grant("", "ask: true"))));

        assertThat(different.stream().map(Policy::digest).distinct()).hasSize(different.size());
    }
}
