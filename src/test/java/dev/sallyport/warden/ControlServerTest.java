package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.Home;
import dev.sallyport.control.Api;
import dev.sallyport.control.ApiJson;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlServerTest {
    @TempDir Path temporary;

    private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();
    private MultiThreadIoEventLoopGroup loops;
    private Home home;
    private ControlServer server;

    @BeforeEach
    void open() throws IOException {
        home = new Home(temporary.toRealPath().resolve("home"));
        home.create();
        loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        server =
                ControlServer.open(
                        loops.next(), Patron.own(home), table(), new Leases(NO_SANDBOXES));
    }

    private static final Api.DamagedView LONG =
            new Api.DamagedView("app", "00000000000000aa", "x".repeat(500));

    private static final Leases.Ending NO_SANDBOXES = _ -> {};

    private List<Operation> table() {
        return List.of(
                new Operation(HttpMethod.GET, "/v1/status", Set.of(Role.OWNER), _ -> status()),
                new Operation(
                        HttpMethod.GET,
                        "/v1/sandboxes",
                        Set.of(Role.OWNER),
                        _ -> new Api.SandboxList(List.of(), Collections.nCopies(5_000, LONG))),
                new Operation(
                        HttpMethod.DELETE,
                        "/v1/sandboxes/{name}",
                        Set.of(Role.OWNER),
                        call -> {
                            calls.add("destroy " + call.name());
                            return new Api.Done();
                        }),
                new Operation(
                        HttpMethod.POST,
                        "/v1/shutdown",
                        Set.of(Role.OWNER),
                        call -> {
                            calls.add(call.body().as(Api.Shutdown.class).toString());
                            throw OperationException.conflict("Not now.", "Wait.");
                        }));
    }

    @Test
    void aListOfThousandsOfSandboxesArrives() throws Exception {
        try (ControlClient client = ControlClient.connect(home)) {
            assertThat(client.sandboxes().damaged()).hasSize(5_000).containsOnly(LONG);
        }
    }

    @Test
    void answersHundredsOfCommandsAtOnceAndTellsOneTooManySo() throws Exception {
        List<ControlClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 300; i++) {
                clients.add(ControlClient.connect(home));
                clients.getLast().status();
            }
            for (ControlClient client : clients) {
                assertThat(client.status().version()).isEqualTo("1");
            }
        } finally {
            clients.forEach(ControlClient::close);
        }
        Dispatcher.Answer full =
                Dispatcher.full(Role.OWNER)
                        .answer(HttpMethod.GET, "/v1/status", new byte[0], () -> true);
        assertThat(full.status()).isEqualTo(503);
        assertThat(full.body()).contains("Too many commands", "Try again");
    }

    private static Api.Status status() {
        return new Api.Status("1", "/home", 1, 2, 0, 0, Map.of(), List.of(), List.of());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void theSocketIsPrivateAndGoesWithTheServer() throws IOException {
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(home.controlSocket())))
                .isEqualTo("rw-------");
        server.close();
        assertThat(home.controlSocket()).doesNotExist();
    }

    @Test
    void severalRequestsGoOverOneConnection() throws ControlException {
        try (ControlClient client = ControlClient.connect(home)) {
            assertThat(client.status()).isEqualTo(status());
            client.destroy("app");
            assertThat(client.status()).isEqualTo(status());
        }
        assertThat(calls).containsExactly("destroy app");
    }

    @Test
    void aRefusalArrivesWithMessageAndRemedy() throws ControlException {
        try (ControlClient client = ControlClient.connect(home)) {
            assertThatThrownBy(() -> client.shutdown(new Api.Shutdown(true)))
                    .isInstanceOfSatisfying(
                            ControlException.class,
                            e -> {
                                assertThat(e.status()).isEqualTo(409);
                                assertThat(e.problem())
                                        .isEqualTo(
                                                new Api.Problem("conflict", "Not now.", "Wait."));
                            });
            assertThatThrownBy(() -> client.sandbox("app"))
                    .isInstanceOfSatisfying(
                            ControlException.class, e -> assertThat(e.status()).isEqualTo(405));
            assertThatThrownBy(client::secrets)
                    .isInstanceOfSatisfying(
                            ControlException.class, e -> assertThat(e.status()).isEqualTo(404));
        }
    }

    @Test
    void aNameCannotChangeTheRequest() throws ControlException {
        try (ControlClient client = ControlClient.connect(home)) {
            for (String name : new String[] {"", "a/b", "a b", "a?x", "a%2f", "a\r\nb", "ä"}) {
                assertThatThrownBy(() -> client.destroy(name)).isInstanceOf(ControlException.class);
                assertThatThrownBy(() -> client.exposure(name))
                        .hasMessageContaining("Not a valid name");
            }
        }
        assertThat(calls).isEmpty();
    }

    @Test
    void aBodyThatIsNotExactlyRightIsRefusedAndNothingIsDone() throws IOException {
        for (String body :
                new String[] {
                    "",
                    "null",
                    "[]",
                    "{}",
                    "{\"keepSandboxes\":null}",
                    "{\"keepSandboxes\":\"true\"}",
                    "{\"keepSandboxes\":true,\"more\":1}",
                    "{\"keepSandboxes\":true,\"keepSandboxes\":false}",
                    "{\"keepSandboxes\":true} {}",
                }) {
            assertThat(ask("POST /v1/shutdown", body)).as(body).startsWith("HTTP/1.1 400 ");
        }
        assertThat(calls).isEmpty();
    }

    @Test
    void aBodyThatIsTooLargeEndsTheConnection() throws IOException {
        String head =
                "POST /v1/shutdown HTTP/1.1\r\nContent-Length: "
                        + (ApiJson.BODY_BYTES_MAX + 1)
                        + "\r\n\r\n";
        assertThat(exchange(head)).startsWith("HTTP/1.1 413 ");
        assertThat(calls).isEmpty();
    }

    @Test
    void aRequestBeforeTheLastAnswerIsNotServed() throws IOException {
        String one = "DELETE /v1/sandboxes/a HTTP/1.1\r\nContent-Length: 0\r\n\r\n";
        exchange(one + one + one);
        assertThat(calls).hasSizeLessThanOrEqualTo(1);
    }

    @Test
    void onlyTheOwnerAndRootHaveARole() {
        assertThat(Role.of(1000, 1000)).contains(Role.OWNER);
        assertThat(Role.of(0, 1000)).contains(Role.ROOT);
        assertThat(Role.of(0, 0)).contains(Role.OWNER);
        assertThat(Role.of(1001, 1000)).isEmpty();
        assertThat(Role.of(1000, 0)).isEmpty();
    }

    private String ask(String line, String body) throws IOException {
        return exchange(
                line
                        + " HTTP/1.1\r\nConnection: close\r\nContent-Length: "
                        + body.length()
                        + "\r\n\r\n"
                        + body);
    }

    /// Sends, and reads until the server has answered once or closed.
    private String exchange(String text) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(home.controlSocket()));
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
            ByteBuffer answer = ByteBuffer.allocate(4096);
            int count = channel.read(answer);
            return new String(answer.array(), 0, Math.max(0, count), StandardCharsets.US_ASCII);
        }
    }
}
