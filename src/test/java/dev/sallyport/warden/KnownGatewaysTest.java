package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.FakeGateway;
import dev.sallyport.fleet.FleetAuthority;
import dev.sallyport.fleet.SignedAddresses;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which addresses of gateways a host keeps.
class KnownGatewaysTest {
    private static final String CODE = "gw.example.com:8443";
    private static final String ONE = "gw1.example.com:8443";
    private static final String TWO = "gw2.example.com:8443";

    private @TempDir Path temporary;
    private FleetAuthority authority;
    private KnownGateways known;

    @BeforeEach
    void start() throws IOException {
        authority = FakeGateway.authority(temporary.resolve("own"), Duration.ZERO);
        known = new KnownGateways(temporary.resolve("gateways"), Optional.empty());
        known.keep("gateway", new KnownGateways.Stored(CODE, authority.authorityPems(), "build1"));
    }

    private void learn(String line) throws OperationException {
        assertThat(known.learn("gateway", List.of(), line)).hasSize(1);
    }

    private String signed(String... addresses) throws IOException {
        return authority.signed(SignedAddresses.Use.GATEWAYS, List.of(addresses));
    }

    @Test
    void keepsWhatTheWardenOfTheGatewayHasSigned() throws Exception {
        learn(signed(ONE, TWO));
        assertThat(known.addresses("gateway")).containsExactly(ONE, TWO, CODE);
        learn(signed(TWO));
        assertThat(known.addresses("gateway")).containsExactly(TWO, CODE);
        learn(signed());
        assertThat(known.addresses("gateway")).containsExactly(CODE);
    }

    @Test
    void keepsWhatItHasWhenTheWardenHasNotSignedTheListJustNow() throws Exception {
        learn(signed(ONE));
        for (String lie :
                FakeGateway.lies(
                        SignedAddresses.Use.GATEWAYS,
                        List.of("evil.example.net:443", ONE),
                        temporary.resolve("own"),
                        temporary.resolve("other"))) {
            learn(lie);
            assertThat(known.addresses("gateway")).as(lie).containsExactly(ONE, CODE);
        }
        learn("");
        assertThat(known.addresses("gateway")).containsExactly(ONE, CODE);
    }
}
