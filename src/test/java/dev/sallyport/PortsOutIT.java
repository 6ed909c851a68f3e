package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.WebServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Listed ports of hosts, without a proxy variable: TLS and HTTP as on 443 and 80, and plain
/// tunnels to one port of one host.
class PortsOutIT {
    private static final String TUNNEL = "tunnel.ports.example";
    private static final String INSPECTED = "inspected.ports.example";

    private static Path root;
    private static WebServer web;
    private static Speaker one;
    private static Speaker two;
    private static Installation sallyport;
    private static PortsRig rig;

    /// A server that says its name and repeats what it hears, in no known protocol.
    private record Speaker(ServerSocket socket, List<Socket> taken) implements AutoCloseable {
        static Speaker start(String name) throws IOException {
            Speaker speaker =
                    new Speaker(
                            new ServerSocket(0, 16, InetAddress.ofLiteral("127.0.0.1")),
                            new CopyOnWriteArrayList<>());
            Thread.ofVirtual().start(() -> speaker.serve(name));
            return speaker;
        }

        private void serve(String name) {
            while (!socket.isClosed()) {
                try {
                    Socket client = socket.accept();
                    taken.add(client);
                    Thread.ofVirtual().start(() -> speak(name, client));
                } catch (IOException e) {
                    return;
                }
            }
        }

        private static void speak(String name, Socket client) {
            try (client) {
                client.getOutputStream().write((name + "\n").getBytes(StandardCharsets.US_ASCII));
                client.getInputStream().transferTo(client.getOutputStream());
            } catch (IOException e) {
                // The other end is gone.
            }
        }

        String dial() {
            return "127.0.0.1:" + socket.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @BeforeAll
    static void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-ports-out");
        web = WebServer.start(root.resolve("web"), TUNNEL, INSPECTED);
        one = Speaker.start("one");
        two = Speaker.start("two");
        sallyport = Installation.bare(root.resolve("i"));
        rig = new PortsRig(sallyport, "bubblewrap");
        Files.copy(web.caFile(), sallyport.home().resolve("web-ca.pem"));
        Files.copy(web.caFile(), sallyport.workspace().resolve("web-ca.pem"));
        sallyport.policy(policy(true));
        rig.create("out");
    }

    private static String policy(boolean withOne) {
        return """
        egress:
          - host: %s
            ports: [8443]
            dial: "%s"
          - host: %s
            ports: [8080]
            dial: "%s"
          - host: %s
            ports: [8443]
            paths: ["/hello.txt"]
            ca-file: web-ca.pem
            dial: "%s"
          - tcp: two.ports.example:5432
            dial: "%s"
        """
                        .formatted(
                                TUNNEL,
                                web.dial(),
                                TUNNEL,
                                web.plainDial(),
                                INSPECTED,
                                web.dial(),
                                two.dial())
                + (withOne
                        ? "  - tcp: one.ports.example:5432\n    dial: \"%s\"\n"
                                .formatted(one.dial())
                        : "");
    }

    @AfterAll
    static void stopEverything() throws IOException {
        sallyport.close();
        web.close();
        one.close();
        two.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    @Test
    void listedPortsWorkWithoutAProxyForTlsHttpAndInspectedHosts() {
        Command.Result result =
                rig.sh(
                        "out",
                        """
                        unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy
                        ask() { curl -sS -m 60 --noproxy '*' "$@"; }
                        ask --cacert web-ca.pem https://tunnel.ports.example:8443/hello.txt
                        ask http://tunnel.ports.example:8080/hello.txt
                        ask https://inspected.ports.example:8443/hello.txt
                        ask https://inspected.ports.example:8443/other.txt
                        """);
        assertThat(result.out())
                .startsWith(
                        "hello from %s\nhello from %s\nhello from %s\n"
                                .formatted(TUNNEL, TUNNEL, INSPECTED))
                .contains("url-not-allowed");
    }

    /// The address tells them apart, and the sandbox can have a server of its own on that port.
    @Test
    void twoHostsOnOnePortAreTwoTunnelsAndTheSandboxKeepsThePortForItself() {
        String script =
                """
                say() { exec 3<>/dev/tcp/$1/5432; echo hi >&3; head -2 <&3; exec 3<&- 3>&-; }
                say one.ports.example
                say two.ports.example
                printf 'CONNECT two.ports.example:5432 HTTP/1.1\\r\\nHost: two.ports.example:5432\\r\\n\\r\\n' > ask
                exec 4<>/dev/tcp/127.0.0.1/3128; cat ask >&4; echo through >&4; head -4 <&4 | tail -2; exec 4<&- 4>&-
                node -e "require('net').createServer(c => c.end('own\\n')).listen(5432, '127.0.0.1')" & sleep 2
                cat < /dev/tcp/127.0.0.1/5432; kill %1
                """;
        assertThat(rig.sh("out", script).out().lines())
                .containsExactly("one", "hi", "two", "hi", "two", "through", "own");
        assertThat(rig.audit())
                .containsPattern("allow .*egress.connect .*host=one.ports.example .*port=5432")
                .containsPattern("egress.end .*bytes-down=7 bytes-up=3 .*host=one.ports.example");
    }

    /// E4: what is no TLS and no HTTP passes only where a rule says so, and nothing is dialled for
    /// it.
    @Test
    void E4_otherProtocolsAndPortsAreRefusedAndNotDialled() {
        int requests = web.requests().size();
        String script =
                """
                exec 3<>/dev/tcp/tunnel.ports.example/8443; printf '\\0\\1\\2\\3SSH-2.0-x\\r\\n\\r\\n' >&3; cat <&3 | head -c 12; echo
                for to in tunnel.ports.example/5432 one.ports.example/8443 one.ports.example/22 tunnel.ports.example/443 127.64.0.1/8443; do
                    timeout 20 bash -c "exec 3<>/dev/tcp/$to && head -1 <&3 | head -c 3 | tr -d '\\0'" 2>/dev/null | grep -a -q one && echo REACHED $to
                done
                exec 3<>/dev/tcp/one.ports.example/5432 && head -1 <&3
                """;
        Command.Result result = rig.sh("out", script);
        assertThat(result.out()).doesNotContain("REACHED").endsWith("one\n");
        assertThat(web.requests()).hasSize(requests);
    }

    @Test
    void aHostThatIsAllowedLaterGetsItsPortAndOneThatIsTakenIsToldOf() {
        rig.create("later");
        String get = "curl -sS -m 60 --noproxy '*' -o /dev/null -w '%{errormsg}' http://";
        String before = rig.sh("later", get + "new.ports.example:9090/").out();
        assertThat(before).contains("resolve");
        Command.Result allowed =
                sallyport.sallyport("allow", "later", "new.ports.example:9090").run();
        assertThat(allowed.ok()).contains("new.ports.example:9090");
        rig.sh("later", "exec 3<>/dev/tcp/new.ports.example/9090").ok();
        String server = "require('net').createServer().listen(9191, '0.0.0.0')";
        rig.exec("later", dev.sallyport.fixture.DevServer.lasting("node -e \"" + server + "\""))
                .ok();
        Await.until(
                "the sandbox has taken the port",
                () -> rig.sh("later", "exec 3<>/dev/tcp/127.0.0.1/9191").exit() == 0);
        Command.Result taken =
                sallyport.sallyport("allow", "later", "new.ports.example:9191").run();
        taken.ok();
        assertThat(taken.err()).contains("port 9191 is in use inside");
        sallyport.sallyport("destroy", "later").run().ok();
    }

    /// `--allow-tcp` names host and port; addresses are judged as for all hosts.
    @Test
    void aPlainTunnelToAHostByOptionIsRecordedAndToAGitHostRefused() {
        rig.create("tcp", "--allow-tcp", "nobody.ports.example:5433");
        rig.sh("tcp", "exec 3<>/dev/tcp/nobody.ports.example/5433; cat <&3");
        assertThat(rig.audit())
                .containsPattern(
                        "allow .*egress.connect .*host=nobody.ports.example .*port=5433 rule=--allow-tcp")
                .containsPattern("egress.end .*host=nobody.ports.example .*why=upstream-");
        Command.Result git = rig.tryToCreate("git", "--allow-tcp", "github.com:22");
        assertThat(git.err()).contains("would bypass the git rules");
        Command.Result ssh = rig.tryToCreate("ssh", "--allow-tcp", "ssh.github.com:443");
        assertThat(ssh.err()).contains("leads to the git host github.com");
        assertThat(rig.tryToCreate("bad", "--allow-tcp", "*.ports.example:1").exit()).isNotZero();
        assertThat(sallyport.sallyport("verify", "tcp").run().ok()).contains("Nothing failed");
        sallyport.sallyport("destroy", "tcp").run().ok();
    }

    @Test
    void aTunnelEndsWhenItsRuleIsRemovedAndTheOtherGoesOn() {
        rig.create("narrow");
        Command.Result result;
        try {
            Process run =
                    sallyport
                            .sallyport(
                                    "exec",
                                    "narrow",
                                    "--",
                                    "bash",
                                    "-c",
                                    "exec 3<>/dev/tcp/one.ports.example/5432; head -1 <&3; touch open; cat <&3; echo cut > cut")
                            .start();
            Await.until("it is open", () -> Files.exists(sallyport.workspace().resolve("open")));
            sallyport.policy(policy(false));
            Await.until("it is cut", () -> Files.exists(sallyport.workspace().resolve("cut")));
            run.destroy();
            result =
                    rig.sh(
                            "narrow",
                            "exec 3<>/dev/tcp/two.ports.example/5432 && head -1 <&3; exec 4<>/dev/tcp/one.ports.example/5432 && echo REACHED");
        } finally {
            sallyport.policy(policy(true));
            sallyport.sallyport("policy", "apply", "--running").run().ok();
            sallyport.sallyport("destroy", "narrow").run().ok();
        }
        assertThat(result.out()).isEqualTo("two\n");
    }
}
