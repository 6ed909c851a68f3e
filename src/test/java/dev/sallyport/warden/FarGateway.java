package dev.sallyport.warden;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.sallyport.channel.Message;
import dev.sallyport.control.FleetApi;
import dev.sallyport.credential.CertifiedKey;
import dev.sallyport.fleet.FleetAuthority;
import dev.sallyport.fleet.FleetStore;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// The warden of another machine, behind a port with its certificate that passes on whatever comes.
/// What a gateway process keeps away `KnocksTest` has.
final class FarGateway implements AutoCloseable {
    private static final char[] PASSWORD = "test".toCharArray();

    final WardenParts parts;
    private final HttpsServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /// What is made of each answer on its way, as a gateway process that was taken over could.
    volatile UnaryOperator<String> answers = json -> json;

    FarGateway(Path directory) throws IOException, GeneralSecurityException {
        this.parts = new WardenParts(Files.createDirectory(directory));
        parts.others.begin(
                parts.link, parts.sandboxes, parts.plans, parts.policy, parts.authorities);
        this.server =
                HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        server.setHttpsConfigurator(new HttpsConfigurator(tls()));
        server.setExecutor(threads);
        server.createContext("/v1/", this::serve);
        server.start();
    }

    private SSLContext tls() throws IOException, GeneralSecurityException {
        CertifiedKey own =
                FleetAuthority.open(
                                FleetStore.files(parts.home.fleet(), Optional.empty()),
                                InstantSource.system())
                        .server();
        KeyStore store = KeyStore.getInstance("JKS");
        store.load(null, null);
        store.setKeyEntry(
                "gateway", own.privateKey(), PASSWORD, new Certificate[] {own.certificate()});
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        SSLContext tls = SSLContext.getInstance("TLSv1.3");
        tls.init(keys.getKeyManagers(), null, null);
        return tls;
    }

    private void serve(HttpExchange exchange) throws IOException {
        String line =
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.US_ASCII);
        CompletableFuture<Message> answer = new CompletableFuture<>();
        parts.others.fleet().knock(new Message.Knock(1, line), answer::complete);
        Message.Reply reply = (Message.Reply) answer.orTimeout(2, TimeUnit.MINUTES).join();
        byte[] body = answers.apply(reply.json()).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("content-type", "application/json");
        exchange.sendResponseHeaders(reply.status(), body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    String address() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    /// With which a machine can enroll here.
    String code(String host) throws OperationException {
        return parts.others
                .fleet()
                .invite(new FleetApi.NewCode(host, address(), Optional.empty()))
                .code();
    }

    /// Nobody answers any more.
    void fallSilent() {
        server.stop(0);
    }

    @Override
    public void close() throws IOException {
        server.stop(0);
        threads.close();
        parts.close();
    }
}
