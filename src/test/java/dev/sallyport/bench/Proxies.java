package dev.sallyport.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// The other programs that stand before an origin, each with a configuration of its own: TLS with a
/// verified certificate to the origin, on connections that are kept; a credential added; each
/// request in an access log.
final class Proxies {
    static final String NO_TLS = "speaks no TLS to the origin";

    /// nginx that sends a request on when all of it is there, as who judges it has to.
    static final String STORING = "nginx, which stores it first";

    private final Daemons daemons;
    private final Origin origin;
    private final Optional<Path> certificate;

    /// @param name that its certificate is for, besides `localhost`
    /// @param credential `user:password`
    record Origin(String name, int port, Path caFile, Optional<String> credential) {
        String authorization() {
            return "Basic "
                    + Base64.getEncoder()
                            .encodeToString(
                                    credential.orElse("").getBytes(StandardCharsets.US_ASCII));
        }
    }

    /// One that runs.
    record Proxy(String name, int port, Process process) {
        List<Long> processes() {
            return Usage.processesOf(process);
        }
    }

    /// Those of a contest that could be started; of the others, why not.
    static final class Field {
        private final List<Proxy> running = new ArrayList<>();
        private final Map<String, String> missing = new LinkedHashMap<>();

        /// Starts one.
        interface Start {
            Process on(int port) throws IOException;
        }

        void start(String name, Start start) {
            int port = Daemons.freePort();
            try {
                running.add(new Proxy(name, port, start.on(port)));
            } catch (IOException | UncheckedIOException e) {
                missing.put(name, "failed: it did not start, " + e.getMessage());
            }
        }

        /// @param work of each
        Contest join(Contest contest, Function<Proxy, Contest.Work> work) {
            running.forEach(p -> contest.way(p.name, work.apply(p), p::processes));
            missing.forEach(contest::without);
            return contest;
        }
    }

    Field start(String... names) {
        Field field = new Field();
        for (String name : names) {
            field.start(
                    name,
                    port ->
                            switch (name) {
                                case "nginx" -> nginx(port, "proxy-nginx", "off");
                                case STORING -> nginx(port, "storing-nginx", "on");
                                case "haproxy" -> haproxy(port);
                                case "squid" -> squid(port);
                                case "mitmproxy" -> mitmproxy(port);
                                default -> throw new IllegalArgumentException(name);
                            });
        }
        return field;
    }

    /// @param certificate for TLS at the door, with its key beside it as `leaf.key`; or plain HTTP
    Proxies(Daemons daemons, Origin origin, Optional<Path> certificate) {
        this.daemons = daemons;
        this.origin = origin;
        this.certificate = certificate;
    }

    private String filled(String configuration) {
        return configuration
                .replace("@ORIGIN@", "127.0.0.1:" + origin.port)
                .replace("@NAME@", origin.name)
                .replace("@CA@", origin.caFile.toString())
                .replace("@AUTHORIZATION@", origin.authorization())
                .replace("@PEM@", certificate.map(Path::toString).orElse(""))
                .replace(
                        "@KEY@",
                        certificate
                                .map(pem -> pem.resolveSibling("leaf.key"))
                                .map(Path::toString)
                                .orElse(""));
    }

    /// @param buffering whether requests are stored: on or off
    private Process nginx(int port, String name, String buffering) throws IOException {
        String tls =
                certificate.isPresent()
                        ? "ssl; ssl_certificate @PEM@; ssl_certificate_key @KEY@;"
                        : ";";
        String credential =
                origin.credential.isPresent()
                        ? "proxy_set_header Authorization \"@AUTHORIZATION@\";"
                        : "";
        return daemons.start(
                name,
                filled(
                        """
                                user root;
                                worker_processes auto;
                                pid @ROOT@/@SELF@.pid;
                                events { worker_connections 4096; }
                                http {
                                  access_log @ROOT@/@SELF@.access;
                                  keepalive_requests 1000000000;
                                  client_body_temp_path @ROOT@/@SELF@.body; proxy_temp_path @ROOT@/@SELF@.proxy; fastcgi_temp_path @ROOT@/@SELF@.fastcgi;
                                  uwsgi_temp_path @ROOT@/@SELF@.uwsgi; scgi_temp_path @ROOT@/@SELF@.scgi;
                                  upstream origin { server @ORIGIN@; keepalive 128; keepalive_requests 1000000000; }
                                  server {
                                    listen 127.0.0.1:@PORT@ @TLS@
                                    client_max_body_size 0;
                                    location / {
                                      proxy_pass https://origin;
                                      proxy_http_version 1.1;
                                      proxy_set_header Connection "";
                                      proxy_set_header Host @NAME@;
                                      @CREDENTIAL@
                                      proxy_ssl_verify on; proxy_ssl_trusted_certificate @CA@;
                                      proxy_ssl_server_name on; proxy_ssl_name @NAME@;
                                      proxy_buffering off; proxy_request_buffering @BUFFERING@;
                                      proxy_read_timeout 600s;
                                    }
                                  }
                                }
                                """
                                .replace("@SELF@", name)
                                .replace("@BUFFERING@", buffering)
                                .replace("@TLS@", tls)
                                .replace("@CREDENTIAL@", credential)),
                port,
                "/usr/sbin/nginx",
                "-p",
                daemons.root().toString(),
                "-e",
                daemons.root().resolve(name + ".log").toString(),
                "-g",
                "daemon off;",
                "-c");
    }

    private Process haproxy(int port) throws IOException {
        String tls = "";
        if (certificate.isPresent()) {
            Path both = daemons.root().resolve("both.pem");
            Path key = certificate.get().resolveSibling("leaf.key");
            Files.writeString(both, Files.readString(certificate.get()) + Files.readString(key));
            tls = " ssl crt " + both;
        }
        String credential =
                origin.credential.isPresent()
                        ? "http-request set-header Authorization \"@AUTHORIZATION@\""
                        : "";
        return daemons.start(
                "haproxy",
                filled(
                        """
                                global
                                  maxconn 4096
                                  log stdout format raw local0 info
                                defaults
                                  mode http
                                  log global
                                  option httplog
                                  http-reuse always
                                  timeout connect 10s
                                  timeout client 600s
                                  timeout server 600s
                                frontend door
                                  bind 127.0.0.1:@PORT@@TLS@
                                  default_backend origin
                                backend origin
                                  http-request set-header Host @NAME@
                                  @CREDENTIAL@
                                  server origin @ORIGIN@ ssl verify required ca-file @CA@ sni str(@NAME@) verifyhost @NAME@
                                """
                                .replace("@TLS@", tls)
                                .replace("@CREDENTIAL@", credential)),
                port,
                "/usr/sbin/haproxy",
                "-db",
                "-f");
    }

    /// As a reverse proxy with plain HTTP at its door. It gives up root and writes to a directory
    /// of its own.
    private Process squid(int port) throws IOException {
        Path own = Files.createDirectory(daemons.root().resolve("squid"));
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwxrwx"));
        return daemons.start(
                "squid",
                filled(
                        """
                                http_port 127.0.0.1:@PORT@ accel defaultsite=@NAME@ no-vhost
                                cache_peer 127.0.0.1 parent %d 0 no-query no-digest originserver forceddomain=@NAME@ login=%s tls tls-cafile=@CA@ tls-default-ca=off
                                never_direct allow all
                                http_access allow all
                                cache deny all
                                access_log stdio:@OWN@/access
                                cache_log @OWN@/log
                                pid_filename none
                                coredump_dir none
                                shutdown_lifetime 0 seconds
                                """
                                .formatted(origin.port, origin.credential.orElse("PASS"))
                                .replace("@OWN@", own.toString())),
                port,
                "/usr/sbin/squid",
                "-N",
                "-f");
    }

    /// Its authority is made where it finds none.
    private Process mitmproxy(int port) throws IOException {
        List<String> argv = new ArrayList<>(List.of("mitmdump", "--mode"));
        argv.add("reverse:https://localhost:" + origin.port);
        argv.addAll(List.of("--listen-host", "127.0.0.1", "--listen-port", "" + port));
        argv.addAll(List.of("--set", "confdir=" + authority()));
        argv.addAll(List.of("--set", "ssl_verify_upstream_trusted_ca=" + origin.caFile));
        argv.addAll(List.of("--set", "stream_large_bodies=64k", "--set", "flow_detail=1"));
        if (origin.credential.isPresent()) {
            argv.addAll(List.of("-H", "/~q/Authorization/" + origin.authorization()));
        }
        return daemons.start(port, argv);
    }

    Path authority() {
        return daemons.root().resolve("mitmproxy");
    }
}
