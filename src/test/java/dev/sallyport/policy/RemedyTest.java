package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A command that a person copies: made of names that were parsed, and of nothing else.
class RemedyTest {
    private static String text(Refusal reason, Map<String, String> facts) {
        return Remedy.of(reason, "work", facts).map(Remedy::text).orElse("");
    }

    @Test
    void namesTheCommandForAHostAndAPort() {
        assertThat(text(Refusal.NAME_NOT_ALLOWED, Map.of("host", "api.example.com")))
                .isEqualTo("sallyport allow work api.example.com");
        assertThat(text(Refusal.NAME_NOT_ALLOWED, Map.of("name", "api.example.com")))
                .isEqualTo("sallyport allow work api.example.com");
        assertThat(text(Refusal.PORT_NOT_ALLOWED, Map.of("host", "a.example", "port", "8443")))
                .isEqualTo("sallyport allow work a.example:8443");
    }

    @Test
    void namesTheKeyOfARule() {
        Map<String, String> facts = Map.of("host", "a.example", "rule", "/h/policy.yaml:3");
        assertThat(text(Refusal.URL_NOT_ALLOWED, facts))
                .contains("paths", "a.example", "sallyport policy apply --running");
        assertThat(text(Refusal.METHOD_NOT_ALLOWED, facts)).contains("methods");
        assertThat(
                        text(
                                Refusal.URL_NOT_ALLOWED,
                                Map.of("host", "a.example", "rule", "/h/policy.yaml:3 (preset x)")))
                .contains("before its preset");
        assertThat(
                        text(
                                Refusal.URL_NOT_ALLOWED,
                                Map.of("host", "a.example", "rule", "--preset:2 (preset x)")))
                .isEmpty();
        assertThat(text(Refusal.FORCE_NOT_ALLOWED, Map.of("repo", "github.com/acme/app")))
                .contains("push: force", "github.com/acme/app");
    }

    @Test
    void namesWhatKeepsARepositoryReadOnly() {
        String repo = "github.com/acme/app";
        String command = "sallyport new --repo github.com/acme/app:write";
        assertThat(
                        text(
                                Refusal.REPO_READ_ONLY,
                                Map.of("repo", repo, "rule", Remedy.STANDARD_RULES)))
                .isEqualTo(command);
        assertThat(text(Refusal.REPO_READ_ONLY, Map.of("repo", repo, "rule", "/h/policy.yaml:3")))
                .isEqualTo(
                        "see that the rule for github.com/acme/app under git: in policy.yaml has access: write, then: "
                                + command);
        assertThat(text(Refusal.REPO_READ_ONLY, Map.of("repo", repo)))
                .isEqualTo(
                        "see that any rule for github.com/acme/app under git: in policy.yaml has access: write, then: "
                                + command);
        assertThat(
                        Remedy.of(Refusal.REPO_READ_ONLY, "work", Map.of("repo", repo))
                                .map(Remedy::forSandbox))
                .hasValue(
                        "ask the person who runs this sandbox to see that any rule for github.com/acme/app under git: in policy.yaml has access: write and run: "
                                + command);
    }

    /// What no rule can allow has no remedy.
    @Test
    void namesTheKeyOfAnApiOperation() {
        assertThat(
                        text(
                                Refusal.OPERATION_NOT_ALLOWED,
                                Map.of("repo", "github.com/acme/app", "operation", "issue-open")))
                .isEqualTo(
                        "change api: of github.com/acme/app under git: in policy.yaml,"
                                + " then: sallyport policy apply --running");
        assertThat(text(Refusal.OPERATION_NOT_ALLOWED, Map.of("repo", "github.com/acme/app")))
                .isEmpty();
    }

    @Test
    void tellsTheSandboxWhomToAsk() {
        assertThat(
                        Remedy.of(Refusal.NAME_NOT_ALLOWED, "work", Map.of("host", "a.example"))
                                .map(Remedy::forSandbox))
                .hasValue(
                        "ask the person who runs this sandbox to run: sallyport allow work a.example");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.example; rm -rf /",
                "$(id).example",
                "a.example\n",
                "`id`",
                "-x",
                "",
                "a b"
            })
    void noWordOfTheSandboxGetsIntoACommand(String host) {
        assertThat(text(Refusal.NAME_NOT_ALLOWED, Map.of("host", host))).isEmpty();
        assertThat(text(Refusal.REF_NOT_ALLOWED, Map.of("repo", host))).isEmpty();
        assertThat(text(Refusal.REPO_READ_ONLY, Map.of("repo", host))).isEmpty();
        String repo = "github.com/acme/app";
        String named = text(Refusal.REPO_READ_ONLY, Map.of("repo", repo, "rule", "file:1"));
        assertThat(text(Refusal.REPO_READ_ONLY, Map.of("repo", repo, "rule", "file:1 " + host)))
                .isEqualTo(named);
        assertThat(text(Refusal.PORT_NOT_ALLOWED, Map.of("host", "a.example", "port", host)))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Refusal.class)
    void everyReasonIsFoundByItsCode(Refusal reason) {
        assertThat(Refusal.of(reason.code())).hasValue(reason);
        assertThat(Remedy.of(reason, "work", Map.of())).isNotNull();
    }
}
