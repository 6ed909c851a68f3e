package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.DevServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/// A person's side of published ports: sandboxes of one installation, and clients on the host.
record PortsRig(Installation sallyport, String runtime) {
    static final String FOUR = "127.0.0.1";
    static final String SIX = "[::1]";

    private static final Duration ANSWER_MAX = Duration.ofSeconds(60);
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    void create(String name, String... options) {
        assertThat(tryToCreate(name, options).ok()).contains(name);
    }

    Command.Result tryToCreate(String name, String... options) {
        List<String> argv =
                new ArrayList<>(List.of("new", "--name", name, "--runtime", runtime, "--no-repo"));
        argv.addAll(List.of(options));
        return sallyport.sallyport(argv.toArray(String[]::new)).run();
    }

    Command.Result exec(String name, String... command) {
        List<String> argv = new ArrayList<>(List.of("exec", name, "--"));
        argv.addAll(List.of(command));
        return sallyport.sallyport(argv.toArray(String[]::new)).run();
    }

    Command.Result sh(String name, String script) {
        return exec(name, "bash", "-uc", script);
    }

    Command.Result ports(String name, String... words) {
        List<String> argv = new ArrayList<>(List.of("ports", name));
        argv.addAll(List.of(words));
        return sallyport.sallyport(argv.toArray(String[]::new)).run();
    }

    String audit() {
        return sallyport.sallyport("audit", "show", "--last", "1000").run().ok();
    }

    /// What a server says to a person's program on the host.
    static String get(String address, int port) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://" + address + ":" + port + "/"))
                        .timeout(ANSWER_MAX)
                        .build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    static void awaitPage(String address, int port, String content) {
        Await.until(
                "port " + port + " shows " + content,
                () -> {
                    try {
                        return get(address, port).contains(content);
                    } catch (IOException e) {
                        return false;
                    }
                });
    }

    static boolean listens(String address, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getByName(address), port), 5_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    static Socket connect(int port) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.ofLiteral(FOUR), port), 30_000);
        socket.setSoTimeout(60_000);
        return socket;
    }

    /// Shows a page, waits to be told of a change of the file, and returns what the page is then.
    String reloaded(String address, int port, String version) throws Exception {
        assertThat(get(address, port)).contains("<title>version ");
        CompletableFuture<String> told = new CompletableFuture<>();
        WebSocket socket =
                CLIENT.newWebSocketBuilder()
                        .connectTimeout(ANSWER_MAX)
                        .buildAsync(
                                URI.create("ws://" + address + ":" + port + "/"), new Heard(told))
                        .get(1, TimeUnit.MINUTES);
        DevServer.change(sallyport.workspace(), version);
        assertThat(told.get(1, TimeUnit.MINUTES)).isEqualTo("reload");
        socket.abort();
        return get(address, port);
    }

    private record Heard(CompletableFuture<String> told) implements WebSocket.Listener {
        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
            told.complete(data.toString());
            return WebSocket.Listener.super.onText(socket, data, last);
        }
    }
}
