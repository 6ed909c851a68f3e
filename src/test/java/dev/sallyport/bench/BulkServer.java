package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.io.RandomAccessFile;
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

/// nginx with TLS and one large file, and beside it squid and tinyproxy as they come, with
/// configurations of their own. All on loopback; what is started here ends here.
final class BulkServer implements AutoCloseable {
    static final String HOST = "bulk.test.example";
    static final long BYTES = 2L << 30;
    private static final int SECONDS_MAX = 20;

    private final Path root;
    private final int port = freePort();
    private final int squidPort = freePort();
    private final int tinyproxyPort = freePort();
    private final List<Process> processes = new ArrayList<>();

    private BulkServer(Path root) {
        this.root = root;
    }

    static BulkServer start(Path root) throws IOException {
        BulkServer server = new BulkServer(root);
        try {
            server.makeFiles();
            server.launch();
            return server;
        } catch (IOException | AssertionError e) {
            server.close();
            throw e;
        }
    }

    private static int freePort() {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// The file has no blocks on disk; encrypting it costs the same.
    private void makeFiles() throws IOException {
        Path files = Files.createDirectory(root.resolve("files"));
        try (RandomAccessFile bulk = new RandomAccessFile(files.resolve("bulk").toFile(), "rw")) {
            bulk.setLength(BYTES);
        }
        Command.of(
                        "openssl",
                        "req",
                        "-x509",
                        "-newkey",
                        "ec",
                        "-pkeyopt",
                        "ec_paramgen_curve:P-256",
                        "-nodes",
                        "-days",
                        "2",
                        "-subj",
                        "/CN=" + HOST,
                        "-addext",
                        "subjectAltName=DNS:" + HOST,
                        "-keyout",
                        "leaf.key",
                        "-out",
                        "leaf.pem")
                .in(root)
                .run()
                .ok();
    }

    private void launch() throws IOException {
        launchOrigin();
        launchContenders();
    }

    private void launchOrigin() throws IOException {
        start(
                "nginx",
                """
                user root;
                worker_processes 1;
                pid @ROOT@/nginx.pid;
                events { worker_connections 256; }
                http {
                  access_log off;
                  client_body_temp_path @ROOT@/body; proxy_temp_path @ROOT@/proxy; fastcgi_temp_path @ROOT@/fastcgi;
                  uwsgi_temp_path @ROOT@/uwsgi; scgi_temp_path @ROOT@/scgi;
                  server {
                    listen 127.0.0.1:@PORT@ ssl;
                    ssl_certificate @ROOT@/leaf.pem;
                    ssl_certificate_key @ROOT@/leaf.key;
                    root @ROOT@/files;
                  }
                }
                """,
                port,
                "/usr/sbin/nginx",
                "-p",
                root.toString(),
                "-e",
                root.resolve("nginx.log").toString(),
                "-g",
                "daemon off;",
                "-c");
    }

    private void launchContenders() throws IOException {
        start(
                "squid",
                """
                http_port 127.0.0.1:@PORT@
                http_access allow all
                cache deny all
                access_log none
                cache_log /dev/null
                pid_filename none
                coredump_dir none
                shutdown_lifetime 0 seconds
                """,
                squidPort,
                "/usr/sbin/squid",
                "-N",
                "-f");
        start(
                "tinyproxy",
                """
                Port @PORT@
                Listen 127.0.0.1
                Allow 127.0.0.1
                Timeout 600
                MaxClients 16
                LogFile "@ROOT@/tinyproxy.log"
                PidFile "@ROOT@/tinyproxy.pid"
                """,
                tinyproxyPort,
                "/usr/bin/tinyproxy",
                "-d",
                "-c");
    }

    /// @param argv takes the configuration as its last argument
    private void start(String name, String configuration, int listensOn, String... argv)
            throws IOException {
        Path file = root.resolve(name + ".conf");
        Files.writeString(
                file,
                configuration
                        .replace("@ROOT@", root.toString())
                        .replace("@PORT@", Integer.toString(listensOn)));
        List<String> all = new ArrayList<>(List.of(argv));
        all.add(file.toString());
        processes.add(Command.of(all).in(root).start());
        awaitPort(listensOn);
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

    Path caFile() {
        return root.resolve("leaf.pem");
    }

    String dial() {
        return "127.0.0.1:" + port;
    }

    String url() {
        return "https://" + HOST + ":" + port + "/bulk";
    }

    String resolve() {
        return HOST + ":" + port + ":127.0.0.1";
    }

    /// So that the other proxies need not resolve the name.
    String connectTo() {
        return HOST + ":" + port + ":127.0.0.1:" + port;
    }

    String squid() {
        return "http://127.0.0.1:" + squidPort;
    }

    String tinyproxy() {
        return "http://127.0.0.1:" + tinyproxyPort;
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
