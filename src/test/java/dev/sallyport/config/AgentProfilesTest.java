package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.Inspection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What profiles say, and what they cannot say.
class AgentProfilesTest {
    private static final String OWN =
            """
            version: 1
            about: mine
            program: mine
            """;

    @TempDir Path directory;
    private AgentProfiles profiles;

    @BeforeEach
    void realDirectory() throws IOException {
        profiles = new AgentProfiles(directory.toRealPath());
    }

    static List<String> known() throws IOException {
        return new AgentProfiles(Path.of("/nonexistent")).names();
    }

    private Path own(String name, String mode) throws IOException {
        Path file = Files.writeString(directory.resolve(name + ".yaml"), OWN);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private static AgentProfile parse(String yaml) throws IOException {
        return AgentProfiles.parse("x", Path.of("x.yaml"), yaml.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void knowsTheUsualAgents() throws IOException {
        assertThat(known())
                .containsExactly("aider", "claude", "codex", "copilot", "gemini", "opencode");
        assertThat(profiles.find("bash")).isEmpty();
        assertThat(profiles.find("../agents/claude")).isEmpty();
        assertThat(profiles.find("")).isEmpty();
    }

    /// The secret of a login is the one that its preset injects, for the same host, and what the
    /// agent gets in its place is none.
    @ParameterizedTest
    @MethodSource("known")
    void eachLoginIsInjectedByItsPreset(String name) throws IOException {
        AgentProfile profile = profiles.find(name).orElseThrow();
        assertThat(profile.logins()).isNotEmpty();
        for (AgentProfile.Login form : profile.logins()) {
            String host = form.host().replace("${region}", "ap-southeast-2");
            AgentProfile.Login login = form.at(host).orElseThrow();
            requireInjected(login);
            assertThat(login.inside().environment() + " " + login.inside().files())
                    .containsAnyOf(
                            "the-gateway-of-sallyport-has-the",
                            "_SKIP_VERTEX_AUTH=1",
                            "_SKIP_BEDROCK_AUTH=1")
                    .doesNotContain("${region}");
        }
    }

    private static void requireInjected(AgentProfile.Login login) throws IOException {
        EgressRule rule = Presets.find(login.preset()).orElseThrow().rules().getFirst();
        assertThat(rule.host().name().value()).isEqualTo(login.host());
        assertThat(rule.inspection().flatMap(Inspection::injection).orElseThrow().secret())
                .isEqualTo(login.secret());
    }

    @Test
    void theProfileInTheDocumentCanBeUsed() throws IOException {
        String document = Files.readString(Path.of("docs/agents.md"));
        String example =
                document.lines()
                        .dropWhile(line -> !line.equals("## Add an agent"))
                        .dropWhile(line -> !line.startsWith("    "))
                        .takeWhile(line -> line.startsWith("    "))
                        .collect(Collectors.joining("\n"));
        AgentProfile profile = parse(example.stripIndent());
        assertThat(profile.logins()).hasSize(2);
        for (AgentProfile.Login login : profile.logins()) {
            requireInjected(login);
        }
        assertThat(LoginProvider.all())
                .as("the login whose account is used")
                .filteredOn(provider -> !provider.account().isEmpty())
                .extracting(LoginProvider::host)
                .contains(profile.logins().getLast().host());
    }

    @ParameterizedTest
    @MethodSource("known")
    void seededJsonIsJson(String name) throws IOException {
        AgentProfile profile = profiles.find(name).orElseThrow();
        List<Seed> seeds = new ArrayList<>(profile.setup().files());
        profile.logins().forEach(login -> seeds.addAll(login.inside().files()));
        for (Seed seed : seeds) {
            if (seed.path().endsWith(".json")) {
                assertThat(new ObjectMapper().readTree(seed.content()).isObject()).isTrue();
            }
        }
    }

    /// Claude Code accepts a key by its last 20 characters.
    @Test
    void claudesPlaceholderIsApproved() throws IOException {
        AgentProfile claude = profiles.find("claude").orElseThrow();
        String placeholder =
                claude.logins()
                        .getFirst()
                        .inside()
                        .environment()
                        .getOrDefault("ANTHROPIC_API_KEY", "");
        assertThat(claude.setup().files().getFirst().content())
                .contains('"' + placeholder.substring(placeholder.length() - 20) + '"');
    }

    @Test
    void onesOwnReplacesAKnownOneAndAddsOthers() throws IOException {
        own("claude", "rw-------");
        own("zed", "rw-r--r--");
        own("NOT A NAME", "rw-------");
        assertThat(profiles.names()).contains("claude", "zed").doesNotContain("NOT A NAME");
        assertThat(profiles.find("claude").orElseThrow().about()).isEqualTo("mine");
        assertThat(profiles.find("zed").orElseThrow().logins()).isEmpty();
    }

    @Test
    void onesOwnThatOthersCanWriteIsRefused() throws IOException {
        own("claude", "rw--w----");
        assertThatThrownBy(() -> profiles.find("claude")).hasMessageContaining("written by others");
    }

    @Test
    void onesOwnBehindALinkIsRefused() throws IOException {
        Path other = own("other", "rw-------");
        Files.createSymbolicLink(directory.resolve("claude.yaml"), other);
        assertThatThrownBy(() -> profiles.find("claude")).hasMessageContaining("symlink");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mounts: [/etc]\n",
                "presets: [everything]\n",
                "environment: {\"not ok\": \"1\"}\n",
                "environment: {A: 1}\n",
                "files:\n  - {path: ../../etc/passwd, content: x}\n",
                "files:\n  - {path: /etc/passwd, content: x}\n",
                "logins:\n  - {secret: a, host: h, what: w, preset: none, variable: A, placeholder: p}\n",
                "logins:\n  - {secret: a, host: h, what: w, preset: npm, variable: a b, placeholder: p}\n",
                "logins:\n  - {secret: a, host: h, what: w, preset: npm, variable: A, placeholder: \"a b\"}\n",
                "logins:\n  - {secret: a, host: h, what: w, preset: npm}\n",
                "logins:\n  - {secret: a, host: h, what: w, preset: npm, files: [{path: ../x, content: x}]}\n",
                "logins:\n  - {secret: A B, host: h, what: w, preset: npm, variable: A, placeholder: p}\n"
            })
    void whatItDoesNotKnowIsRefused(String more) throws IOException {
        assertThat(parse(OWN).program().file()).isEqualTo("mine");
        assertThatThrownBy(() -> parse(OWN + more)).isInstanceOf(ConfigException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "about: a\nprogram: p\n",
                "version: 1\nprogram: p\n",
                "version: 1\nabout: a\n",
                "version: 1\nabout: a\nprogram: /bin/p\n"
            })
    void whatIsMissingIsSaid(String yaml) {
        assertThatThrownBy(() -> parse(yaml)).isInstanceOf(ConfigException.class);
    }
}
