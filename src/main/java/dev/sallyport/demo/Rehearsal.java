package dev.sallyport.demo;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.channel.ChannelServer;
import dev.sallyport.channel.ListenerKind;
import dev.sallyport.channel.Message;
import dev.sallyport.channel.RecordOutcome;
import dev.sallyport.channel.WardenListener;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.Limits;
import dev.sallyport.credential.Authority;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.SessionId;
import dev.sallyport.porter.NetInterface;
import dev.sallyport.session.NameTable;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Everything around a gateway, on loopback: for one whose JVM notes which classes it needs and how
/// often their code runs (JEP 514, 515). This is the warden; [RehearsalGuest] is the sandbox,
/// [RehearsalHost] the internet.
public final class Rehearsal implements AutoCloseable {
    /// More did not make the first requests of a gateway faster.
    private static final int GUESTS = 3;

    private static final Duration PLAY_MAX = Duration.ofSeconds(20);
    private static final Duration CERTIFIED = Duration.ofHours(1);
    private static final int SECONDS_MAX = 30;
    private static final HostName HOST = new HostName("host.example");
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
    private static final int BACKLOG = 64;

    private final EventLoopGroup loop;
    private final Path directory;
    private final Warden warden;
    private final ChannelServer channel;

    private Rehearsal(EventLoopGroup loop, Path directory) throws IOException {
        this.loop = loop;
        this.directory = directory;
        this.warden = new Warden(new LinkedBlockingQueue<>(), new CountDownLatch(1));
        this.channel = ChannelServer.open(loop.next(), directory, OptionalInt.empty(), warden);
    }

    /// Starts a gateway, plays, and returns when the gateway has ended. If something fails, the
    /// gateway has noted less.
    ///
    /// @param directory of ours alone, for the sockets
    /// @param gateway its command line
    public static void run(Path directory, List<String> gateway)
            throws IOException, InterruptedException {
        Process process;
        try (Rehearsal rehearsal = open(directory)) {
            process = new ProcessBuilder(gateway).inheritIO().start();
            try {
                var _ = rehearsal.play(process.pid(), guests(), PLAY_MAX);
            } catch (IOException | GeneralSecurityException _) {
                // Then it has noted less.
            }
        }
        process.waitFor();
    }

    /// Sandboxes ask only in a network namespace of our own, where loopback was down: on the
    /// machine's, others could ask a gateway that nothing confines.
    static int guests() throws IOException {
        if (NetInterface.isUp(NetInterface.LOOPBACK)) {
            return 0;
        }
        NetInterface.bringUp(NetInterface.LOOPBACK);
        return GUESTS;
    }

    /// A gateway can connect from now on.
    ///
    /// @param directory of ours alone, for the sockets
    static Rehearsal open(Path directory) throws IOException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try {
            return new Rehearsal(loop, directory);
        } catch (IOException e) {
            var _ = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            throw e;
        }
    }

    /// Returns when the requests are answered. Throws when that takes too long.
    ///
    /// @param gateway the process that connects
    /// @param guests how many sandboxes ask, one after the other
    /// @return how many requests the host has answered
    int play(long gateway, int guests, Duration max)
            throws IOException, GeneralSecurityException, InterruptedException {
        channel.expect(gateway, (int) Files.getAttribute(directory, "unix:uid"));
        if (!warden.isConnected().await(SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new IOException("the gateway does not connect");
        }
        channel.send(new Message.Configure(Limits.standard(), List.of(), Optional.empty()));
        warden.await(new Message.Ready());
        if (guests == 0) {
            return 0;
        }
        // The gateway then ends, and nobody is answered any more.
        var _ = loop.schedule(channel::close, max.toMillis(), TimeUnit.MILLISECONDS);
        CertificateAuthority trusted = CertificateAuthority.create();
        try (RehearsalHost host = new RehearsalHost(loop, trusted, HOST.value())) {
            EgressText rule = rule(host.dial(), trusted.pem());
            for (int i = 0; i < guests; i++) {
                SessionId session = new SessionId("00000000000000a" + i);
                attach(session, rule).ask();
                channel.send(new Message.Detach(session.value()));
            }
            return host.answered();
        }
    }

    /// As presets of registries have it.
    private static EgressText rule(String dial, String caPem) {
        EgressText.InspectionText requests =
                new EgressText.InspectionText(
                        Optional.of(List.of("GET", "HEAD")),
                        Optional.of(List.of("/**/@v/list", "/**/@v/*.info", "/**/@v/*.zip")),
                        List.of(),
                        Optional.empty(),
                        List.of(),
                        List.of(),
                        List.of(),
                        false,
                        List.of(),
                        Optional.empty(),
                        false);
        return new EgressText(
                HOST.value(),
                List.of(443),
                false,
                Optional.of(dial),
                Optional.of(caPem),
                Optional.of(requests),
                "rehearsal");
    }

    private RehearsalGuest attach(SessionId session, EgressText rule)
            throws IOException, InterruptedException {
        Authority authority =
                Authority.create(session, List.of(HOST), Instant.now().plus(CERTIFIED));
        LinuxSocket secure = listening(addressOf(session, rule));
        LinuxSocket proxy = listening(LOOPBACK);
        LinuxSocket dns = LinuxSocket.newSocketDgram(false);
        dns.bind(new InetSocketAddress(LOOPBACK, 0));
        RehearsalGuest guest =
                new RehearsalGuest(
                        HOST.value(),
                        authority.certificatePem(),
                        secure.localAddress(),
                        proxy.localAddress(),
                        dns.localAddress().getPort());
        List<FileDescriptor> sockets = List.of(secure, proxy, dns);
        channel.attach(
                new Message.Attach(
                        session.value(),
                        "rehearsal",
                        new Message.Rights(List.of(), List.of(rule), false, GitSettings.STANDARD),
                        List.of(),
                        List.of(),
                        Optional.of(
                                new Message.Authority(authority.certificatePem(), authority.key())),
                        new Message.Spent(0, 0, 0),
                        0,
                        List.of(ListenerKind.HTTPS, ListenerKind.PROXY, ListenerKind.DNS_UDP),
                        List.of()),
                sockets);
        channel.release(sockets);
        warden.await(new Message.Attached(session.value()));
        return guest;
    }

    /// Only there: a gateway takes connections to all addresses of a sandbox, and here that would
    /// be all of the machine.
    private static InetAddress addressOf(SessionId session, EgressText rule) throws IOException {
        try {
            Egress egress = new Egress(List.of(rule.toRule()), false);
            int address =
                    new NameTable(1)
                            .addressOf(HOST, new Policy(session, List.of(), egress))
                            .orElseThrow();
            return InetAddress.getByAddress(ByteBuffer.allocate(4).putInt(address).array());
        } catch (MalformedNameException e) {
            throw new IOException(e);
        }
    }

    private static LinuxSocket listening(InetAddress address) throws IOException {
        LinuxSocket socket = LinuxSocket.newSocketStream(false);
        socket.bind(new InetSocketAddress(address, 0));
        socket.listen(BACKLOG);
        return socket;
    }

    /// The gateway then ends.
    @Override
    public void close() {
        channel.close();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /// Believes that everything is recorded.
    private record Warden(BlockingQueue<Message> heard, CountDownLatch isConnected)
            implements WardenListener {
        void await(Message expected) throws IOException, InterruptedException {
            for (Message next = null; !expected.equals(next); ) {
                next = heard.poll(SECONDS_MAX, TimeUnit.SECONDS);
                if (next == null) {
                    throw new IOException("the gateway does not say " + expected);
                }
            }
        }

        @Override
        public void connected() {
            isConnected.countDown();
        }

        @Override
        public void received(Message message) {
            heard.add(message);
        }

        @Override
        public List<RecordOutcome> record(List<AuditEvent> batch) {
            return Collections.nCopies(batch.size(), RecordOutcome.RECORDED);
        }

        @Override
        public void ended(String reason) {}
    }
}
