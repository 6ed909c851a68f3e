package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.FleetApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
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

    private FleetApi.GatewayState look(Instant now) throws OperationException {
        return new GatewayLook(here.others.gateways(), InstantSource.fixed(now)).at("office");
    }
}
