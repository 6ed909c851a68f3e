package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.carry.Dialler;
import dev.sallyport.channel.ChannelClient;
import dev.sallyport.channel.ChannelServer;
import dev.sallyport.channel.GatewayListener;
import dev.sallyport.channel.Message;
import dev.sallyport.config.Ownership;
import dev.sallyport.control.Api;
import dev.sallyport.session.Asked;
import dev.sallyport.session.Session;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a process that says it is a sidecar gets before the warden has looked at it. This process
/// stands for it.
class SidecarsTest {
    private static final long PID = ProcessHandle.current().pid();

    @TempDir Path temporary;

    private final BlockingQueue<Object> told = new LinkedBlockingQueue<>();
    private final List<ChannelServer> servers = new ArrayList<>();
    private WardenParts parts;
    private ServerSocketChannel gateway;
    private Session session;

    @BeforeEach
    void open() throws Exception {
        parts = new WardenParts(temporary);
        gateway =
                ServerSocketChannel.open()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        gateway.configureBlocking(false);
        int port = ((InetSocketAddress) gateway.getLocalAddress()).getPort();
        new KnownGateways(parts.home.gateways(), Optional.empty())
                .keep("office", new KnownGateways.Stored("127.0.0.1:" + port, List.of(), "build1"));
        session = carried(parts.create("app", Api.LifeRequest.STANDARD), "office");
    }

    private static Session carried(Session made, String by) {
        return new Session(
                made.spec(),
                made.identity(),
                made.grants(),
                made.egress(),
                made.lifetime(),
                made.usage(),
                made.ephemeral(),
                made.state(),
                made.caps(),
                made.verified(),
                new Asked(List.of(), true, List.of(), List.of(), Optional.of(by)));
    }

    @AfterEach
    void close() throws IOException {
        servers.forEach(ChannelServer::close);
        gateway.close();
        parts.close();
    }

    private Sidecars.Hearing hearing(boolean cutOff) throws IOException {
        PortRecord record =
                new PortRecord(session.id(), parts.link, parts.ledger, System::nanoTime);
        Sidecars.Hearing hearing =
                parts.others.sidecars().new Hearing(session, parts.link, record, cutOff);
        ChannelServer server =
                ChannelServer.open(parts.loops.next(), directory(), OptionalInt.empty(), hearing);
        servers.add(server);
        hearing.stages().channel().complete(server);
        server.expect(PID, Ownership.ownUid());
        return hearing;
    }

    private Path directory() throws IOException {
        return Files.createDirectories(temporary.resolve("c"));
    }

    private ChannelClient sidecar() throws IOException {
        return ChannelClient.connect(parts.loops.next(), directory(), PID, new Told());
    }

    private Object next() throws InterruptedException {
        Object item = told.poll(60, TimeUnit.SECONDS);
        assertThat(item).isNotNull();
        return item;
    }

    private void assertIsCutOff() throws Exception {
        assertThat(next()).isEqualTo("ended");
        assertThat(told).isEmpty();
        assertThat(gateway.accept()).as("nothing is dialled").isNull();
    }

    @Test
    void oneThatWasLookedAtIsToldForWhomItIsAndGetsALine() throws Exception {
        Sidecars.Hearing hearing = hearing(false);
        ChannelClient sidecar = sidecar();
        assertThat(next()).isInstanceOf(Message.Configure.class);
        assertThat(told).as("not yet").isEmpty();

        hearing.admit(PID);
        assertThat(next()).isEqualTo(new Message.Carry(session.id().value(), false));
        sidecar.send(new Message.LineWanted(session.id().value()));

        assertThat(next())
                .isInstanceOfSatisfying(
                        Message.Line.class, line -> assertThat(line.trouble()).isEmpty());
    }

    @Test
    void oneThatAsksBeforeThatGetsNothing() throws Exception {
        for (Message early :
                List.of(
                        new Message.LineWanted(session.id().value()),
                        new Message.CertificateWanted(session.id().value(), "key", ""))) {
            hearing(false);
            ChannelClient sidecar = sidecar();
            assertThat(next()).isInstanceOf(Message.Configure.class);
            sidecar.send(early);
            assertIsCutOff();
        }
    }

    @Test
    void oneThatHasANetworkGetsNothing() throws Exception {
        Sidecars.Hearing hearing = hearing(true);
        ChannelClient sidecar = sidecar();
        assertThat(next()).isInstanceOf(Message.Configure.class);

        assertThatThrownBy(() -> hearing.admit(PID))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the host's network");
        sidecar.send(new Message.LineWanted(session.id().value()));

        assertIsCutOff();
    }

    @Test
    void oneThatIsMissingIsToldFromOneThatIsNotNeeded() throws Exception {
        Sidecars sidecars = parts.others.sidecars();
        assertThat(sidecars.pid(session)).contains(0L);
        assertThat(sidecars.pid(parts.sandboxes.show("app"))).isEmpty();
    }

    private final class Told implements GatewayListener {
        @Override
        public void received(Message message, List<FileDescriptor> descriptors) {
            descriptors.forEach(Dialler::discard);
            told.add(message);
        }

        @Override
        public void ended(String reason) {
            told.add("ended");
        }
    }
}
