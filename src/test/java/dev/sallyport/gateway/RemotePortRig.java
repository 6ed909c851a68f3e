package dev.sallyport.gateway;

import dev.sallyport.carry.CarryClient;
import dev.sallyport.carry.CarryRig;
import dev.sallyport.carry.CarryTls;
import dev.sallyport.channel.Message;
import dev.sallyport.credential.CertifiedKey;
import dev.sallyport.fleet.FleetAuthority;
import dev.sallyport.fleet.FleetStore;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.policy.SessionId;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.LinuxSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedKeyManager;

/// A real gateway with its public port on loopback, certificates of a real authority, and the test
/// in the place of the warden.
final class RemotePortRig implements AutoCloseable {
    /// How a client of HTTP/2 begins: with its settings.
    static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";

    /// Every request that reached a door, with its session.
    final List<String> reached = new CopyOnWriteArrayList<>();

    final GatewayInProcess gateway =
            new GatewayInProcess(
                    GatewayTest.limits(),
                    (session, head, responder) -> {
                        reached.add(session.id() + " " + head.path());
                        responder.start(204, Map.of(), OptionalLong.empty());
                        responder.end();
                        return new IgnoredBody();
                    });

    final FleetAuthority authority;
    private final Path directory;
    private final CarryRig otherMachine = new CarryRig(_ -> {});
    private int port;

    /// Whether the warden takes pods.
    boolean pods;

    RemotePortRig(Path directory) throws IOException {
        this.directory = directory;
        authority =
                FleetAuthority.open(FleetStore.files(directory, Optional.empty()), Instant::now);
    }

    EventLoopGroup loops() {
        return otherMachine.loops;
    }

    int port() {
        return port;
    }

    /// What the warden tells of the port. The gateway wipes its copy of the key.
    Message.PublicPort terms(List<byte[]> hostKeys, List<String> codes) throws IOException {
        CertifiedKey server =
                FleetAuthority.open(FleetStore.files(directory, Optional.empty()), Instant::now)
                        .server();
        return new Message.PublicPort(
                server.certificatePem(),
                server.key(),
                authority.authorityPems(),
                hostKeys.stream().map(Base64.getEncoder()::encodeToString).toList(),
                codes,
                pods,
                0,
                0);
    }

    void open(List<byte[]> hostKeys, List<String> codes) throws IOException {
        LinuxSocket socket = LinuxSocket.newSocketStream(false);
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        socket.listen(1_024);
        port = socket.localAddress().getPort();
        gateway.receive(terms(hostKeys, codes), socket);
    }

    void open() throws IOException {
        open(List.of(), List.of());
    }

    /// A certificate and its key.
    record Pass(String pem, KeyPair keys) {
        Message.Badge badge(Duration left) {
            try {
                return new Message.Badge(
                        FleetAuthority.audience(CertifiedKey.parse(pem)),
                        Instant.now().plus(left).toString());
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    Pass pass(String session) throws Exception {
        return pass(authority, session, Instant.now().plusSeconds(3_000));
    }

    static Pass pass(FleetAuthority by, String session, Instant until) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair keys = generator.generateKeyPair();
        return new Pass(
                by.certify(new SessionId(session), keys.getPublic().getEncoded(), until), keys);
    }

    /// The warden says which certificates a session is known by.
    void know(String session, Pass... passes) {
        know(session, Duration.ofHours(1), passes);
    }

    void know(String session, Duration left, Pass... passes) {
        gateway.receive(
                new Message.Badges(
                        session, Arrays.stream(passes).map(pass -> pass.badge(left)).toList()));
    }

    /// Shows a certificate even where a decent client would not, because nobody asked for one of
    /// its authority.
    static final class Shown extends X509ExtendedKeyManager {
        private final Pass pass;

        Shown(Pass pass) {
            this.pass = pass;
        }

        @Override
        public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            return "shown";
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            try {
                return new X509Certificate[] {CertifiedKey.parse(pass.pem())};
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return pass.keys().getPrivate();
        }

        @Override
        public String[] getClientAliases(String type, Principal[] issuers) {
            return new String[] {"shown"};
        }

        @Override
        public String[] getServerAliases(String type, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            throw new AssertionError("a client");
        }
    }

    /// The first byte that the port answers to a client of HTTP/2 that shows this certificate, or
    /// -1.
    int firstByte(Pass pass) throws Exception {
        TlsProbe probe =
                new TlsProbe(authority.authorityPems().getLast(), "TLSv1.3", new Shown(pass));
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
        plain.setSoTimeout(60_000);
        try (SSLSocket tls = probe.secured(plain, "gateway.sallyport", "h2")) {
            tls.getOutputStream().write(PREFACE.getBytes(StandardCharsets.US_ASCII));
            return tls.getInputStream().read();
        } catch (SSLException | SocketException _) {
            return -1;
        }
    }

    /// The sockets of a sandbox on another machine, which are carried with this certificate.
    Carried carry(Pass pass) throws IOException {
        return new Carried(pass);
    }

    /// One sandbox of the other machine.
    final class Carried implements CarryClient.Events, AutoCloseable {
        private final List<String> events = new CopyOnWriteArrayList<>();
        private final CarryClient client;
        private final int front;

        Carried(Pass pass) throws IOException {
            client = new CarryClient(otherMachine.loops, otherMachine.dialler(port), this);
            front = otherMachine.socket(client, CarryRig.at("127.0.0.1", 80));
            client.use(
                    CarryTls.client(
                            pass.pem(), pass.keys().getPrivate(), authority.authorityPems()));
        }

        /// Where its programs find the front door.
        int front() {
            return front;
        }

        long heard(String kind) {
            return events.stream().filter(event -> event.startsWith(kind)).count();
        }

        @Override
        public void connected() {
            events.add("connected");
        }

        @Override
        public void refused(String why) {
            events.add("refused: " + why);
        }

        @Override
        public void lost(String why) {
            events.add("lost: " + why);
        }

        @Override
        public void close() {
            client.close();
        }
    }

    @Override
    public void close() {
        otherMachine.close();
        try {
            gateway.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
