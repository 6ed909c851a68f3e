package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.NpmProject;
import dev.sallyport.fixture.PresetRules;
import dev.sallyport.fixture.Registry;
import dev.sallyport.fixture.WebServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Real package managers and clients inside a sandbox, unmodified and without proxy variables,
/// against registries of the test's own. The rules are those of the presets but for the names of
/// the hosts: methods and paths are limited, and TLS ends at the gateway with the sandbox's own
/// authority.
class PackagesIT {
    private static final List<String> HOSTS =
            Stream.of("npm", "pypi", "wheels", "maven", "deb", "go", "cargo", "plain", "tunnel")
                    .map(PackagesIT::host)
                    .toList();

    private static final int MANY = 320;

    /// The exit status of curl.
    private static final int COULD_NOT_RESOLVE = 6;

    private static Path root;
    private static WebServer web;
    private static Installation sallyport;

    @BeforeAll
    static void startEverything() throws Exception {
        root = Files.createTempDirectory("sp-packages");
        web = WebServer.start(root.resolve("web"), HOSTS.toArray(String[]::new));
        sallyport = Installation.bare(root.resolve("i"));
        Files.copy(web.caFile(), sallyport.home().resolve("web-ca.pem"));
        PresetRules here = new PresetRules(web.dial(), "web-ca.pem");
        sallyport.policy(
                "egress:\n"
                        + here.of("npm", host("npm"))
                        + here.of("pypi", host("pypi"), host("wheels"))
                        + here.of("maven", host("maven"))
                        + here.of("debian", host("deb")).replace("[80, 443]", "[443]")
                        + here.of("go", host("go"))
                        + here.of("cargo", host("cargo"))
                        + """
                          - host: plain.registry.example
                            ports: [80]
                            dial: "%s"
                          - host: tunnel.registry.example
                            ports: [443]
                            dial: "%s"
                        """
                                .formatted(web.plainDial(), web.dial()));
        publish();
    }

    private static String host(String name) {
        return name + ".registry.example";
    }

    private static Registry registry(String name) {
        return new Registry(web.files(host(name)), "https://" + host(name));
    }

    private static void publish() throws IOException {
        registry("npm").npm("tiny-left", new LinkedHashMap<>());
        registry("pypi").wheel("tiny-left", registry("wheels"), new LinkedHashMap<>());
        registry("maven").pom("parent");
        registry("deb").deb("tiny-left", root.resolve("made"));
        registry("go").module("left.example/tiny", new LinkedHashMap<>());
        registry("cargo").crate("tiny-left", new LinkedHashMap<>());
    }

    @AfterAll
    static void stopEverything() {
        sallyport.close();
        web.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private static Command.Result inSandbox(String script) {
        return sallyport
                .sallyport(
                        "run", "--runtime", "bubblewrap", "--no-repo", "--", "bash", "-euc", script)
                .run();
    }

    @Test
    void npmInstallsAPackage() {
        Command.Result result =
                inSandbox(
                        """
                        mkdir -p ~/n && cd ~/n && echo '{"name":"app","version":"1.0.0"}' > package.json
                        npm install --no-audit --no-fund --registry https://npm.registry.example/ tiny-left >/dev/null
                        node -e "console.log(require('tiny-left'))"
                        """);
        assertThat(result.ok()).isEqualTo("from the registry");
    }

    /// With as many requests at once as npm makes by itself; it would repeat what is refused.
    @Test
    void npmInstallsALockedProjectOfManyPackagesWithoutARepetition() throws IOException {
        new NpmProject(registry("npm"), MANY).write(sallyport.workspace().resolve("many"));
        Command.Result result =
                inSandbox(
                        """
                        cd many && npm ci --no-audit --no-fund --loglevel http --registry https://npm.registry.example/ >/dev/null
                        node -e "const fs = require('fs'); const all = Object.keys(require('./package.json').dependencies); console.log(all.filter(n => require(n) === 'from the registry').length)"
                        """);
        assertThat(result.ok()).isEqualTo("" + MANY);
        List<String> fetches =
                result.err().lines().filter(line -> line.contains("http fetch")).toList();
        assertThat(fetches)
                .hasSize(MANY)
                .allMatch(line -> line.contains("GET 200 "))
                .noneMatch(line -> line.contains("attempt"));
    }

    @Test
    void pipInstallsAPackage() {
        Command.Result result =
                inSandbox(
                        """
                        cd ~ && /usr/bin/python3 -m pip install -q --disable-pip-version-check --target lib \\
                            --index-url https://pypi.registry.example/simple tiny-left
                        PYTHONPATH=lib /usr/bin/python3 -c 'import tiny_left; print(tiny_left.ORIGIN)'
                        """);
        assertThat(result.ok()).isEqualTo("from the index");
    }

    @Test
    void mavenTakesAParentFromTheRepository() {
        Command.Result result =
                inSandbox(
                        """
                        mkdir -p ~/m && cd ~/m
                        cat > settings.xml <<'X'
                        <settings><mirrors><mirror><id>own</id><mirrorOf>*</mirrorOf><url>https://maven.registry.example/maven2/</url></mirror></mirrors></settings>
                        X
                        cat > pom.xml <<'X'
                        <project><modelVersion>4.0.0</modelVersion><parent><groupId>example</groupId><artifactId>parent</artifactId><version>1</version><relativePath/></parent>
                        <artifactId>child</artifactId><packaging>pom</packaging></project>
                        X
                        mvn -B -q -s settings.xml -Dmaven.repo.local=$HOME/repo validate && ls ~/repo/example/parent/1
                        """);
        assertThat(result.ok()).contains("parent-1.pom");
    }

    @Test
    void aptFetchesAPackage() {
        Command.Result result =
                inSandbox(
                        """
                        mkdir -p ~/a/lists/partial ~/a/cache/archives/partial ~/a/state && cd ~/a
                        touch status && echo 'deb [trusted=yes] https://deb.registry.example/debian stable main' > sources.list
                        opts="-o Dir::Etc::sourcelist=$PWD/sources.list -o Dir::Etc::sourceparts=- -o Dir::State=$PWD/state \\
                            -o Dir::State::status=$PWD/status -o Dir::State::lists=$PWD/lists -o Dir::Cache=$PWD/cache -o APT::Sandbox::User=root \\
                            -o Dir::Etc::parts=- -o Dir::Etc::main=-"
                        apt-get $opts update >/dev/null && apt-get $opts download tiny-left >/dev/null && ls *.deb
                        """);
        assertThat(result.ok()).isEqualTo("tiny-left_1.0_all.deb");
    }

    /// Without the checksum database, as one does for modules that are not public.
    @Test
    void goFetchesAModule() {
        Command.Result result =
                inSandbox(
                        """
                        mkdir -p ~/g && cd ~/g
                        export GOPROXY=https://go.registry.example GONOSUMDB=left.example GOFLAGS=-modcacherw
                        go mod init app.example 2>/dev/null
                        go get left.example/tiny@latest 2>/dev/null
                        cat "$(go list -m -f '{{.Dir}}' left.example/tiny)/tiny.go"
                        """);
        assertThat(result.ok()).contains("from the module proxy");
    }

    /// The distribution's cargo may be one that still calls registries over plain HTTP unstable.
    @Test
    void cargoFetchesACrate() {
        Command.Result result =
                inSandbox(
                        """
                        mkdir -p ~/c/src ~/c/.cargo && cd ~/c
                        printf '[registries.own]\nindex = "sparse+https://cargo.registry.example/"\n' > .cargo/config.toml
                        printf '[package]\nname = "app"\nversion = "1.0.0"\n[dependencies]\ntiny-left = {version = "1", registry = "own"}\n' > Cargo.toml
                        echo 'fn main() {}' > src/main.rs
                        RUSTC_BOOTSTRAP=1 PATH=/usr/bin:/bin cargo -q -Z sparse-registry fetch
                        cat ~/.cargo/registry/src/*/tiny-left-1.0.0/src/lib.rs
                        """);
        assertThat(result.ok()).contains("from the crate registry");
    }

    @Test
    void clientsOfManyKindsWorkWithoutBeingTold() {
        Command.Result result =
                inSandbox(
                        """
                        cd ~
                        url=https://npm.registry.example/hello.txt
                        curl -sS $url
                        curl -sS --http1.1 $url
                        node -e "fetch('$url').then(r => r.text()).then(t => process.stdout.write(t))"
                        /usr/bin/python3 -c "import urllib.request as u; print(u.urlopen('$url').read().decode(), end='')"
                        cat > Get.java <<'X'
                        import java.net.URI; import java.net.http.*;
                        class Get { public static void main(String[] a) throws Exception {
                            System.out.print(HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(a[0])).build(), HttpResponse.BodyHandlers.ofString()).body()); } }
                        X
                        java Get.java $url 2>/dev/null
                        """);
        assertThat(result.ok().lines())
                .hasSize(5)
                .allMatch("hello from npm.registry.example"::equals);
    }

    @Test
    void theProxyDoorGivesTheSame() {
        Command.Result result =
                inSandbox(
                        """
                        export https_proxy=http://127.0.0.1:3128 http_proxy=http://127.0.0.1:3128
                        curl -sS https://npm.registry.example/hello.txt
                        curl -sS http://plain.registry.example/hello.txt
                        """);
        assertThat(result.ok())
                .isEqualTo("hello from npm.registry.example\nhello from plain.registry.example");
    }

    @Test
    void tunnelsAndPlainHttpWork() throws IOException {
        Files.copy(
                web.caFile(),
                sallyport.workspace().resolve("web-ca.pem"),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        Command.Result result =
                inSandbox(
                        """
                        curl -sS http://plain.registry.example/hello.txt
                        curl -sS --cacert web-ca.pem https://tunnel.registry.example/hello.txt
                        """);
        assertThat(result.ok())
                .isEqualTo("hello from plain.registry.example\nhello from tunnel.registry.example");
    }

    @Test
    void registriesAreReadOnlyAndNothingElseResolves() {
        int before = web.requests().size();
        Command.Result result =
                inSandbox(
                        """
                        curl -sS -o body -w '%{http_code} ' -X PUT -d x https://npm.registry.example/tiny-left
                        cat body
                        curl -sS -m 60 https://other.registry.example/
                        """);
        assertThat(result.out()).startsWith("405 ").contains("method-not-allowed");
        assertThat(result.exit()).isEqualTo(COULD_NOT_RESOLVE);
        assertThat(result.err()).contains("Could not resolve host");
        assertThat(web.requests().subList(before, web.requests().size())).isEmpty();
    }

    @Test
    void whatWasAllowedIsInTheRecord() {
        inSandbox(
                "curl -sS -o body 'https://npm.registry.example/hello.txt?word=abcdef0123456789'");
        String record = sallyport.sallyport("audit", "show", "--last", "20").run().ok();
        assertThat(record)
                .contains("egress.request")
                .contains("host=npm.registry.example")
                .contains("path=/hello.txt")
                .doesNotContain("abcdef0123456789");
        assertThat(new String(record.getBytes(StandardCharsets.UTF_8), StandardCharsets.US_ASCII))
                .doesNotContain("\u001b");
    }
}
