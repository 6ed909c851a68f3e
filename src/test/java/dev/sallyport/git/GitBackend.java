package dev.sallyport.git;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sallyport.fixture.Command;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;

/// A real upstream without root: `git http-backend` behind the JDK's TLS server and a token. What
/// it does not have it answers like a hosting service, with 404.
public final class GitBackend implements AutoCloseable {
    /// A request as it arrived.
    public record Seen(String method, String target, Map<String, List<String>> headers) {
        public String header(String name) {
            return String.join("|", headers.getOrDefault(name, List.of()));
        }

        /// Whether it is a push, and not the probe before one.
        public boolean isPush() {
            return method.equals("POST")
                    && target.endsWith("/git-receive-pack")
                    && !header("Content-length").equals("4");
        }

        @Override
        public String toString() {
            return method + " " + target;
        }
    }

    /// Where it is, so that no other process starts it.
    private static final String PROGRAM =
            Command.of("git", "--exec-path").run().ok() + "/git-http-backend";

    private final Path root;
    private final Predicate<Seen> authorized;
    private final HttpsServer server;
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private volatile Duration fetchPause = Duration.ZERO;
    private volatile Function<Seen, Integer> trouble = _ -> 0;
    private final List<Seen> seen = new CopyOnWriteArrayList<>();

    public GitBackend(Path root, SSLContext tls, String user, String token) throws IOException {
        this(root, tls, seen -> seen.header("Authorization").equals(basic(user, token)));
    }

    /// One that asks somebody else who is let in.
    public GitBackend(Path root, SSLContext tls, Predicate<Seen> authorized) throws IOException {
        this.root = root;
        this.authorized = authorized;
        this.server =
                HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        server.setExecutor(workers);
        server.createContext("/", this::serve);
        server.start();
    }

    public static String basic(String user, String token) {
        byte[] pair = (user + ":" + token).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(pair);
    }

    /// Serves something else than git below a path.
    public void serve(String path, HttpHandler handler) {
        server.createContext(path, handler);
    }

    /// Whether a request to such a path brings what git needs.
    public boolean isAuthorized(HttpExchange exchange) {
        return authorized.test(
                new Seen(
                        exchange.getRequestMethod(),
                        exchange.getRequestURI().toString(),
                        Map.copyOf(exchange.getRequestHeaders())));
    }

    public String dial() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    public List<Seen> seen() {
        return seen;
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            Seen request =
                    new Seen(
                            exchange.getRequestMethod(),
                            exchange.getRequestURI().toString(),
                            Map.copyOf(exchange.getRequestHeaders()));
            seen.add(request);
            int status = trouble.apply(request);
            if (status > 0) {
                exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
                exchange.getResponseHeaders().set("Retry-After", "30");
                exchange.sendResponseHeaders(status, -1);
                return;
            }
            if (!authorized.test(request)) {
                exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"git\"");
                exchange.sendResponseHeaders(401, -1);
                return;
            }
            run(exchange);
        }
    }

    /// Answers requests with the status that is given for them, unless that is 0.
    public void fail(Function<Seen, Integer> statuses) {
        trouble = statuses;
    }

    /// Makes upstream slow to send packs.
    void delayFetches(Duration pause) {
        fetchPause = pause;
    }

    private void pause(HttpExchange exchange) {
        if (exchange.getRequestURI().getPath().endsWith("/git-upload-pack")) {
            LockSupport.parkNanos(fetchPause.toNanos());
        }
    }

    private void run(HttpExchange exchange) throws IOException {
        pause(exchange);
        ProcessBuilder builder = new ProcessBuilder(PROGRAM);
        environment(builder.environment(), exchange);
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process process = builder.start();
        Future<?> feeding = workers.submit(() -> feed(exchange, process));
        try (InputStream out = new BufferedInputStream(process.getInputStream())) {
            answer(exchange, out);
        } finally {
            feeding.cancel(true);
            process.destroy();
        }
    }

    private void environment(Map<String, String> variables, HttpExchange exchange) {
        variables.keySet().removeIf(name -> name.startsWith("GIT_"));
        variables.put("GIT_CONFIG_NOSYSTEM", "1");
        variables.put("GIT_CONFIG_GLOBAL", "/dev/null");
        variables.put("GIT_PROJECT_ROOT", root.toString());
        variables.put("GIT_HTTP_EXPORT_ALL", "1");
        variables.put("REMOTE_USER", "tester");
        variables.put("REQUEST_METHOD", exchange.getRequestMethod());
        variables.put("PATH_INFO", exchange.getRequestURI().getPath());
        String query = exchange.getRequestURI().getQuery();
        variables.put("QUERY_STRING", query == null ? "" : query);
        copy(variables, "CONTENT_TYPE", exchange, "Content-Type");
        copy(variables, "CONTENT_LENGTH", exchange, "Content-Length");
        copy(variables, "HTTP_CONTENT_ENCODING", exchange, "Content-Encoding");
        copy(variables, "GIT_PROTOCOL", exchange, "Git-Protocol");
    }

    private static void copy(
            Map<String, String> variables, String variable, HttpExchange exchange, String header) {
        String value = exchange.getRequestHeaders().getFirst(header);
        if (value != null) {
            variables.put(variable, value);
        }
    }

    private static void feed(HttpExchange exchange, Process process) {
        try (OutputStream stdin = process.getOutputStream()) {
            exchange.getRequestBody().transferTo(stdin);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void answer(HttpExchange exchange, InputStream out) throws IOException {
        int status = 200;
        for (String line = line(out); !line.isEmpty(); line = line(out)) {
            int colon = line.indexOf(':');
            String name = line.substring(0, colon);
            String value = line.substring(colon + 1).strip();
            if (name.equals("Status")) {
                status = Integer.parseInt(value.substring(0, 3));
            } else {
                exchange.getResponseHeaders().set(name, value);
            }
        }
        exchange.sendResponseHeaders(status, 0);
        try (OutputStream body = exchange.getResponseBody()) {
            out.transferTo(body);
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            line.append((char) c);
        }
        return line.toString().stripTrailing();
    }

    @Override
    public void close() {
        server.stop(0);
        workers.shutdownNow();
    }
}
