package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// Servers and proxies of one benchmark, with a directory and configurations of their own. All on
/// loopback; what is started here ends here.
final class Daemons implements AutoCloseable {
    private static final int SECONDS_MAX = 20;

    private final Path root;
    private final List<Process> processes = new ArrayList<>();

    Daemons(Path root) {
        this.root = root;
    }

    static int freePort() {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// nginx with TLS for `host` and `localhost`, which serves the directory `files`.
    void startOrigin(String host, int port) throws IOException {
        startOrigin(host, port, List.of());
    }

    /// @param starter a command that starts the one that follows it
    void startOrigin(String host, int port, List<String> starter) throws IOException {
        startOrigin(host, port, starter, "");
    }

    /// @param more of the server's configuration
    void startOrigin(String host, int port, List<String> starter, String more) throws IOException {
        makeCertificate(root, host);
        List<String> argv = new ArrayList<>(starter);
        argv.addAll(List.of("/usr/sbin/nginx", "-p", root.toString()));
        argv.addAll(List.of("-e", root.resolve("nginx.log").toString()));
        argv.addAll(List.of("-g", "daemon off;", "-c"));
        start(
                "nginx",
                """
                user root;
                worker_processes 1;
                pid @ROOT@/nginx.pid;
                events { worker_connections 4096; }
                http {
                  access_log off;
                  keepalive_requests 1000000000;
                  client_body_temp_path @ROOT@/body; proxy_temp_path @ROOT@/proxy; fastcgi_temp_path @ROOT@/fastcgi;
                  uwsgi_temp_path @ROOT@/uwsgi; scgi_temp_path @ROOT@/scgi;
                  server {
                    listen 127.0.0.1:@PORT@ ssl;
                    ssl_certificate @ROOT@/leaf.pem;
                    ssl_certificate_key @ROOT@/leaf.key;
                    root @ROOT@/files;
                    @MORE@
                  }
                }
                """
                        .replace("@MORE@", more),
                port,
                argv.toArray(String[]::new));
    }

    /// Makes `leaf.pem`, which proves itself, and `leaf.key`.
    static void makeCertificate(Path root, String host) {
        String request =
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=bench"
                        + " -keyout leaf.key -out leaf.pem -addext subjectAltName=DNS:localhost,DNS:";
        List<String> argv = new ArrayList<>(List.of("openssl"));
        argv.addAll(List.of((request + host).split(" ")));
        Command.of(argv).in(root).run().ok();
    }

    /// What proves the origin.
    Path caFile() {
        return root.resolve("leaf.pem");
    }

    /// @param argv takes the configuration as its last argument
    Process start(String name, String configuration, int listensOn, String... argv)
            throws IOException {
        Path file = root.resolve(name + ".conf");
        Files.writeString(
                file,
                configuration
                        .replace("@ROOT@", root.toString())
                        .replace("@PORT@", Integer.toString(listensOn)));
        List<String> all = new ArrayList<>(List.of(argv));
        all.add(file.toString());
        return start(listensOn, all);
    }

    /// What it prints goes to a file.
    ///
    /// @param listensOn is awaited
    Process start(int listensOn, List<String> argv) throws IOException {
        List<String> all = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" >>printed 2>&1", "sh"));
        all.addAll(argv);
        processes.add(Command.of(all).in(root).start());
        awaitPort(listensOn);
        return processes.getLast();
    }

    Path root() {
        return root;
    }

    private static void awaitPort(int port) throws IOException {
        long deadline = System.nanoTime() + Duration.ofSeconds(SECONDS_MAX).toNanos();
        while (true) {
            try (Socket probe = new Socket()) {
                probe.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
                return;
            } catch (IOException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                LockSupport.parkNanos(20_000_000);
            }
        }
    }

    @Override
    public void close() {
        for (Process process : processes.reversed()) {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
