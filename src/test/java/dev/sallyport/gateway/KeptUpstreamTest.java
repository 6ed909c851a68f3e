package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.channel.Message;
import dev.sallyport.config.Limits;
import dev.sallyport.egress.ScriptedHost;
import dev.sallyport.fixture.Await;
import dev.sallyport.git.TestPki;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// E12: the gateway closes what it kept upstream as soon as the rights that it was made with are
/// over, and needs one handshake for many requests.
final class KeptUpstreamTest {
    private static final String SESSION = "00000000000000aa";
    private static final String ASK =
            """
            GET /git/github.com/acme/app.git/info/refs?service=git-upload-pack HTTP/1.1\r
            Host: localhost\r
            \r
            """;
    private static final String REFS =
            "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\n"
                    + "Content-Length: 4\r\n\r\n0000";

    @TempDir private Path state;
    private final MultiThreadIoEventLoopGroup workers =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private ScriptedHost host;
    private GatewayInProcess gateway;

    @BeforeEach
    void start() throws IOException, InterruptedException {
        TestPki pki = new TestPki();
        host = ScriptedHost.tls(pki.server("github.com"), ScriptedHost.answering(REFS));
        gateway =
                new GatewayInProcess(
                        patient(),
                        new JudgingGitDoor(workers, state, state),
                        new Message.Host(
                                "github.com",
                                "github",
                                Optional.of(pki.caPem()),
                                Optional.of(host.dial())));
        gateway.attach(SESSION);
    }

    /// Nothing ends by itself while a test waits.
    private static Limits patient() {
        Limits s = Limits.standard();
        Limits.Upstream upstream =
                new Limits.Upstream(60, 60, 60, 60, 8_192, 128, 16, 512, 3_600, 3_600);
        return new Limits(
                s.http(),
                s.sharing(),
                s.git(),
                s.push(),
                s.mirror(),
                s.dns(),
                upstream,
                s.egress(),
                Limits.Api.STANDARD,
                Limits.Approvals.STANDARD);
    }

    @AfterEach
    void stop() throws IOException, InterruptedException {
        gateway.close();
        host.close();
        var _ = workers.shutdownGracefully();
    }

    private Client connected() throws IOException {
        return new Client(gateway.httpPorts.getOrDefault(SESSION, 0));
    }

    private static void ask(Client client) throws IOException {
        assertThat(client.send(ASK).until("\r\n\r\n0000")).startsWith("HTTP/1.1 200");
    }

    private void untilClosed(int peer) throws InterruptedException {
        Await.until(() -> host.peers.get(peer).over);
    }

    @Test
    void manyRequestsNeedOneHandshake() throws Exception {
        try (Client client = connected()) {
            for (int i = 0; i < 20; i++) {
                ask(client);
            }
        }
        assertThat(host.peers).hasSize(1);
        assertThat(host.heads()).hasSize(20);
        assertThat(gateway.recorded(SESSION, "git.request")).hasSize(20);
    }

    @Test
    void changedRightsAndARotatedSecretEndWhatIsKept() throws Exception {
        try (Client client = connected()) {
            ask(client);
            gateway.changeSecret(SESSION, "n3w-value");
            untilClosed(0);
            ask(client);
            gateway.changeRights(SESSION, GatewayInProcess.grant("github.com/acme/app", "read"));
            untilClosed(1);
            ask(client);
        }
        assertThat(host.peers).hasSize(3).noneMatch(peer -> peer.resuming);
    }

    @Test
    void theEndOfASessionEndsWhatIsKept() throws Exception {
        try (Client client = connected()) {
            ask(client);
            gateway.detach(SESSION);
            untilClosed(0);
        }
    }
}
