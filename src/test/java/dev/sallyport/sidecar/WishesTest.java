package dev.sallyport.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.carry.CarryRig;
import dev.sallyport.carry.CarryServer;
import dev.sallyport.channel.Message;
import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.FakeGateway;
import io.netty.channel.epoll.LinuxSocket;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A sidecar has no network: it wishes for connections to its gateway, and gets them.
class WishesTest {
    private static final Message WISH = new Message.LineWanted(CarryRig.SESSION);

    private final List<Message> told = new CopyOnWriteArrayList<>();
    private final List<String> halts = new CopyOnWriteArrayList<>();
    private final List<Boolean> sealed = new CopyOnWriteArrayList<>();
    private final CarryRig rig =
            new CarryRig(connection -> CarryServer.addTo(connection.pipeline(), (_, _) -> {}));

    @AfterEach
    void close() {
        rig.close();
    }

    private Sidecar sidecar() {
        Sidecar sidecar = new Sidecar(rig.loops, told::add, halts::add, sealed::add);
        sidecar.received(
                new Message.Configure(Limits.standard(), List.of(), Optional.empty()), List.of());
        sidecar.received(new Message.Carry(CarryRig.SESSION, false), List.of());
        return sidecar;
    }

    private void certify(Sidecar sidecar) throws Exception {
        Message.CertificateWanted wanted =
                told.stream()
                        .filter(Message.CertificateWanted.class::isInstance)
                        .map(Message.CertificateWanted.class::cast)
                        .findFirst()
                        .orElseThrow();
        PublicKey key =
                KeyFactory.getInstance("EC")
                        .generatePublic(
                                new X509EncodedKeySpec(Base64.getDecoder().decode(wanted.key())));
        sidecar.received(
                new Message.Certified(
                        CarryRig.SESSION,
                        wanted.key(),
                        rig.pki.certify(key, CarryRig.SESSION),
                        "gateway.test:1",
                        List.of(rig.pki.pem())),
                List.of());
    }

    private long wishes() {
        return told.stream().filter(WISH::equals).count();
    }

    private boolean saidThatItIsConnected() {
        return told.contains(new Message.CarriedBy(CarryRig.SESSION, "", false));
    }

    @Test
    void whatItWishesForIsWhatItCarriesOver() throws Exception {
        Sidecar sidecar = sidecar();
        assertThat(wishes()).as("without a certificate").isZero();
        certify(sidecar);
        Await.until("a wish", () -> wishes() == 1);
        assertThat(saidThatItIsConnected()).isFalse();

        sidecar.received(
                new Message.Line(CarryRig.SESSION, "", 0, 1),
                List.of(FakeGateway.client(rig.loops.next()).connect("127.0.0.1:" + rig.port())));

        Await.until("it is connected", this::saidThatItIsConnected);
        assertThat(rig.shown).hasSize(1);
        assertThat(wishes()).as("one is enough").isEqualTo(1);
        assertThat(halts).isEmpty();
    }

    @Test
    void troubleIsToldAndItWishesAgain() throws Exception {
        Sidecar sidecar = sidecar();
        certify(sidecar);
        Await.until("a wish", () -> wishes() == 1);

        sidecar.received(new Message.Line(CarryRig.SESSION, "no route", 0, 0), List.of());

        Await.until("the next wish", () -> wishes() == 2);
        assertThat(told)
                .anyMatch(
                        message ->
                                message instanceof Message.CarriedBy(String _, String why, _)
                                        && why.contains("no route"));
    }

    @Test
    void aConnectionThatNobodyWishedForIsClosed() throws Exception {
        Sidecar sidecar = sidecar();
        LinuxSocket socket = LinuxSocket.newSocketStream(false);

        sidecar.received(new Message.Line(CarryRig.SESSION, "", 0, 1), List.of(socket));

        assertThat(socket.isOpen()).isFalse();
        assertThat(saidThatItIsConnected()).isFalse();
    }

    /// Whoever may connect could also connect the gateway's connection to something else, so that
    /// only a sidecar with published ports may.
    @Test
    void itGivesConnectingUpUnlessPortsArePublishedAndThenAnotherOneDoesIt() throws Exception {
        Sidecar sidecar = sidecar();
        assertThat(sealed).containsExactly(false);
        sidecar.received(new Message.Ports(CarryRig.SESSION, 0, List.of(), List.of()), List.of());
        assertThat(halts).isEmpty();

        LinuxSocket listener = LinuxSocket.newSocketStream(false);
        sidecar.received(
                new Message.Ports(
                        CarryRig.SESSION,
                        0,
                        List.of(),
                        List.of(new Message.Inward("127.0.0.1", 8_080, 3_000))),
                List.of(listener));

        assertThat(halts).singleElement().asString().contains("does not connect");
        assertThat(told).doesNotContain(new Message.SocketsWanted(CarryRig.SESSION));
        listener.close();
    }
}
