package dev.sallyport.demo;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    /// Serves one HTTP request with git's own CGI program (RFC 3875), streaming both ways.
    ///
    /// @param root directory of bare repositories
    /// @param user who pushes, for git's reflog
    private record HttpBackend(Path root, String user) {
        private static final int HEAD_BYTES_MAX = 16_384;

        void serve(HttpExchange exchange) throws IOException {
            Process git = start(exchange);
            Thread sender = Thread.ofVirtual().start(() -> send(exchange, git));
            try (InputStream answer = new BufferedInputStream(git.getInputStream())) {
                Map<String, String> head = readHead(answer);
                int status = status(head);
                Headers headers = exchange.getResponseHeaders();
                head.forEach(headers::set);
                exchange.sendResponseHeaders(status, 0);
                try (OutputStream body = exchange.getResponseBody()) {
                    answer.transferTo(body);
                }
            } finally {
                git.destroy();
                sender.interrupt();
            }
        }

        private static void send(HttpExchange exchange, Process git) {
            try (OutputStream to = git.getOutputStream()) {
                exchange.getRequestBody().transferTo(to);
            } catch (IOException e) {
                // Either side went away; the other one notices when it reads.
                git.destroy();
            }
        }

        private Process start(HttpExchange exchange) throws IOException {
            ProcessBuilder builder = new ProcessBuilder("git", "http-backend");
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);
            Map<String, String> environment = builder.environment();
            environment.clear();
            environment.putAll(Git.environment());
            environment.put("GIT_PROJECT_ROOT", root.toString());
            environment.put("GIT_HTTP_EXPORT_ALL", "1");
            environment.put("REMOTE_USER", user);
            environment.put("REMOTE_ADDR", "127.0.0.1");
            environment.put("REQUEST_METHOD", exchange.getRequestMethod());
            environment.put("PATH_INFO", exchange.getRequestURI().getPath());
            environment.put(
                    "QUERY_STRING",
                    Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse(""));
            Headers headers = exchange.getRequestHeaders();
            copy(headers, "Content-Type", environment, "CONTENT_TYPE");
            copy(headers, "Content-Length", environment, "CONTENT_LENGTH");
            copy(headers, "Content-Encoding", environment, "HTTP_CONTENT_ENCODING");
            copy(headers, "Git-Protocol", environment, "GIT_PROTOCOL");
            return builder.start();
        }

        private static void copy(
                Headers from, String header, Map<String, String> to, String variable) {
            String value = from.getFirst(header);
            if (value != null) {
                to.put(variable, value);
            }
        }

        private static Map<String, String> readHead(InputStream in) throws IOException {
            Map<String, String> head = new HashMap<>();
            for (String line = readLine(in); !line.isEmpty(); line = readLine(in)) {
                int colon = line.indexOf(':');
                if (colon > 0) {
                    head.put(line.substring(0, colon), line.substring(colon + 1).strip());
                }
            }
            return head;
        }

        private static String readLine(InputStream in) throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
                if (line.size() == HEAD_BYTES_MAX) {
                    throw new IOException("git http-backend wrote a line without end");
                }
                line.write(next);
            }
            return line.toString(StandardCharsets.ISO_8859_1).strip();
        }

        private static int status(Map<String, String> head) {
            String status = head.remove("Status");
            return status == null ? 200 : Integer.parseInt(status.split(" ", -1)[0]);
        }
    }
}
