package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.EgressRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Several entries of `egress:`: which one decides, what presets become, and the way to git.
class EgressOrderTest {
    @TempDir Path directory;

    private PolicyFile load(String text) throws IOException {
        Path file = directory.resolve("policy.yaml");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        return PolicyFile.load(file, new Machine(directory.resolve("home"), directory));
    }

    private List<EgressRule> rules(String text) throws IOException {
        return load(text).egress().rules();
    }

    private EgressRule only(String keys) throws IOException {
        List<EgressRule> rules = rules("egress: [{" + keys + "}]");
        assertThat(rules).hasSize(1);
        return rules.getFirst();
    }

    private void refused(String text, String... fragments) {
        assertThatThrownBy(() -> load(text))
                .isInstanceOf(ConfigException.class)
                .satisfies(e -> assertThat(((ConfigException) e).remedy()).isNotBlank())
                .hasMessageContainingAll(fragments);
    }

    @Test
    void refusesAnEntryThatNeverDecides() {
        refused(
                "egress:\n  - host: a.example\n  - host: a.example\n",
                "policy.yaml:3: egress[1].host has no effect",
                "policy.yaml:2 covers it and comes first.",
                "Move it before that rule");
        refused(
                """
                egress:
                  - host: "**.example.com"
                  - host: "*.example.com"
                    ports: [443]
                """,
                "policy.yaml:3: egress[1].host has no effect",
                "policy.yaml:2 covers it");
        refused(
                """
                egress:
                  - {host: a.example.com, ports: [80]}
                  - {host: "*.example.com", ports: [443]}
                  - {host: a.example.com}
                """,
                "policy.yaml:4",
                "policy.yaml:2 and ",
                "policy.yaml:3 covers it");
    }

    @Test
    void takesAnEntryThatDecidesForOnePortOrHost() throws IOException {
        assertThat(
                        rules(
                                """
                                egress:
                                  - {host: a.example.com, methods: [GET]}
                                  - {host: a.example.com, ports: [443, 8443]}
                                  - {host: "*.example.com"}
                                  - {host: "**.example.com"}
                                  - {host: example.org}
                                """))
                .hasSize(5);
    }

    @Test
    void refusesAHostAfterAPresetThatDecidesOnTheUsualPort() {
        refused(
                "egress:\n  - preset: anthropic\n  - {host: api.anthropic.com, paths: [/v1/files]}\n",
                "policy.yaml:3: egress[1].host has no effect on port 443",
                "policy.yaml:2 (preset anthropic) covers it",
                "or write the other ports under ports:");
        refused(
                "egress:\n  - {host: a.example, ports: [443]}\n  - host: a.example\n",
                "policy.yaml:3: egress[1].host has no effect on port 443");
    }

    @Test
    void saysWhichOfTheWrittenPortsAnEntryDoesNotDecideFor() throws IOException {
        assertThat(
                        load("""
                                        egress:
                                          - host: a.example
                                          - {host: a.example, ports: [443, 8443]}
                                        """)
                                .warnings())
                .singleElement()
                .asString()
                .contains("policy.yaml:3", "no effect on port 443:", "policy.yaml:2");
        assertThat(
                        load("""
                                        egress:
                                          - {host: "*.npmjs.org", ports: [443]}
                                          - preset: npm
                                        """)
                                .warnings())
                .anySatisfy(
                        warning ->
                                assertThat(warning)
                                        .contains(
                                                "in the preset, *.npmjs.org has no effect",
                                                "policy.yaml:2"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "github.com|inspect: true",
                "github.com|methods: [GET]",
                "'\"**.github.com\"'|ports: [443]",
                "git.corp.example|ports: [443]",
                "'\"*.corp.example\"'|ports: [443]",
                "github.com|paths: [\"/**\"]",
                "github.com|paths: [\"/*/*/**\"]",
                "github.com|'paths: [/a, \"/*/*/info/*\"]'",
                "git.corp.example|paths: [\"/*/*/git-receive-pack\"]",
            })
    void leadsNobodyAroundTheGitDoor(String host, String key) {
        refused(
                "hosts: [{name: git.corp.example, kind: gitea}]\n"
                        + ("egress:\n  - {host: " + host + ", " + key + "}\n"),
                "policy.yaml:3: egress[0].host reaches the git host",
                "Give paths that cover no repository");
    }

    @Test
    void reachesOtherPathsOfAGitHost() throws IOException {
        assertThat(only("host: github.com, paths: [\"/*/*/releases/download/**\"]").host())
                .hasToString("github.com");
        assertThat(only("host: github.com, paths: []").host()).hasToString("github.com");
        assertThat(only("host: api.github.com").host()).hasToString("api.github.com");
    }

    @Test
    void namesThePresetsWhenOneIsNotKnown() {
        refused(
                "egress:\n  - preset: NPM\n",
                "policy.yaml:2: egress[0].preset is not known.",
                "Write one of: npm, pypi, maven,");
    }

    @Test
    void expandsAPresetInItsPlace() throws IOException {
        List<EgressRule> rules =
                rules("egress:\n  - host: a.example\n  - preset: pypi\n  - host: b.example\n");
        assertThat(rules)
                .extracting(rule -> rule.host().toString())
                .containsExactly("a.example", "**.pypi.org", "**.pythonhosted.org", "b.example");
        assertThat(rules.get(1).origin()).endsWith("policy.yaml:3 (preset pypi)");
    }

    @Test
    void refusesAPresetThatNeverDecides() {
        refused(
                "egress:\n  - preset: pypi\n  - preset: pypi\n",
                "policy.yaml:3: egress[1].preset has no effect",
                "policy.yaml:2 (preset pypi)");
        refused(
                "egress:\n  - host: api.anthropic.com\n  - preset: anthropic\n",
                "policy.yaml:3: egress[1].preset has no effect",
                "policy.yaml:2 covers it");
        refused(
                "egress:\n  - preset: anthropic\n  - {host: api.anthropic.com, ports: [443]}\n",
                "policy.yaml:3: egress[1].host has no effect",
                "policy.yaml:2 (preset anthropic) covers it");
    }

    @Test
    void saysSoWhenOnlyAPartOfAPresetNeverDecides() throws IOException {
        PolicyFile file =
                load(
                        """
                        egress:
                          - {host: github.com, paths: [/robots.txt]}
                          - preset: github-release
                        """);
        assertThat(file.egress().rules())
                .extracting(rule -> rule.host().toString())
                .containsExactly(
                        "github.com",
                        "release-assets.githubusercontent.com",
                        "objects.githubusercontent.com");
        assertThat(file.warnings()).hasSize(1);
        assertThat(file.warnings().getFirst())
                .contains("policy.yaml:3", "github.com has no effect", "policy.yaml:2");
    }

    /// Only the first rule for a host is asked, so two presets for one host are one rule.
    @Test
    void joinsPresetsThatNeedDifferentPathsOfOneHost() throws IOException {
        List<EgressRule> rules = rules("egress:\n  - preset: gradle\n  - preset: github-release\n");
        List<EgressRule> github =
                rules.stream().filter(r -> r.host().toString().equals("github.com")).toList();
        assertThat(github).hasSize(1);
        assertThat(github.getFirst().inspection().orElseThrow().paths().orElseThrow())
                .hasToString(
                        "[/gradle/gradle-distributions/releases/download/**, /*/*/releases/latest,"
                                + " /*/*/releases/download/**, /*/*/releases/latest/download/**]");
        assertThat(github.getFirst().origin())
                .contains(
                        "policy.yaml:2 (preset gradle); ", "policy.yaml:3 (preset github-release)");
    }

    @Test
    void takesPresetsThatShareAHost() throws IOException {
        assertThat(rules("egress: [{preset: maven}, {preset: gradle}]"))
                .extracting(rule -> rule.host().toString())
                .doesNotHaveDuplicates();
    }

    /// A preset is refused, too, where it would lead to a git host.
    @Test
    void refusesAPresetThatLeadsToAGitHost() throws IOException {
        Preset gradle = Presets.find("gradle").orElseThrow();
        String host = "git." + gradle.rules().getFirst().host().name();
        refused(
                "hosts: [{name: " + host + ", kind: gitea}]\negress: [{preset: gradle}]",
                "egress[0].preset reaches the git host " + host);
    }
}
