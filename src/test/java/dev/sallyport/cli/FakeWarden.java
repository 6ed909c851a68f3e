package dev.sallyport.cli;

import dev.sallyport.config.Home;
import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// A warden that gives prepared answers over a real control socket and remembers what it was asked.
final class FakeWarden implements AutoCloseable {
    private record Answer(int status, String body) {}

    private final Home home;
    private final ServerSocketChannel server;
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final Set<String> hangUps = ConcurrentHashMap.newKeySet();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<SocketChannel> clients = new CopyOnWriteArrayList<>();

    private FakeWarden(Home home, ServerSocketChannel server) {
        this.home = home;
        this.server = server;
    }

    static FakeWarden start(Path directory) throws IOException {
        // Beside the directory, which may be a workspace.
        Path real = directory.toRealPath();
        Home home = new Home(real.resolveSibling(real.getFileName() + "-h"));
        home.create();
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(home.controlSocket()));
        Files.setPosixFilePermissions(
                home.controlSocket(), PosixFilePermissions.fromString("rw-------"));
        FakeWarden warden = new FakeWarden(home, server);
        Thread.ofVirtual().start(warden::accept);
        return warden;
    }

    Home home() {
        return home;
    }

    /// @param question method and path, such as `GET /v1/status`, and the body where that matters
    FakeWarden answer(String question, int status, String body) {
        answers.put(question, new Answer(status, body));
        return this;
    }

    /// Ends the connection on which this is asked, once, as a warden does that dies.
    FakeWarden hangUpOnceOn(String question) {
        hangUps.add(question);
        return this;
    }

    int connections() {
        return clients.size();
    }

    /// Method, path and body of everything that was asked.
    List<String> asked() {
        return List.copyOf(asked);
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel client = server.accept();
                clients.add(client);
                Thread.ofVirtual().start(() -> serve(client));
            }
        } catch (IOException e) {
            // Closed at the end of the test.
        }
    }

    private void serve(SocketChannel client) {
        try (client) {
            StringBuilder received = new StringBuilder();
            ByteBuffer buffer = ByteBuffer.allocate(65_536);
            while (client.read(buffer) >= 0) {
                received.append(StandardCharsets.UTF_8.decode(buffer.flip()));
                buffer.clear();
                respond(client, received);
            }
        } catch (ClosedChannelException e) {
            // The client is gone or the test is over.
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void respond(SocketChannel client, StringBuilder received) throws IOException {
        int end = received.indexOf("\r\n\r\n");
        if (end < 0) {
            return;
        }
        String head = received.substring(0, end);
        int length = contentLength(head);
        if (received.length() < end + 4 + length) {
            return;
        }
        String body = received.substring(end + 4, end + 4 + length);
        received.delete(0, end + 4 + length);
        String question = head.substring(0, head.indexOf(" HTTP/1.1"));
        String whole = (question + " " + body).strip();
        asked.add(whole);
        if (hangUps.remove(question)) {
            client.close();
            return;
        }
        Answer none = new Answer(404, "{\"code\":\"none\",\"message\":\"none\",\"remedy\":\"\"}");
        Answer answer = answers.getOrDefault(whole, answers.getOrDefault(question, none));
        byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
        String start =
                "HTTP/1.1 "
                        + answer.status()
                        + " Said\r\nContent-Type: application/json\r\nContent-Length: "
                        + bytes.length
                        + "\r\n\r\n";
        client.write(ByteBuffer.wrap((start + answer.body()).getBytes(StandardCharsets.UTF_8)));
    }

    private static int contentLength(String head) {
        return head.lines()
                .filter(
                        line ->
                                line.toLowerCase(java.util.Locale.ROOT)
                                        .startsWith("content-length:"))
                .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
                .findFirst()
                .orElse(0);
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (SocketChannel client : clients) {
            client.close();
        }
        Command.of("rm", "-rf", home.root().toString()).run().ok();
    }
}
