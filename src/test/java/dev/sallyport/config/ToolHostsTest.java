package dev.sallyport.config;

import static dev.sallyport.config.PretendMachine.hosts;
import static dev.sallyport.config.PretendMachine.paths;
import static dev.sallyport.config.PretendMachine.rule;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.HostName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Hosts from the configuration of a person's own tools: what becomes of them, and what is left
/// out.
class ToolHostsTest {
    private PretendMachine machine;

    @BeforeEach
    void makeMachine(@TempDir Path directory) throws IOException {
        machine = new PretendMachine(directory);
    }

    @AfterEach
    void noCredentialCameAlong() {
        machine.assertThatNoCredentialCameAlong();
    }

    @Test
    void areNotNeeded() throws IOException {
        for (Preset preset : Presets.all()) {
            PolicyFile file = machine.preset(preset.name());
            assertThat(file.egress().rules()).hasSameSizeAs(preset.rules());
            assertThat(file.warnings()).isEmpty();
        }
    }

    @Test
    void areNotReadWithoutAPreset() throws IOException {
        machine.write("home/.npmrc", "registry=https://npm.corp.example/\n");
        assertThat(hosts(machine.load("egress: [{host: a.example}]")))
                .containsExactly("a.example [80, 443]");
    }

    /// One host for everything is common; only the first rule for it is asked.
    @Test
    void ofTwoToolsShareAHost() throws IOException {
        machine.write("home/.npmrc", "registry=https://all.corp.example/npm/\n");
        machine.write("etc/pip.conf", "[global]\nindex-url=https://all.corp.example/pypi/simple\n");
        PolicyFile file = machine.load("egress:\n  - preset: npm\n  - preset: pypi\n");
        assertThat(hosts(file)).containsExactly("all.corp.example [443]");
        assertThat(paths(file, "all.corp.example")).isEqualTo("[/npm/**, /npm/**/@*/**, /pypi/**]");
        assertThat(rule(file, "all.corp.example").origin())
                .contains("policy.yaml:2 (preset npm", ".npmrc:1", "policy.yaml:3", "pip.conf:2");
    }

    /// Another program's file never makes an entry of the policy an error.
    @Test
    void onlyWarnWhenTheyComeBeforeAnEntry() throws IOException {
        machine.write("home/.npmrc", "registry=https://npm.corp.example/\n");
        PolicyFile file =
                machine.load(
                        "egress:\n  - preset: npm\n  - {host: npm.corp.example, ports: [443]}\n");
        assertThat(file.egress().rules()).hasSize(2);
        assertThat(file.warnings())
                .singleElement()
                .asString()
                .contains("policy.yaml:3", "has no effect", ".npmrc:1");
    }

    @Test
    void giveWayToAnEntryBeforeThem() throws IOException {
        machine.write("home/.npmrc", "registry=https://npm.corp.example/\n");
        PolicyFile file = machine.load("egress:\n  - {host: npm.corp.example}\n  - preset: npm\n");
        assertThat(hosts(file)).containsExactly("npm.corp.example [80, 443]");
        assertThat(file.warnings()).isEmpty();
    }

    @Test
    void leadNobodyAroundTheGitDoor() throws IOException {
        machine.write("home/.gradle/gradle.properties", "");
        machine.write(
                "home/.m2/settings.xml",
                "<settings><repository><url>https://git.corp.example/acme</url></repository>"
                        + "<repository><url>https://github.com/**</url></repository></settings>");
        machine.write("home/.npmrc", "registry=https://git.corp.example/\n");
        PolicyFile file =
                machine.load(
                        """
                        hosts: [{name: git.corp.example, kind: gitea}]
                        egress: [{preset: maven}, {preset: npm}]
                        """);
        assertThat(paths(file, "git.corp.example")).startsWith("[/acme/**");
        assertThat(file.egress().rules())
                .noneMatch(rule -> rule.host().matches(new HostName("github.com")));
        assertThat(file.warnings()).singleElement().asString().contains("wildcard");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "registry=http://localhost:4873/",
                "registry=http://192.0.2.7/",
                "registry=http://[2001:db8::1]/",
                "registry=${REGISTRY}",
                "registry=ftp://a.example/",
                "registry=https://a.example:0/",
                "registry=https://a.example:70000/",
                "registry=https://a.example/../b",
                "registry=https://a.example/x%2fy",
                "registry=https://*.example/",
                "registry=//a.example/",
            })
    void leaveOutWhatIsNotAPlainAddress(String line) throws IOException {
        machine.write("home/.npmrc", line + "\n");
        PolicyFile file = machine.preset("npm");
        assertThat(file.egress().rules()).noneMatch(rule -> rule.reach().privateAddresses());
        assertThat(file.warnings())
                .singleElement()
                .asString()
                .contains(".npmrc:1: an address is left out: ")
                .doesNotContain("a.example", "192.0.2.7", "localhost", "REGISTRY");
    }

    /// A sandbox can read its own rules, so a token in a path must not become part of one.
    @ParameterizedTest
    @ValueSource(strings = {"0a1b2c3d" + "4e5f6a7b8c", "12345678" + "90123456"})
    void leaveOutAPathThatCouldHoldACredential(String token) throws IOException {
        machine.write(
                "etc/pip.conf",
                "[global]\nextra-index-url=https://a.example/" + token + "/simple\n");
        PolicyFile file = machine.preset("pypi");
        assertThat(file.toString()).doesNotContain(token);
        assertThat(file.egress().rules()).noneMatch(rule -> rule.reach().privateAddresses());
        assertThat(file.warnings()).singleElement().asString().contains("could be a credential");
        machine.write("etc/pip.conf", "[global]\nextra-index-url=https://a.example/acme/simple\n");
        assertThat(paths(machine.preset("pypi"), "a.example")).isEqualTo("[/acme/**]");
    }

    /// Where the person turned away from the public hosts, they stay closed.
    @Test
    void replaceThePublicHostsEvenByWhatCannotBeUsed() throws IOException {
        machine.write("home/.npmrc", "registry=http://localhost:4873/\n");
        PolicyFile file = machine.preset("npm");
        assertThat(file.egress().rules()).isEmpty();
        assertThat(file.warnings()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "maven|home/.m2/settings.xml|<settings><password>hushhush</settings>",
                "cargo|home/.cargo/config.toml|token = hushhush [",
                "rubygems|home/.gemrc|:sources: [hushhush",
                "rubygems|home/.gemrc|:sources: hushhush",
                "gradle|home/.gradle/gradle.properties|password=\\uhushhush",
            })
    void areSkippedWhenMalformed(String name, String path, String text) throws IOException {
        Path file = machine.write(path, text);
        PolicyFile policy = machine.preset(name);
        assertThat(policy.egress().rules()).hasSameSizeAs(Presets.find(name).orElseThrow().rules());
        assertThat(policy.warnings()).containsExactly(file + " is not read: it is malformed.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cargo|home/.cargo/config.toml|a = |[",
                "cargo|home/.cargo/config.toml|a = |{a=",
                "rubygems|home/.gemrc|a: |[",
                "maven|home/.m2/settings.xml|''|<a>",
            })
    void areSkippedWhenNestedWithoutEnd(String name, String path, String start, String open)
            throws IOException {
        machine.write(path, start + open.repeat(100_000));
        assertThat(machine.preset(name).warnings()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"pypi,etc/pip.conf,a", "debian,etc/apt/sources.list,deb", "npm,home/.npmrc,@a"})
    void takeNoTimeForALineWithoutEnd(String name, String path, String start) throws IOException {
        for (String filler : new String[] {" ", "[", "@"}) {
            machine.write(path, start + filler.repeat(1_000_000));
            assertThat(machine.preset(name).warnings()).isEmpty();
        }
    }

    @Test
    void areSkippedWhenTooLargeOrNotText() throws IOException {
        Path file =
                machine.write(
                        "home/.npmrc",
                        "registry=https://npm.corp.example/\n" + "#".repeat(1 << 20));
        assertThat(machine.preset("npm").warnings())
                .containsExactly(file + " is not read: it is larger than 1 MiB.");
        Files.write(file, new byte[] {(byte) 0xff});
        assertThat(machine.preset("npm").warnings())
                .containsExactly(file + " is not read: it is not UTF-8 text.");
    }

    @Test
    void areSkippedWhenOthersCouldHaveWrittenThem() throws IOException {
        Path file = machine.write("home/.npmrc", "registry=https://npm.corp.example/\n");
        assertThat(hosts(machine.preset("npm"))).containsExactly("npm.corp.example [443]");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        PolicyFile open = machine.preset("npm");
        assertThat(hosts(open)).doesNotContain("npm.corp.example [443]");
        assertThat(open.warnings()).singleElement().asString().contains("chmod go-w");
    }

    /// I7: a link from the home directory into a workspace.
    @Test
    void areSkippedWhenASymlinkLeadsToThem() throws IOException {
        Path work = machine.write("work/npmrc", "registry=https://npm.corp.example/\n");
        Files.createSymbolicLink(machine.path("home/.npmrc"), work);
        PolicyFile linked = machine.preset("npm");
        assertThat(hosts(linked)).doesNotContain("npm.corp.example [443]");
        assertThat(linked.warnings()).singleElement().asString().contains("symlink");

        machine.write("work/pip/pip.conf", "[global]\nindex-url=https://py.corp.example/\n");
        Files.createSymbolicLink(machine.path("home/.config"), machine.path("work"));
        PolicyFile below = machine.preset("pypi");
        assertThat(hosts(below)).doesNotContain("py.corp.example [443]");
        assertThat(below.warnings()).singleElement().asString().contains("symlink");
    }

    @Test
    void areSkippedWhenTheyAreNoFiles() throws IOException {
        Files.createDirectories(machine.path("home/.npmrc"));
        assertThat(machine.preset("npm").warnings()).hasSize(1);
        Files.createSymbolicLink(machine.path("home/.gemrc"), machine.path("nowhere"));
        assertThat(machine.preset("rubygems").warnings()).hasSize(1);
    }

    @Test
    void nameALimitedNumberOfHosts() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            text.append("@s" + i + ":registry=https://h" + i + ".corp.example/\n");
        }
        machine.write("home/.npmrc", text.toString());
        PolicyFile file = machine.preset("npm");
        assertThat(file.egress().rules().stream().filter(rule -> rule.reach().privateAddresses()))
                .hasSize(ToolReading.HOSTS_MAX);
        assertThat(file.warnings()).singleElement().asString().contains("too many");
    }
}
