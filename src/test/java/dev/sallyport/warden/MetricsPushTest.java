package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.sallyport.config.Limits;
import dev.sallyport.config.PostUrl;
import dev.sallyport.fixture.Await;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Reach;
import dev.sallyport.post.UrlPost;
import dev.sallyport.warden.Reporting.MetricsPush;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Figures that are sent to a collector.
final class MetricsPushTest {
    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private HttpServer collector;
    private volatile int status = 200;

    @BeforeEach
    void start() throws IOException {
        collector =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext(
                "/",
                exchange -> {
                    byte[] body = exchange.getRequestBody().readAllBytes();
                    seen.add(
                            exchange.getRequestURI()
                                    + " "
                                    + exchange.getRequestHeaders().getFirst("Content-Type")
                                    + " "
                                    + new String(body, StandardCharsets.UTF_8));
                    exchange.sendResponseHeaders(status, -1);
                    exchange.close();
                });
        collector.start();
    }

    @AfterEach
    void stop() throws Exception {
        collector.stop(0);
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).await(5, TimeUnit.SECONDS);
    }

    @Test
    void figuresArePostedAndAFailureIsSaidUntilTheyAreTaken() throws Exception {
        String dial = "127.0.0.1:" + collector.getAddress().getPort();
        PostUrl url =
                new PostUrl(
                        HostName.parse("collector.example"),
                        80,
                        false,
                        "/v1/metrics",
                        new Reach(true, Optional.of(dial), Optional.empty()));
        MetricsPush push =
                new MetricsPush(
                        url,
                        new UrlPost(
                                url, Limits.standard().upstream(), Optional.empty(), loops.next()),
                        () -> "{\"resourceMetrics\":[]}");
        push.push();
        Await.until("they are posted", () -> seen.size() == 1);
        assertThat(seen).containsExactly("/v1/metrics application/json {\"resourceMetrics\":[]}");
        assertThat(push.trouble()).isEmpty();

        status = 503;
        Await.until(
                "it is said",
                () -> {
                    push.push();
                    return push.trouble().isPresent();
                });
        assertThat(push.trouble().orElseThrow()).contains("collector.example", "status-503");
        status = 200;
        Await.until(
                "all is well again",
                () -> {
                    push.push();
                    return push.trouble().isEmpty();
                });
    }
}
