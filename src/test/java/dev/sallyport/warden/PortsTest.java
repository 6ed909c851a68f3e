package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.channel.Message;
import dev.sallyport.control.Api;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Reach;
import dev.sallyport.porter.Listener;
import dev.sallyport.porter.Opening;
import dev.sallyport.session.PublishedPort;
import dev.sallyport.session.Session;
import io.netty.channel.epoll.LinuxSocket;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which sockets a sandbox gets. Those of the host are real; inside none is.
class PortsTest {
    private static final int INSIDE = 5_173;

    /// A host that a gateway, or the policy here, lists with ports of its own.
    private static final Message.Outward WIDE = new Message.Outward("0.0.0.0", INSIDE);

    private static final Message.Outward OTHER = new Message.Outward("0.0.0.0", 8_443);
    private static final String TROUBLE = "port 5173 is published";

    @TempDir Path temporary;

    private final List<Opening> opened = new ArrayList<>();
    private final List<OpenPorts> held = new ArrayList<>();
    private WardenParts parts;
    private Session session;
    private PublishedPort published;
    private Ports ports;

    @BeforeEach
    void open() throws Exception {
        parts = new WardenParts(temporary);
        session = parts.create("app", Api.LifeRequest.STANDARD);
        published = new PublishedPort(Optional.of("127.0.0.1"), free(), INSIDE);
        ports =
                new Ports(
                        (_, _, openings) -> {
                            opened.addAll(openings);
                            return openings.stream()
                                    .map(one -> new Listener(one, LinuxSocket.newSocketStream()))
                                    .toList();
                        });
    }

    @AfterEach
    void close() throws IOException {
        held.forEach(OpenPorts::close);
        parts.close();
    }

    private static int free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    private Session with(String host) throws Exception {
        EgressRule rule =
                new EgressRule(
                        HostPattern.parse(host),
                        new TreeSet<>(List.of(INSIDE, 8_443)),
                        Reach.PUBLIC,
                        Optional.empty(),
                        "test");
        return session.with(session.grants(), new Egress(List.of(rule), false));
    }

    private OpenPorts hold(OpenPorts made) {
        held.add(made);
        return made;
    }

    /// I16: else whoever connects to the host would speak to the gateway.
    @Test
    void i16AWildcardGetsNoSocketWhereAPublishedPortLeads() throws Exception {
        Session wide = with("*.x.example");
        Session both = wide.publishing(List.of(published));

        OpenPorts first = hold(ports.openAll(both));
        assertThat(first.outward()).containsOnlyKeys(OTHER);
        assertThat(first.inward()).hasSize(1);
        assertThat(first.troubles()).singleElement().asString().startsWith(TROUBLE);
        assertThat(opened).containsExactly(new Opening.Port("0.0.0.0", 8_443));

        OpenPorts settled = ports.settle(both, first);
        assertThat(settled.outward()).containsOnlyKeys(OTHER);
        assertThat(settled.troubles()).singleElement().asString().startsWith(TROUBLE);
        assertThat(opened).as("nothing more").hasSize(1);

        OpenPorts later = hold(ports.settle(wide, settled));
        assertThat(later.outward()).as("control").containsOnlyKeys(OTHER, WIDE);
        assertThat(later.troubles()).isEmpty();
    }

    /// I16: one that is there goes with the message that brings the published port.
    @Test
    void i16PublishingTakesTheSocketOfAWildcardAway() throws Exception {
        Session wide = with("*.x.example");
        OpenPorts before = hold(ports.openAll(wide));
        assertThat(before.outward()).as("control").containsOnlyKeys(OTHER, WIDE);

        OpenPorts after = hold(ports.publish(wide.publishing(List.of(published)), before));

        assertThat(after.outward()).containsOnlyKeys(OTHER);
        assertThat(after.inward()).hasSize(1);
        assertThat(after.troubles()).singleElement().asString().startsWith(TROUBLE);
        assertThat(before.without(after)).containsExactly(before.outward().get(WIDE));
    }

    /// As a gateway process that was taken over has it: a copy of the descriptor, which it keeps.
    @Test
    void aListenerThatIsRemovedLetsNobodyInWhoeverHoldsIt() throws Throwable {
        Session one = session.publishing(List.of(published));
        OpenPorts before = ports.openAll(one);
        FileDescriptor listener = before.inward().values().iterator().next();
        Socket kept = new Socket(copy(listener));
        try {
            parts.link.changePorts(one, before);
            connect();
            int accepted = kept.accept(new byte[26]);
            assertThat(accepted).as("control").isNotNegative();
            OpenPorts.close(new FileDescriptor(accepted));
            // What has connected and waits is not let in either.
            connect();

            parts.link.changePorts(session, ports.settle(session, before));

            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
            assertThatThrownBy(() -> kept.accept(new byte[26])).isInstanceOf(IOException.class);
            hold(ports.openAll(one));
            connect();
            assertThatThrownBy(() -> kept.accept(new byte[26]))
                    .as("published again")
                    .isInstanceOf(IOException.class);
        } finally {
            kept.close();
        }
    }

    private static int copy(FileDescriptor descriptor) throws Throwable {
        Linker linker = Linker.nativeLinker();
        return (int)
                linker.downcallHandle(
                                linker.defaultLookup().findOrThrow("dup"),
                                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT))
                        .invokeExact(descriptor.intValue());
    }

    private void connect() throws IOException {
        InetAddress here = InetAddress.ofLiteral("127.0.0.1");
        SocketChannel.open(new InetSocketAddress(here, published.hostPort())).close();
    }

    /// It has an address of its own, to which no published port leads.
    @Test
    void aHostByItsNameKeepsItsSocket() throws Exception {
        Session named = with("a.x.example").publishing(List.of(published));

        OpenPorts all = hold(ports.openAll(named));

        assertThat(all.outward().keySet())
                .extracting(Message.Outward::port)
                .containsExactlyInAnyOrder(INSIDE, 8_443);
        assertThat(all.outward().keySet())
                .allMatch(
                        place ->
                                place.address()
                                        .matches("127\\.(6[4-9]|[7-9]\\d|1[01]\\d|12[0-7])\\..*"));
        assertThat(all.troubles()).isEmpty();
    }
}
