package dev.sallyport.demo;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/// The sandbox of a [Rehearsal]: asks as package managers do, many requests at once over HTTP/2 and
/// one after the other over HTTP/1.1, through the proxy and through port 443.
///
/// @param secure stands for port 443 of the host
/// @param proxy the sandbox's proxy
/// @param dns the port of the sandbox's resolver
record RehearsalGuest(
        String host, String caPem, InetSocketAddress secure, InetSocketAddress proxy, int dns) {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(30);
    private static final int ROUNDS = 3;
    private static final int AT_ONCE = 60;
    private static final int IN_TURN = 60;
    private static final int CONNECTIONS = 10;

    /// The last byte of the count of answers in a DNS message.
    private static final int ANSWERS = 7;

    /// How many requests [#ask] sends: fewer than a sandbox may send in a second.
    static final int REQUESTS = 1 + ROUNDS * AT_ONCE + IN_TURN + CONNECTIONS;

    /// Returns when all are answered.
    void ask() throws IOException, InterruptedException {
        SSLContext tls =
                ((JdkSslContext)
                                SslContextBuilder.forClient()
                                        .sslProvider(SslProvider.JDK)
                                        .trustManager(
                                                new ByteArrayInputStream(
                                                        caPem.getBytes(StandardCharsets.US_ASCII)))
                                        .build())
                        .context();
        resolve();
        try (HttpClient client = client(tls, Version.HTTP_2)) {
            // With a connection that is there, the others do not open one each.
            require(client.send(request(0), BodyHandlers.discarding()));
            for (int i = 0; i < ROUNDS; i++) {
                askAtOnce(client);
            }
        }
        try (HttpClient client = client(tls, Version.HTTP_1_1)) {
            for (int i = 0; i < IN_TURN; i++) {
                require(client.send(request(i), BodyHandlers.discarding()));
            }
        }
        for (int i = 0; i < CONNECTIONS; i++) {
            askAlone(tls, i);
        }
    }

    /// A question for the host's address (RFC 1035, section 4.1).
    private void resolve() throws IOException {
        StringBuilder query = new StringBuilder("\1\2\1\0\0\1\0\0\0\0\0\0");
        for (String label : host.split("\\.", -1)) {
            query.append((char) label.length()).append(label);
        }
        byte[] bytes = query.append("\0\0\1\0\1").toString().getBytes(StandardCharsets.US_ASCII);
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout((int) ANSWER_MAX.toMillis());
            socket.connect(InetAddress.ofLiteral("127.0.0.1"), dns);
            socket.send(new DatagramPacket(bytes, bytes.length));
            byte[] answer = new byte[512];
            socket.receive(new DatagramPacket(answer, answer.length));
            if (answer[ANSWERS] != 1) {
                throw new IOException("the gateway does not resolve " + host);
            }
        }
    }

    private HttpClient client(SSLContext tls, Version version) {
        return HttpClient.newBuilder()
                .version(version)
                .proxy(ProxySelector.of(proxy))
                .sslContext(tls)
                .build();
    }

    private HttpRequest request(int number) {
        return HttpRequest.newBuilder(URI.create("https://" + host + path(number)))
                .timeout(ANSWER_MAX)
                .build();
    }

    private void askAtOnce(HttpClient client) throws IOException {
        List<CompletableFuture<HttpResponse<Void>>> all =
                IntStream.range(0, AT_ONCE)
                        .mapToObj(i -> client.sendAsync(request(i), BodyHandlers.discarding()))
                        .toList();
        try {
            for (CompletableFuture<HttpResponse<Void>> one : all) {
                require(one.join());
            }
        } catch (CompletionException e) {
            throw new IOException(e);
        }
    }

    private static void require(HttpResponse<Void> answer) throws IOException {
        if (answer.statusCode() != 200) {
            throw new IOException("the gateway answers " + answer.statusCode());
        }
    }

    /// To the host's own address, as a program does that knows no proxy.
    private void askAlone(SSLContext tls, int number) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout((int) ANSWER_MAX.toMillis());
            socket.connect(secure);
            SSLSocket secured =
                    (SSLSocket) tls.getSocketFactory().createSocket(socket, host, 443, true);
            String head =
                    "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n"
                            .formatted(path(number), host);
            secured.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            byte[] answer = secured.getInputStream().readAllBytes();
            if (!new String(answer, StandardCharsets.US_ASCII).startsWith("HTTP/1.1 200 ")) {
                throw new IOException("the gateway does not answer on port 443");
            }
        }
    }

    private static String path(int number) {
        return "/left.example/pack-" + number + "/@v/v1.0.0.zip";
    }
}
