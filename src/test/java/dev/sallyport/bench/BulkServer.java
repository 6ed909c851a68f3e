package dev.sallyport.bench;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// nginx with TLS and one large file, and beside it proxies that tunnel, as they come.
final class BulkServer implements AutoCloseable {
    static final String HOST = "bulk.test.example";

    /// Passes all bytes on inside the kernel and knows neither CONNECT nor names.
    static final String RELAY = "haproxy, only a relay";

    static final long BYTES = Run.sized(2L << 30, 64L << 20);

    private final Path root;
    private final Daemons daemons;
    private final int port = Daemons.freePort();
    private final Proxies.Field proxies = new Proxies.Field();

    private BulkServer(Path root) {
        this.root = root;
        this.daemons = new Daemons(root);
    }

    static BulkServer start(Path root) throws IOException {
        BulkServer server = new BulkServer(root);
        try {
            server.makeFiles();
            server.daemons.startOrigin(HOST, server.port);
            server.launchContenders();
            return server;
        } catch (IOException | AssertionError e) {
            server.close();
            throw e;
        }
    }

    /// The file has no blocks on disk; encrypting it costs the same.
    private void makeFiles() throws IOException {
        Path files = Files.createDirectory(root.resolve("files"));
        try (RandomAccessFile bulk = new RandomAccessFile(files.resolve("bulk").toFile(), "rw")) {
            bulk.setLength(BYTES);
        }
    }

    private void launchContenders() {
        launch(
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
                "/usr/sbin/squid",
                "-N",
                "-f");
        launch(
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
                "/usr/bin/tinyproxy",
                "-d",
                "-c");
        launch(
                RELAY,
                """
                global
                  maxconn 64
                defaults
                  mode tcp
                  option splice-auto
                  timeout connect 10s
                  timeout client 600s
                  timeout server 600s
                listen relay
                  bind 127.0.0.1:@PORT@
                  server origin %s
                """
                        .formatted(dial()),
                "/usr/sbin/haproxy",
                "-db",
                "-f");
        proxies.start("mitmproxy", this::mitmproxy);
    }

    private void launch(String name, String configuration, String... argv) {
        proxies.start(name, port -> daemons.start(name, configuration, port, argv));
    }

    private Process mitmproxy(int port) throws IOException {
        List<String> argv = new ArrayList<>(List.of("mitmdump", "--quiet", "--ignore-hosts", ".*"));
        argv.addAll(List.of("--listen-host", "127.0.0.1", "--listen-port", "" + port));
        argv.addAll(List.of("--set", "confdir=" + root.resolve("mitmproxy")));
        return daemons.start(port, argv);
    }

    Path caFile() {
        return daemons.caFile();
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
        return connectTo(port);
    }

    /// @param at where a relay to it listens
    String connectTo(int at) {
        return HOST + ":" + port + ":127.0.0.1:" + at;
    }

    Proxies.Field proxies() {
        return proxies;
    }

    @Override
    public void close() {
        daemons.close();
    }
}
