package dev.sallyport.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.ConfigException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whose request this is, and that it counts once.
class HostsTest {
    private static final byte[] BODY = "{\"session\":\"x\"}".getBytes(StandardCharsets.UTF_8);
    private static final Duration APART = Hosts.CLOCKS_APART_MAX;

    @TempDir Path temporary;
    private Fleet fleet;
    private HostKey key;

    @BeforeEach
    void open() throws Exception {
        fleet = new Fleet(temporary.resolve("fleet"));
        key = fleet.enrolled(temporary.resolve("host"), "build-1");
    }

    private String signed() throws Exception {
        return signed(key, fleet.instant());
    }

    private String signed(HostKey by, Instant when) throws Exception {
        return SignedRequest.sign(by, fleet.audience(), "open", BODY, when);
    }

    private void requireRefused(FleetRefusal reason, String line) throws Exception {
        requireOnlyRefused(reason, line);
        // The host itself is served all the same.
        assertThat(fleet.hosts.verify(signed()).operation()).isEqualTo("open");
    }

    private void requireOnlyRefused(FleetRefusal reason, String line) {
        assertThatThrownBy(() -> fleet.hosts.verify(line))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Test
    void saysWhoAskedForWhat() throws Exception {
        fleet.pass(Duration.ofHours(3));
        Hosts.Verified verified = fleet.hosts.verify(signed());
        assertThat(verified.host()).isEqualTo(key.id());
        assertThat(verified.operation()).isEqualTo("open");
        assertThat(verified.body()).isEqualTo(BODY);
        assertThat(fleet.hosts.find(key.id()).orElseThrow().seen()).isEqualTo(fleet.instant());
        fleet.restart();
        assertThat(fleet.hosts.find(key.id()).orElseThrow().seen()).isEqualTo(fleet.instant());
    }

    @Test
    void aRequestCountsOnce() throws Exception {
        String line = signed();
        var _ = fleet.hosts.verify(line);
        requireRefused(FleetRefusal.REPLAYED, line);
        fleet.pass(APART);
        requireRefused(FleetRefusal.REPLAYED, line);
    }

    /// With a time that is as far ahead as it may be, it would still be young ten minutes later.
    @Test
    void aRequestCountsOnceOverARestart() throws Exception {
        String line = signed(key, fleet.instant().plus(APART));
        String inFlight = signed();
        var _ = fleet.hosts.verify(line);
        fleet.restart();
        requireOnlyRefused(FleetRefusal.REPLAYED, inFlight);
        requireOnlyRefused(FleetRefusal.REPLAYED, line);
        fleet.pass(APART);
        requireOnlyRefused(FleetRefusal.REPLAYED, line);
        fleet.pass(APART);
        requireOnlyRefused(FleetRefusal.REPLAYED, line);
        assertThat(fleet.hosts.verify(signed()).host()).isEqualTo(key.id());
    }

    /// The clock goes past the time for which nonces are remembered, and back.
    @Test
    void aRequestCountsOnceWhenTheClockJumps() throws Exception {
        String line = signed();
        var _ = fleet.hosts.verify(line);
        Duration jump = Nonces.KEPT.plusSeconds(1);
        fleet.pass(jump);
        var _ = fleet.hosts.verify(signed());
        fleet.pass(jump.negated().plusSeconds(1));
        requireRefused(FleetRefusal.REPLAYED, line);
    }

    @Test
    void i1_aRequestForAnotherGatewayIsRefused() throws Exception {
        Fleet other = new Fleet(temporary.resolve("other"));
        EnrolmentCode code =
                EnrolmentCode.parse(
                        other.hosts.invite("build-1", Fleet.ADDRESS, Duration.ofMinutes(10)));
        var _ = other.hosts.enrol(Enrolment.request(code, key));
        String line = SignedRequest.sign(key, other.audience(), "open", BODY, fleet.instant());
        requireRefused(FleetRefusal.OTHER_GATEWAY, line);
        assertThat(other.hosts.verify(line).host()).isEqualTo(key.id());
    }

    @Test
    void aRequestMayNameAnyAuthorityThatIsStillTrusted() throws Exception {
        String old = fleet.audience();
        fleet.authority.rotate();
        fleet.pass(FleetAuthority.OVERLAP.multipliedBy(2).minusSeconds(1));
        assertThat(
                        fleet.hosts
                                .verify(SignedRequest.sign(key, old, "open", BODY, fleet.instant()))
                                .host())
                .isEqualTo(key.id());
        fleet.pass(Duration.ofSeconds(1));
        requireRefused(
                FleetRefusal.OTHER_GATEWAY,
                SignedRequest.sign(key, old, "open", BODY, fleet.instant()));
    }

    @Test
    void aRequestIsGoodForFiveMinutesAroundItsTime() throws Exception {
        Instant now = fleet.instant();
        for (Instant good : List.of(now.minus(APART), now.plus(APART))) {
            assertThat(fleet.hosts.verify(signed(key, good)).host()).isEqualTo(key.id());
        }
        for (Instant bad :
                List.of(now.minus(APART).minusMillis(1), now.plus(APART).plusMillis(1))) {
            requireRefused(FleetRefusal.NOT_NOW, signed(key, bad));
        }
    }

    @Test
    void i1_nobodySignsForAnotherHost() throws Exception {
        HostKey stranger = HostKey.create(temporary.resolve("x"), Optional.empty(), "main");
        requireRefused(FleetRefusal.UNKNOWN_HOST, signed(stranger, fleet.instant()));
        HostKey second = fleet.enrolled(temporary.resolve("second"), "build-2");
        String line = signed(second, fleet.instant());
        requireRefused(
                FleetRefusal.BAD_SIGNATURE, line.replace(second.id().value(), key.id().value()));
        assertThat(fleet.hosts.verify(line).host()).isEqualTo(second.id());
    }

    @Test
    void nothingOfARequestCanBeChanged() throws Exception {
        String line = signed();
        String[] parts = line.split("\\.", -1);
        List<String> others =
                List.of(
                        "sallyport-request-1",
                        "0".repeat(64),
                        key.id().value(),
                        "close",
                        Long.toString(fleet.instant().toEpochMilli() + 1),
                        "0".repeat(32),
                        "e30",
                        "A".repeat(86));
        for (int i = 0; i < parts.length; i++) {
            String[] changed = parts.clone();
            changed[i] = others.get(i);
            String forged = String.join(".", changed);
            if (!forged.equals(line)) {
                requireRefused(FleetRefusal.BAD_SIGNATURE, forged);
                assertThat(SignedRequest.looksSigned(forged, fleet.hosts.publicKeys())).isFalse();
            }
        }
        for (String form :
                List.of(
                        "",
                        line + "\n",
                        line + ".",
                        "x" + line,
                        line.replace("-1.", "-2."),
                        line + "A".repeat(SignedRequest.CHARS_MAX))) {
            requireRefused(FleetRefusal.MALFORMED, form);
        }
        assertThat(fleet.hosts.verify(line).body()).isEqualTo(BODY);
    }

    @Test
    void aRequestThatIsTooLongIsNotSigned() throws Exception {
        byte[] large = new byte[48_000];
        String line = SignedRequest.sign(key, fleet.audience(), "open", large, fleet.instant());
        assertThat(fleet.hosts.verify(line).body()).isEqualTo(large);
        assertThatThrownBy(
                        () ->
                                SignedRequest.sign(
                                        key,
                                        fleet.audience(),
                                        "open",
                                        new byte[64 * 1024],
                                        fleet.instant()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () ->
                                SignedRequest.sign(
                                        key, fleet.audience(), "o.p", BODY, fleet.instant()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void strangersAreToldFromHostsWithPublicKeysAlone() throws Exception {
        HostKey stranger = HostKey.create(temporary.resolve("x"), Optional.empty(), "main");
        List<byte[]> keys = fleet.hosts.publicKeys();
        assertThat(SignedRequest.looksSigned(signed(), keys)).isTrue();
        assertThat(SignedRequest.looksSigned(signed(stranger, fleet.instant()), keys)).isFalse();
        assertThat(SignedRequest.looksSigned(signed(), List.of())).isFalse();
        assertThat(SignedRequest.looksSigned("nothing", keys)).isFalse();
        EnrolmentCode code =
                EnrolmentCode.parse(
                        fleet.hosts.invite("build-2", Fleet.ADDRESS, Duration.ofMinutes(10)));
        assertThat(Enrolment.codeId(Enrolment.request(code, stranger))).contains(code.id());
        assertThat(Enrolment.codeId(signed())).isEmpty();
    }

    @Test
    void aHostThatWasRemovedIsAStranger() throws Exception {
        HostKey second = fleet.enrolled(temporary.resolve("second"), "build-2");
        String line = signed(second, fleet.instant());
        assertThat(fleet.hosts.remove(second.id(), fleet.badges)).isTrue();
        assertThat(fleet.hosts.remove(second.id(), fleet.badges)).isFalse();
        requireRefused(FleetRefusal.UNKNOWN_HOST, line);
        fleet.restart();
        requireOnlyRefused(FleetRefusal.UNKNOWN_HOST, line);
        assertThat(fleet.hosts.list()).extracting(Hosts.Enrolled::name).containsExactly("build-1");
    }

    @Test
    void oneHostCannotFillTheMemoryOfRequests() throws Exception {
        HostKey second = fleet.enrolled(temporary.resolve("second"), "build-2");
        Nonces nonces = new Nonces();
        for (int i = 0; i < Nonces.HOST_MAX; i++) {
            nonces.add(parts(key, "%032x".formatted(i)), fleet.instant());
        }
        assertThatThrownBy(() -> nonces.add(parts(key, "f".repeat(32)), fleet.instant()))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        e -> assertThat(e.reason()).isEqualTo(FleetRefusal.TOO_MANY));
        nonces.add(parts(second, "f".repeat(32)), fleet.instant());
        fleet.pass(Nonces.KEPT.plusSeconds(1));
        nonces.add(parts(key, "f".repeat(32)), fleet.instant());
    }

    private SignedRequest.Parts parts(HostKey host, String nonce) {
        return new SignedRequest.Parts(
                "",
                host.id(),
                "open",
                fleet.instant(),
                nonce,
                "",
                new SignedRequest.Signed("", ""));
    }

    @Test
    void aFileOfAHostThatIsNotAsItWasWrittenIsRefused() throws Exception {
        Path file = temporary.resolve("fleet/hosts/" + key.id().value() + ".json");
        String whole = Files.readString(file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
        assertThatThrownBy(() -> fleet.restart())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("is open to others");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        HostKey other = HostKey.create(temporary.resolve("x"), Optional.empty(), "main");
        String theirs = HexFormat.of().formatHex(other.publicKey());
        String own = HexFormat.of().formatHex(key.publicKey());
        for (String damaged :
                List.of("{}", whole.replace(own, theirs), whole.replace("build-1", "/"))) {
            Files.writeString(file, damaged);
            assertThatThrownBy(() -> fleet.restart()).isInstanceOf(ConfigException.class);
        }
        Files.writeString(file, whole);
        fleet.restart();
        fleet.pass(Duration.ofSeconds(1));
        assertThat(fleet.hosts.verify(signed()).host()).isEqualTo(key.id());
    }
}
