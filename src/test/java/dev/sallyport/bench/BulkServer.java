package dev.sallyport.bench;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/// nginx with TLS and one large file, and beside it squid and tinyproxy as they come.
final class BulkServer implements AutoCloseable {
    static final String HOST = "bulk.test.example";
    static final long BYTES = 2L << 30;

    private final Path root;
    private final Daemons daemons;
    private final int port = Daemons.freePort();
    private final int squidPort = Daemons.freePort();
    private final int tinyproxyPort = Daemons.freePort();

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

    private void launchContenders() throws IOException {
        daemons.start(
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
        daemons.start(
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
        daemons.close();
    }
}
