package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// I17: a sandbox that is refused again and again, at any door, does not fill the record.
final class RefusalFloodTest {
    private static final String SESSION = "00000000000000aa";
    private static final int TIMES = 300;

    @TempDir Path directory;

    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private GatewayInProcess gateway;

    @BeforeEach
    void attach() throws Exception {
        gateway =
                new GatewayInProcess(
                        GatewayTest.limits(),
                        new JudgingGitDoor(
                                loops, directory.resolve("work"), directory.resolve("mirrors")));
        gateway.attach(SESSION);
    }

    @AfterEach
    void close() throws Exception {
        gateway.close();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).await(5, TimeUnit.SECONDS);
    }

    private List<AuditEvent> denied() {
        return gateway.events.stream().filter(event -> event.decision().equals("deny")).toList();
    }

    @Test
    void i17_allDoorsShareOneAllowanceAndNothingIsForgotten() throws Exception {
        int http = gateway.httpPorts.getOrDefault(SESSION, 0);
        int proxy = gateway.proxyPorts.getOrDefault(SESSION, 0);
        for (int i = 0; i < TIMES; i++) {
            String git = Client.get(http, "/git/github.com/acme/other.git/info/refs?service=x");
            assertThat(git).contains(" 404 ");
            assertThat(Client.get(http, "/git/nothing")).doesNotContain(" 200 ");
            assertThat(Client.get(http, "/nothing")).doesNotContain(" 200 ");
            try (Client client = new Client(proxy)) {
                client.send("CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n");
                assertThat(client.until("\r\n\r\n")).doesNotContain(" 200 ");
            }
        }
        assertThat(denied()).hasSizeLessThan(TIMES);
        assertThat(gateway.recorded(SESSION, "audit.thinned")).isEmpty();

        gateway.detach(SESSION);

        List<AuditEvent> told = gateway.recorded(SESSION, "audit.thinned");
        assertThat(told).hasSize(1);
        long left = Long.parseLong(told.getFirst().detail().getOrDefault("count", "0"));
        assertThat(denied().size() - 1 + left).isEqualTo(4L * TIMES);
        assertThat(told.getFirst().detail()).containsKey("egress.connect.name-not-allowed");
    }
}
