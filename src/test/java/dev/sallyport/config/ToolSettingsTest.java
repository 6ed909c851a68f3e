package dev.sallyport.config;

import static dev.sallyport.config.PretendMachine.HUSH;
import static dev.sallyport.config.PretendMachine.hosts;
import static dev.sallyport.config.PretendMachine.paths;
import static dev.sallyport.config.PretendMachine.rule;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The configuration of a person's own tools, which presets take hosts from: what is read of each.
class ToolSettingsTest {
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
    void ofNpm() throws IOException {
        machine.write(
                "home/.npmrc",
                """
                ; mine
                //npm.corp.example/:_authToken=%1$s
                //npm.corp.example/:_password="%1$s"
                _auth=%1$s
                email=me@corp.example
                @acme:registry=https://me:%1$s@pkg.corp.example:8443/api/npm/acme/
                registry = "https://npm.corp.example/"
                always-auth=true
                """
                        .formatted(HUSH));
        PolicyFile file = machine.preset("npm");
        assertThat(hosts(file))
                .containsExactly("pkg.corp.example [8443]", "npm.corp.example [443]");
        assertThat(paths(file, "pkg.corp.example"))
                .isEqualTo("[/api/npm/acme/**, /api/npm/acme/**/@*/**]");
        assertThat(paths(file, "npm.corp.example")).contains("/@*/*/-/*");
        EgressRule rule = rule(file, "npm.corp.example");
        assertThat(rule.reach().privateAddresses()).isTrue();
        assertThat(rule.origin()).contains("policy.yaml:1 (preset npm, ").endsWith(".npmrc:7)");
        assertThat(file.warnings()).isEmpty();
    }

    @Test
    void ofPip() throws IOException {
        machine.write(
                "home/.config/pip/pip.conf",
                """
                [global]
                timeout = 60
                index_url = https://me:%1$s@py.corp.example/api/pypi/main/simple
                extra-index-url =
                    https://token:%1$s@more.corp.example/simple/
                    # https://not.corp.example/
                    http://third.corp.example:8080/root/dev/+simple/
                trusted-host = fourth.corp.example
                """
                        .formatted(HUSH));
        PolicyFile file = machine.preset("pypi");
        assertThat(hosts(file))
                .containsExactly(
                        "py.corp.example [443]",
                        "more.corp.example [443]",
                        "third.corp.example [8080]");
        assertThat(paths(file, "py.corp.example")).isEqualTo("[/api/pypi/main/**]");
        assertThat(paths(file, "more.corp.example"))
                .isEqualTo("[/simple/**, /pypi/**, /packages/**]");
        assertThat(paths(file, "third.corp.example")).isEqualTo("[/root/dev/**]");
        assertThat(rule(file, "third.corp.example").origin()).endsWith("pip.conf:7)");
    }

    @Test
    void ofMaven() throws IOException {
        machine.write(
                "home/.m2/settings.xml",
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <settings xmlns="http://maven.apache.org/SETTINGS/1.2.0">
                  <servers><server><id>corp</id><username>me</username><password>%1$s</password></server></servers>
                  <mirrors>
                    <mirror>
                      <id>corp</id>
                      <url>https://repo.corp.example/maven/public</url>
                      <mirrorOf>*,!local</mirrorOf>
                    </mirror>
                  </mirrors>
                  <proxies><proxy><host>proxy.corp.example</host><password>%1$s</password></proxy></proxies>
                  <profiles><profile>
                    <repositories><repository><id>a</id>
                      <url>https://me:%1$s@snap.corp.example/</url></repository></repositories>
                    <pluginRepositories><pluginRepository>
                      <url>http://plug.corp.example:8081/p</url>
                    </pluginRepository></pluginRepositories>
                    <properties><url>https://not.corp.example/</url></properties>
                  </profile></profiles>
                </settings>
                """
                        .formatted(HUSH));
        PolicyFile file = machine.preset("maven");
        assertThat(hosts(file))
                .containsExactly(
                        "repo.corp.example [443]",
                        "snap.corp.example [443]",
                        "plug.corp.example [8081]");
        assertThat(paths(file, "repo.corp.example")).isEqualTo("[/maven/public/**]");
        assertThat(rule(file, "repo.corp.example").origin()).endsWith("settings.xml:7)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*|false",
                "central|false",
                "external:*|false",
                "a, central|false",
                "corp|true",
                "*,!central|true",
                "''|true",
            })
    void ofMavenReplaceCentralWhenAMirrorDoes(String mirrorOf, boolean kept) throws IOException {
        machine.write(
                "home/.m2/settings.xml",
                "<settings><mirrors><mirror><url>https://m.corp.example/</url><mirrorOf>"
                        + mirrorOf
                        + "</mirrorOf></mirror></mirrors></settings>");
        PolicyFile file = machine.preset("maven");
        assertThat(file.egress().rules())
                .anyMatch(rule -> rule.host().matches(new HostName("m.corp.example")));
        assertThat(file.egress().rules().stream().anyMatch(rule -> rule.host().isWildcard()))
                .isEqualTo(kept);
    }

    /// What a document declares is neither expanded nor fetched.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<!DOCTYPE s [<!ENTITY u \"https://m.corp.example/\">]>",
                "<!DOCTYPE s SYSTEM \"policy.yaml\">",
                "<!DOCTYPE s [<!ENTITY u SYSTEM \"policy.yaml\">]>",
            })
    void ofMavenDeclareNothing(String declaration) throws IOException {
        machine.write(
                "home/.m2/settings.xml",
                declaration + "<settings><mirror><url>&u;</url></mirror></settings>");
        PolicyFile file = machine.preset("maven");
        assertThat(file.egress().rules()).allMatch(rule -> rule.host().isWildcard());
        assertThat(file.warnings()).singleElement().asString().contains("settings.xml is not read");
    }

    @Test
    void ofGradle() throws IOException {
        machine.write(
                "home/.gradle/gradle.properties",
                """
                org.gradle.jvmargs=-Xmx2g
                artifactoryUrl=https://not.corp.example/
                artifactoryPassword=%1$s
                systemProp.org.gradle.internal.plugins.portal.url.override=https\\://g.corp.example/plugins/
                """
                        .formatted(HUSH));
        PolicyFile file = machine.preset("gradle");
        assertThat(hosts(file)).startsWith("g.corp.example [443]").contains("*.gradle.org [443]");
        assertThat(paths(file, "g.corp.example")).isEqualTo("[/plugins/**]");
        assertThat(rule(file, "g.corp.example").origin()).endsWith("gradle.properties:4)");
        assertThat(hosts(file)).noneMatch(host -> host.contains("not.corp.example"));
    }

    @Test
    void ofCargo() throws IOException {
        machine.write(
                "home/.cargo/config.toml",
                """
                [source.crates-io]
                replace-with = "corp"
                [source.corp]
                registry = "sparse+https://crates.corp.example/api/cargo/crates/index/"
                [registries.more]
                index = "sparse+https://more.corp.example:8443/"
                token = "%1$s"
                [registries.old]
                index = "https://git.corp.example/index.git"
                [net]
                git-fetch-with-cli = true
                """
                        .formatted(HUSH));
        PolicyFile file = machine.preset("cargo");
        assertThat(hosts(file))
                .containsExactly("crates.corp.example [443]", "more.corp.example [8443]");
        assertThat(paths(file, "crates.corp.example")).isEqualTo("[/api/cargo/crates/**]");
        assertThat(paths(file, "more.corp.example")).contains("/config.json");
        assertThat(rule(file, "more.corp.example").origin()).endsWith("config.toml:6)");
        assertThat(file.warnings())
                .singleElement()
                .asString()
                .contains("config.toml:9", "git repository")
                .doesNotContain("git.corp.example");
    }

    @Test
    void ofGo() throws IOException {
        machine.write(
                "home/.config/go/env",
                "GOPROXY=https://me:" + HUSH + "@go.corp.example/proxy,direct\nGOFLAGS=-mod=mod\n");
        PolicyFile file = machine.preset("go");
        assertThat(hosts(file))
                .containsExactly(
                        "go.corp.example [443]",
                        "*.golang.org [443]",
                        "storage.googleapis.com [443]");
        assertThat(paths(file, "go.corp.example")).isEqualTo("[/proxy/**]");
    }

    @Test
    void ofGoReplaceThePublicHostsWithTheirOwnChecksums() throws IOException {
        machine.write(
                "home/.config/go/env",
                """
                GOSUMDB=sum.corp.example+abc+def https://sums.corp.example
                GOPROXY=https://go.corp.example|off
                """);
        assertThat(hosts(machine.preset("go")))
                .containsExactly("sums.corp.example [443]", "go.corp.example [443]");
        machine.write("home/.config/go/env", "GOSUMDB=off\nGOPROXY=https://go.corp.example\n");
        assertThat(hosts(machine.preset("go"))).containsExactly("go.corp.example [443]");
        machine.write("home/.config/go/env", "GOPROXY=direct\n");
        assertThat(hosts(machine.preset("go"))).hasSize(2).doesNotContain("go.corp.example [443]");
    }

    @Test
    void ofGem() throws IOException {
        machine.write(
                "home/.gemrc",
                """
                ---
                :backtrace: false
                :sources:
                - https://me:%1$s@gems.corp.example/private/
                - http://more.corp.example
                gem: --no-document
                """
                        .formatted(HUSH));
        PolicyFile file = machine.preset("rubygems");
        assertThat(hosts(file))
                .containsExactly("gems.corp.example [443]", "more.corp.example [80]");
        assertThat(paths(file, "gems.corp.example")).isEqualTo("[/private/**]");
        assertThat(rule(file, "gems.corp.example").origin()).endsWith(".gemrc:4)");
    }

    @Test
    void ofApt() throws IOException {
        machine.write(
                "etc/apt/sources.list",
                """
                # deb http://old.corp.example/debian stable main
                deb cdrom:[Debian]/ stable main
                deb [arch=amd64 signed-by=/usr/share/keyrings/k.gpg] http://deb.corp.example/debian stable main
                deb-src https://me:%1$s@src.corp.example/debian/ stable main # deb http://x.example
                """
                        .formatted(HUSH));
        machine.write("etc/apt/sources.list.d/a.list", "deb http://a.corp.example/ ./\n");
        machine.write("etc/apt/sources.list.d/a.list.save", "deb http://no.corp.example/ ./\n");
        machine.write(
                "etc/apt/sources.list.d/b.sources",
                """
                Types: deb
                URIs: http://b.corp.example/debian
                # and
                  https://c.corp.example/debian-security
                Suites: stable

                Enabled: no
                Types: deb
                URIs: http://off.corp.example/debian
                """);
        PolicyFile file = machine.preset("debian");
        assertThat(hosts(file))
                .containsExactly(
                        "deb.corp.example [80]",
                        "src.corp.example [443]",
                        "a.corp.example [80]",
                        "b.corp.example [80]",
                        "c.corp.example [443]");
        assertThat(paths(file, "deb.corp.example")).isEqualTo("[/debian/**]");
        assertThat(paths(file, "a.corp.example")).contains("/debian-security/**");
        assertThat(rule(file, "c.corp.example").origin()).endsWith("b.sources:4)");
        assertThat(file.warnings()).isEmpty();
    }

    @Test
    void keepThePublicHostsWhenTheyOnlyAdd() throws IOException {
        machine.write("etc/npmrc", "@acme:registry=http://npm.corp.example\n");
        assertThat(hosts(machine.preset("npm")))
                .containsExactly(
                        "npm.corp.example [80]", "*.npmjs.org [443]", "*.yarnpkg.com [443]");
    }

    /// The public host written out is the public host: it gets no way into a private network.
    @Test
    void changeNothingWhenTheyNameThePublicHost() throws IOException {
        Preset npm = Presets.find("npm").orElseThrow();
        String domain = npm.rules().getFirst().host().name().value();
        machine.write("home/.npmrc", "registry=https://any." + domain + "/\n");
        PolicyFile file = machine.preset("npm");
        assertThat(file.egress().rules()).hasSameSizeAs(npm.rules());
        assertThat(file.egress().rules()).noneMatch(rule -> rule.reach().privateAddresses());
    }
}
