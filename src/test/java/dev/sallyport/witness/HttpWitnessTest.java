package dev.sallyport.witness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.sallyport.config.Limits;
import dev.sallyport.config.PostUrl;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Reach;
import dev.sallyport.post.UrlPost;
import dev.sallyport.witness.Witnesses.HttpWitness;
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

final class HttpWitnessTest {
    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private volatile int status = 204;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    String body =
                            new String(
                                    exchange.getRequestBody().readAllBytes(),
                                    StandardCharsets.US_ASCII);
                    seen.add(
                            exchange.getRequestMethod()
                                    + " "
                                    + exchange.getRequestURI()
                                    + " "
                                    + exchange.getRequestHeaders().containsKey("Authorization")
                                    + " "
                                    + body);
                    exchange.getResponseHeaders().set("Location", "/elsewhere");
                    exchange.sendResponseHeaders(status, -1);
                    exchange.close();
                });
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop(0);
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).await(5, TimeUnit.SECONDS);
    }

    private HttpWitness witness() throws Exception {
        String dial = "127.0.0.1:" + server.getAddress().getPort();
        return new HttpWitness(
                new UrlPost(
                        new PostUrl(
                                HostName.parse("witness.example"),
                                80,
                                false,
                                "/heads?of=us",
                                new Reach(true, Optional.of(dial), Optional.empty())),
                        Limits.standard().upstream(),
                        Optional.empty(),
                        loops.next()));
    }

    @Test
    void eachHeadIsPostedToTheOneUrl() throws Exception {
        HttpWitness witness = witness();
        witness.tell("one\n");
        witness.tell("two\n");
        assertThat(seen)
                .containsExactly("POST /heads?of=us false one\n", "POST /heads?of=us false two\n");
    }

    @Test
    void whateverIsNotASuccessIsAFailureAndNoRedirectIsFollowed() throws Exception {
        HttpWitness witness = witness();
        status = 302;
        assertThatThrownBy(() -> witness.tell("one\n"))
                .isInstanceOf(IOException.class)
                .hasMessage("status-302");
        assertThat(seen).hasSize(1);
        server.stop(0);
        assertThatThrownBy(() -> witness.tell("two\n")).isInstanceOf(IOException.class);
        assertThat(seen).hasSize(1);
    }
}
