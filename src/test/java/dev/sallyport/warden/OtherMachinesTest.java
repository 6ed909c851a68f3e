package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.GitSettings;
import dev.sallyport.control.Api;
import dev.sallyport.control.FleetApi;
import dev.sallyport.control.HostApi;
import dev.sallyport.session.PublishedPort;
import dev.sallyport.session.Session;
import dev.sallyport.warden.FleetOperations.GatewayLook;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two wardens, one of which is a gateway for the other.
class OtherMachinesTest {
    @TempDir Path temporary;

    private WardenParts here;
    private FarGateway far;

    @BeforeEach
    void open() throws Exception {
        here = new WardenParts(Files.createDirectory(temporary.resolve("here")));
        far = new FarGateway(temporary.resolve("far"));
    }

    @AfterEach
    void close() throws IOException {
        far.close();
        here.close();
    }

    private FleetApi.Gateway enrol(String code, String gateway) throws OperationException {
        return here.others.gateways().enrol(new FleetApi.Enrol(code, Optional.of(gateway)));
    }

    private Fleet there() {
        return far.parts.others.fleet();
    }

    private String recordedThere() throws IOException {
        return Files.readString(far.parts.home.auditLog());
    }

    @Test
    void aCodeThatWasTakenBackEnrollsNobody() throws Exception {
        String code = far.code("box");
        FleetApi.OpenCode open = there().view().codes().getFirst();
        assertThat(open.host()).isEqualTo("box");

        there().withdraw(open.id());

        assertThat(there().view().codes()).isEmpty();
        assertThat(recordedThere()).contains("fleet.withdraw", open.id());
        assertThatThrownBy(() -> enrol(code, "gateway"))
                .isInstanceOf(OperationException.class)
                .hasMessageContaining("taken back");
        assertThat(there().view().hosts()).isEmpty();
        assertThat(recordedThere()).doesNotContain("fleet.enrolled");

        enrol(far.code("box"), "gateway");
        assertThat(there().view().hosts())
                .as("control")
                .extracting(FleetApi.Host::name)
                .containsExactly("box");
    }

    @Test
    void aCodeThatWasUsedIsNotTakenBack() throws Exception {
        String code = far.code("box");
        String id = there().view().codes().getFirst().id();
        enrol(code, "gateway");

        assertThatThrownBy(() -> there().withdraw(id))
                .isInstanceOfSatisfying(
                        OperationException.class,
                        e ->
                                assertThat(e.status())
                                        .isEqualTo(OperationException.Fault.NOT_FOUND.status()));

        assertThat(recordedThere()).doesNotContain("fleet.withdraw");
        assertThat(there().view().hosts()).hasSize(1);
    }

    @Test
    void aGatewayThatIsLookedAtSaysItsVersionAndItsTime() throws Exception {
        enrol(far.code("box"), "office");

        FleetApi.GatewayState ahead = look(Instant.now().minus(Duration.ofMinutes(2)));
        assertThat(ahead.version()).isEqualTo(Warden.version());
        assertThat(ahead.aheadMillis()).isGreaterThanOrEqualTo(120_000);
        assertThat(look(Instant.now().plus(Duration.ofDays(1))).aheadMillis()).isNegative();

        far.fallSilent();
        assertThatThrownBy(() -> look(Instant.now()))
                .isInstanceOf(OperationException.class)
                .hasMessageContaining("does not answer");
    }

    private Api.CreateSandbox publishing(String name, String... ports) throws IOException {
        Api.CreateSandbox usual = here.request(name, false, Api.LifeRequest.STANDARD);
        return new Api.CreateSandbox(
                usual.name(),
                usual.runtime(),
                usual.image(),
                usual.workspace(),
                List.of(),
                reach(ports),
                usual.git(),
                usual.ephemeral(),
                usual.life(),
                usual.mounts(),
                usual.resources(),
                usual.hardening(),
                usual.home(),
                Optional.of("office"));
    }

    private static Api.ReachRequest reach(String... ports) {
        return new Api.ReachRequest(
                List.of(), List.of(), true, false, List.of(), List.of(), List.of(ports));
    }

    /// They are those of the machine that the sandbox is on.
    @Test
    void i16AGatewayIsToldOfNoPublishedPortAndPublishesNone() throws Exception {
        Thread.ofVirtual().start(far.parts::gatewayAnswers);
        enrol(far.code("box"), "office");

        Session planned = here.plans.plan(publishing("web", "8080:3000"));

        assertThat(planned.published()).extracting(PublishedPort::hostPort).containsExactly(8_080);
        Session there = far.parts.sandboxes.show("box.web");
        assertThat(there.id()).isEqualTo(planned.id());
        assertThat(there.published()).isEmpty();
        assertThat(recordedThere()).contains("box.web").doesNotContain("8080");

        HostApi.Open named =
                new HostApi.Open(
                        "other",
                        List.of(),
                        reach("8080:3000"),
                        GitSettings.STANDARD,
                        Api.LifeRequest.STANDARD);
        assertThatThrownBy(() -> far.parts.plans.planRemote("box", named))
                .isInstanceOf(OperationException.class)
                .hasMessageContaining("publishes no ports");
        assertThatThrownBy(() -> OtherMachines.requireHere(there))
                .isInstanceOf(OperationException.class)
                .hasMessageContaining("box");
        OtherMachines.requireHere(planned);
    }

    @Test
    void aPortThatCannotBePublishedIsRefusedBeforeTheGatewayIsAsked() throws Exception {
        Thread.ofVirtual().start(far.parts::gatewayAnswers);
        enrol(far.code("box"), "office");

        assertThatThrownBy(() -> here.plans.plan(publishing("web", "8080:443")))
                .isInstanceOf(OperationException.class)
                .hasMessageContaining("the gateway's own");

        assertThat(far.parts.store.contents().sessions()).isEmpty();
        here.plans.plan(publishing("web", "8080:3000"));
        assertThat(far.parts.store.contents().sessions()).as("control").hasSize(1);
    }

    private FleetApi.GatewayState look(Instant now) throws OperationException {
        return new GatewayLook(here.others.gateways(), InstantSource.fixed(now)).at("office");
    }
}
