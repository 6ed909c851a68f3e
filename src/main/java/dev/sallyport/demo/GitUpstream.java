package dev.sallyport.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// A real git server on loopback: `git http-backend` behind TLS and a token. Whoever does not show
/// the token gets 401, for repositories that exist and for those that do not.
public final class GitUpstream implements AutoCloseable {
    /// What arrived, for those who must prove that something did not.
    ///
    /// @param authorized whether the right token came with it
    public record Request(String method, String path, String query, boolean authorized) {}

    private static final int BACKLOG = 128;

    private final HttpsServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final HttpBackend backend;
    private final String expected;
    private final String host;
    private final String caPem;

    private GitUpstream(
            HttpsServer server, HttpBackend backend, String host, String expected, String caPem) {
        this.server = server;
        this.backend = backend;
        this.host = host;
        this.expected = expected;
        this.caPem = caPem;
    }

    /// Starts to serve on a free port.
    ///
    /// @param root directory of bare repositories, `owner/name.git`
    public static GitUpstream start(String host, Path root, String user, String token)
            throws IOException, GeneralSecurityException {
        CertificateAuthority authority = CertificateAuthority.create();
        HttpsServer server =
                HttpsServer.create(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
        server.setHttpsConfigurator(new HttpsConfigurator(authority.serverContext(host)));
        GitUpstream upstream =
                new GitUpstream(
                        server,
                        new HttpBackend(root, user),
                        host,
                        basic(user, token),
                        authority.pem());
        server.createContext("/", upstream::handle);
        server.setExecutor(upstream.threads);
        server.start();
        return upstream;
    }

    static String basic(String user, String token) {
        byte[] pair = (user + ":" + token).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(pair);
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public String caPem() {
        return caPem;
    }

    /// Everything that was asked so far, oldest first.
    public List<Request> requests() {
        return List.copyOf(requests);
    }

    /// The entry of a policy file that makes this server known.
    ///
    /// @param caFile where [#caPem] was written
    public String policyEntry(String caFile) {
        return """
                hosts:
                  - name: %s
                    kind: plain
                    ca-file: %s
                    dial: 127.0.0.1:%d
                """
                .formatted(host, caFile, port());
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            boolean authorized = isAuthorized(exchange);
            requests.add(
                    new Request(
                            exchange.getRequestMethod(),
                            exchange.getRequestURI().getRawPath(),
                            Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse(""),
                            authorized));
            if (authorized) {
                backend.serve(exchange);
                return;
            }
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"demo\"");
            exchange.sendResponseHeaders(401, -1);
        }
    }

    private boolean isAuthorized(HttpExchange exchange) {
        String given =
                Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization"))
                        .orElse("");
        return MessageDigest.isEqual(
                given.getBytes(StandardCharsets.UTF_8), expected.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
