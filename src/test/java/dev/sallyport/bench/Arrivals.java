package dev.sallyport.bench;

import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/// A web server on another machine that answers everything and notes each request: when it was
/// answered, which machine it came from, and its number, the last part of its path.
final class Arrivals implements AutoCloseable {
    static final String HOST = "api.test.example";

    /// Before the number.
    static final String PATH = "/n/";

    private static final int PORT = 8444;

    private final Path root;
    private final Machine machine;
    private final Process nginx;

    /// A request that arrived.
    ///
    /// @param from the address of the machine that sent it
    /// @param at not before it arrived; milliseconds
    record Arrival(String number, String from, Instant at) {}

    private Arrivals(Path root, Machine machine, Process nginx) {
        this.root = root;
        this.machine = machine;
        this.nginx = nginx;
    }

    static Arrivals start(Path root, Machine machine) throws IOException {
        Daemons.makeCertificate(root, HOST);
        Path file = Files.writeString(root.resolve("nginx.conf"), configuration(root, machine));
        Process nginx =
                machine.command(
                                "/usr/sbin/nginx",
                                "-p",
                                root.toString(),
                                "-e",
                                root.resolve("nginx.log").toString(),
                                "-g",
                                "daemon off;",
                                "-c",
                                file.toString())
                        .in(root)
                        .start();
        Arrivals made = new Arrivals(root, machine, nginx);
        String probe = "exec 3<>/dev/tcp/%s/%d".formatted(machine.address(), PORT);
        Await.until("nginx", () -> machine.command("bash", "-c", probe).run().exit() == 0);
        return made;
    }

    private static String configuration(Path root, Machine machine) {
        return """
                user root;
                worker_processes 1;
                pid @ROOT@/nginx.pid;
                events { worker_connections 1024; }
                http {
                  log_format arrival '$msec $remote_addr $request_uri';
                  access_log @ROOT@/arrivals arrival;
                  client_body_temp_path @ROOT@/body; proxy_temp_path @ROOT@/proxy; fastcgi_temp_path @ROOT@/fastcgi;
                  uwsgi_temp_path @ROOT@/uwsgi; scgi_temp_path @ROOT@/scgi;
                  server {
                    listen @ADDRESS@ ssl;
                    ssl_certificate @ROOT@/leaf.pem;
                    ssl_certificate_key @ROOT@/leaf.key;
                    location @PATH@ { return 200 "here\\n"; }
                  }
                }
                """
                .replace("@ROOT@", root.toString())
                .replace("@PATH@", PATH)
                .replace("@ADDRESS@", machine.address() + ":" + PORT);
    }

    /// Where gateways reach it.
    String dial() {
        return machine.address() + ":" + PORT;
    }

    /// What proves it.
    Path caFile() {
        return root.resolve("leaf.pem");
    }

    List<Arrival> all() throws IOException {
        Path log = root.resolve("arrivals");
        return Files.readAllLines(log).stream()
                .map(line -> line.split(" ", -1))
                .filter(parts -> parts.length == 3 && parts[2].startsWith(PATH))
                .map(parts -> new Arrival(number(parts[2]), parts[1], time(parts[0])))
                .toList();
    }

    /// The number in a path.
    static String number(String path) {
        return path.substring(PATH.length());
    }

    private static Instant time(String seconds) {
        return Instant.ofEpochMilli(Long.parseLong(seconds.replace(".", "")));
    }

    @Override
    public void close() {
        nginx.destroy();
        nginx.onExit().join();
    }
}
