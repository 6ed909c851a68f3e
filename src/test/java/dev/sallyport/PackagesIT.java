package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.WebServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Real package managers and clients inside a sandbox, unmodified and without proxy variables,
/// against registries of the test's own. Their hosts are inspected: methods are limited, and TLS
/// ends at the gateway with the sandbox's own authority.
class PackagesIT {
    private static final List<String> HOSTS =
            List.of("npm", "pypi", "maven", "deb", "plain", "tunnel").stream()
                    .map(name -> name + ".registry.example")
                    .toList();

    private static Path root;
    private static WebServer web;
    private static Installation sallyport;

    @BeforeAll
    static void startEverything() throws Exception {
        root = Files.createTempDirectory("sp-packages");
        web = WebServer.start(root.resolve("web"), HOSTS.toArray(String[]::new));
        sallyport = Installation.bare(root.resolve("i"));
        Files.copy(web.caFile(), sallyport.home().resolve("web-ca.pem"));
        StringBuilder policy = new StringBuilder("egress:\n");
        for (String host : List.of("npm", "pypi", "maven", "deb")) {
            policy.append(
                    """
                      - host: %s.registry.example
                        ports: [443]
                        methods: [GET, HEAD]
                        dial: "%s"
                        ca-file: web-ca.pem
                    """
                            .formatted(host, web.dial()));
        }
        policy.append(
                """
                  - host: plain.registry.example
                    ports: [80]
                    dial: "%s"
                  - host: tunnel.registry.example
                    ports: [443]
                    dial: "%s"
                """
                        .formatted(web.plainDial(), web.dial()));
        sallyport.policy(policy.toString());
        npmPackage();
        wheel();
        mavenParent();
        debianPackage();
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

    private static byte[] hash(String algorithm, Path file) throws Exception {
        return MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file));
    }

    private static void npmPackage() throws Exception {
        Path files = web.files("npm.registry.example");
        Path made = Files.createDirectories(root.resolve("npm/package"));
        Files.writeString(
                made.resolve("package.json"), "{\"name\":\"tiny-left\",\"version\":\"1.0.0\"}");
        Files.writeString(made.resolve("index.js"), "module.exports = 'from the registry';\n");
        Path tarball =
                Files.createDirectories(files.resolve("tiny-left/-"))
                        .resolve("tiny-left-1.0.0.tgz");
        Command.of("tar", "-czf", tarball.toString(), "package").in(made.getParent()).run().ok();
        Files.writeString(
                files.resolve("tiny-left/index.json"),
                """
                {"name":"tiny-left","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"tiny-left","version":"1.0.0",
                "dist":{"tarball":"https://npm.registry.example/tiny-left/-/tiny-left-1.0.0.tgz","integrity":"sha512-%s"}}}}
                """
                        .formatted(Base64.getEncoder().encodeToString(hash("SHA-512", tarball))));
    }

    private static void wheel() throws Exception {
        Path files = web.files("pypi.registry.example");
        Path made = Files.createDirectories(root.resolve("wheel"));
        Path info = Files.createDirectories(made.resolve("tiny_left-1.0.0.dist-info"));
        Files.writeString(made.resolve("tiny_left.py"), "ORIGIN = 'from the index'\n");
        Files.writeString(
                info.resolve("METADATA"),
                "Metadata-Version: 2.1\nName: tiny-left\nVersion: 1.0.0\n");
        Files.writeString(
                info.resolve("WHEEL"),
                "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
        Files.writeString(
                info.resolve("RECORD"),
                "tiny_left.py,,\ntiny_left-1.0.0.dist-info/METADATA,,\ntiny_left-1.0.0.dist-info/WHEEL,,\ntiny_left-1.0.0.dist-info/RECORD,,\n");
        Path wheel =
                Files.createDirectories(files.resolve("packages"))
                        .resolve("tiny_left-1.0.0-py3-none-any.whl");
        Command.of(
                        "python3",
                        "-m",
                        "zipfile",
                        "-c",
                        wheel.toString(),
                        "tiny_left.py",
                        info.getFileName().toString())
                .in(made)
                .run()
                .ok();
        Files.writeString(
                Files.createDirectories(files.resolve("simple/tiny-left")).resolve("index.html"),
                "<!DOCTYPE html><html><body><a href=\"/packages/%s#sha256=%s\">%s</a></body></html>"
                        .formatted(
                                wheel.getFileName(),
                                HexFormat.of().formatHex(hash("SHA-256", wheel)),
                                wheel.getFileName()));
    }

    private static void mavenParent() throws Exception {
        Path directory =
                Files.createDirectories(
                        web.files("maven.registry.example").resolve("example/parent/1"));
        Path pom = directory.resolve("parent-1.pom");
        Files.writeString(
                pom,
                """
                <project><modelVersion>4.0.0</modelVersion><groupId>example</groupId><artifactId>parent</artifactId>
                <version>1</version><packaging>pom</packaging></project>
                """);
        Files.writeString(
                directory.resolve("parent-1.pom.sha1"),
                HexFormat.of().formatHex(hash("SHA-1", pom)));
    }

    private static void debianPackage() throws Exception {
        Path files = web.files("deb.registry.example");
        Path made = Files.createDirectories(root.resolve("deb/tiny-left"));
        Files.createDirectories(made.resolve("DEBIAN"));
        Files.writeString(
                made.resolve("DEBIAN/control"),
                "Package: tiny-left\nVersion: 1.0\nArchitecture: all\nMaintainer: T <t@test.example>\nDescription: tiny\n");
        Path deb = Files.createDirectories(files.resolve("pool")).resolve("tiny-left_1.0_all.deb");
        Command.of("dpkg-deb", "--build", "--root-owner-group", made.toString(), deb.toString())
                .run()
                .ok();
        String architecture = Command.of("dpkg", "--print-architecture").run().ok();
        Path index = files.resolve("dists/stable/main/binary-" + architecture);
        Files.writeString(
                Files.createDirectories(index).resolve("Packages"),
                "Package: tiny-left\nVersion: 1.0\nArchitecture: all\nMaintainer: T <t@test.example>\nFilename: pool/tiny-left_1.0_all.deb\nSize: %d\nSHA256: %s\nDescription: tiny\n"
                        .formatted(
                                Files.size(deb), HexFormat.of().formatHex(hash("SHA-256", deb))));
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
                        <settings><mirrors><mirror><id>own</id><mirrorOf>*</mirrorOf><url>https://maven.registry.example/</url></mirror></mirrors></settings>
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
                        touch status && echo 'deb [trusted=yes] https://deb.registry.example stable main' > sources.list
                        opts="-o Dir::Etc::sourcelist=$PWD/sources.list -o Dir::Etc::sourceparts=- -o Dir::State=$PWD/state \\
                            -o Dir::State::status=$PWD/status -o Dir::State::lists=$PWD/lists -o Dir::Cache=$PWD/cache -o APT::Sandbox::User=root \\
                            -o Dir::Etc::parts=- -o Dir::Etc::main=-"
                        apt-get $opts update >/dev/null && apt-get $opts download tiny-left >/dev/null && ls *.deb
                        """);
        assertThat(result.ok()).isEqualTo("tiny-left_1.0_all.deb");
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
                        curl -sS -m 20 https://other.registry.example/ || true
                        """);
        assertThat(result.out()).startsWith("405 ").contains("method-not-allowed");
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
