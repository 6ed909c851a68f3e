package dev.sallyport.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.AgeKey;
import dev.sallyport.config.ConfigException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How a host becomes one of a gateway's machine, and how somebody else does not.
class EnrolmentTest {
    private static final Duration VALID = Duration.ofMinutes(10);

    @TempDir Path temporary;
    private Path directory = Path.of("unset");
    private Fleet fleet;
    private HostKey key;

    @BeforeEach
    void open() throws Exception {
        directory = temporary.resolve("fleet");
        fleet = new Fleet(directory);
        key = HostKey.create(temporary.resolve("host"), Optional.empty(), "main");
    }

    private EnrolmentCode invite(String name) throws Exception {
        return EnrolmentCode.parse(fleet.hosts.invite(name, Fleet.ADDRESS, VALID));
    }

    private void requireRefused(FleetRefusal reason, String line) {
        List<Hosts.Enrolled> before = fleet.hosts.list();
        assertThatThrownBy(() -> fleet.hosts.enrol(line))
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
        assertThat(fleet.hosts.list()).isEqualTo(before);
    }

    @Test
    void aCodeSaysWhereTheGatewayIsAndHowToKnowIt() throws Exception {
        fleet.authority.rotate();
        for (String address : List.of(Fleet.ADDRESS, "192.0.2.7:443", "[2001:db8::1]:8443")) {
            String text = fleet.hosts.invite("build-1", address, VALID);
            assertThat(text).startsWith("sp1-").matches("[A-Za-z0-9_-]+");
            EnrolmentCode code = EnrolmentCode.parse(text);
            assertThat(code.address()).isEqualTo(address);
            assertThat(code.hostName()).isEqualTo("build-1");
            assertThat(code.authorityPems()).isEqualTo(fleet.authority.authorityPems());
            assertThat(code.audience()).isEqualTo(fleet.audience());
            assertThat(code.expires()).isEqualTo(fleet.instant().plus(VALID));
            assertThat(code.toString()).contains("Secret[redacted]");
        }
    }

    @Test
    void enrolsTheHostUnderTheNameOfItsCode() throws Exception {
        EnrolmentCode code = invite("build-1");
        Hosts.Enrolled enrolled = fleet.hosts.enrol(Enrolment.request(code, key));
        assertThat(enrolled.id()).isEqualTo(key.id());
        assertThat(enrolled.name()).isEqualTo("build-1");
        assertThat(fleet.hosts.publicKeys()).containsExactly(key.publicKey());
        assertThat(fleet.hosts.invitations()).isEmpty();
        fleet.restart();
        assertThat(fleet.hosts.list()).containsExactly(enrolled);
    }

    @Test
    void aCodeIsGoodOnce() throws Exception {
        String line = Enrolment.request(invite("build-1"), key);
        var _ = fleet.hosts.enrol(line);
        requireRefused(FleetRefusal.UNKNOWN_CODE, line);
        fleet.hosts.remove(key.id(), fleet.badges);
        requireRefused(FleetRefusal.UNKNOWN_CODE, line);
        fleet.restart();
        requireRefused(FleetRefusal.UNKNOWN_CODE, line);
        assertThat(fleet.hosts.list()).isEmpty();
    }

    @Test
    void aWrongCodeIsRefusedAndGoneAfterFiveAttempts() throws Exception {
        EnrolmentCode code = invite("build-1");
        EnrolmentCode guessed =
                new EnrolmentCode(
                        code.hostName(),
                        code.address(),
                        code.expires(),
                        code.id(),
                        EnrolmentCode.secret(new byte[EnrolmentCode.SECRET_BYTES]),
                        code.authorities());
        for (int i = 0; i < EnrolmentCodes.WRONG_MAX - 1; i++) {
            requireRefused(FleetRefusal.WRONG_CODE, Enrolment.request(guessed, key));
            fleet.restart();
        }
        EnrolmentCode other = invite("build-2");
        assertThat(fleet.hosts.enrol(Enrolment.request(other, key)).name()).isEqualTo("build-2");
        fleet.hosts.remove(key.id(), fleet.badges);
        requireRefused(FleetRefusal.WRONG_CODE, Enrolment.request(guessed, key));
        requireRefused(FleetRefusal.UNKNOWN_CODE, Enrolment.request(code, key));
    }

    /// Nobody on the way can put another key into what the host sent, or use it elsewhere.
    @Test
    void nothingOfARequestCanBeChanged() throws Exception {
        EnrolmentCode code = invite("build-1");
        HostKey thief = HostKey.create(temporary.resolve("thief"), Optional.empty(), "main");
        String line = Enrolment.request(code, key);
        String own = HexFormat.of().formatHex(key.publicKey());
        String theirs = HexFormat.of().formatHex(thief.publicKey());
        requireRefused(FleetRefusal.WRONG_CODE, line.replace(own, theirs));
        requireRefused(FleetRefusal.UNKNOWN_CODE, line.replace(code.id(), "0123456789abcdef"));
        EnrolmentCode renamed =
                new EnrolmentCode(
                        "build-2",
                        code.address(),
                        code.expires(),
                        code.id(),
                        code.secret(),
                        code.authorities());
        requireRefused(FleetRefusal.WRONG_CODE, Enrolment.request(renamed, key));
        for (String form :
                List.of("", line + "\n", line + "0", " " + line, line.toUpperCase(Locale.ROOT))) {
            requireRefused(FleetRefusal.MALFORMED, form);
        }
        assertThat(fleet.hosts.enrol(line).id()).isEqualTo(key.id());
    }

    @Test
    void i1_aCodeOfAnotherGatewayIsRefused() throws Exception {
        Fleet other = new Fleet(temporary.resolve("other"));
        EnrolmentCode foreign =
                EnrolmentCode.parse(other.hosts.invite("build-1", Fleet.ADDRESS, VALID));
        requireRefused(FleetRefusal.OTHER_GATEWAY, Enrolment.request(foreign, key));
        // The same with the right audience: the code itself is unknown here.
        EnrolmentCode own = invite("build-1");
        EnrolmentCode mixed =
                new EnrolmentCode(
                        foreign.hostName(),
                        foreign.address(),
                        foreign.expires(),
                        foreign.id(),
                        foreign.secret(),
                        own.authorities());
        requireRefused(FleetRefusal.UNKNOWN_CODE, Enrolment.request(mixed, key));
        assertThat(other.hosts.enrol(Enrolment.request(foreign, key)).name()).isEqualTo("build-1");
    }

    @Test
    void aCodeExpires() throws Exception {
        EnrolmentCode late = invite("build-1");
        EnrolmentCode inTime = invite("build-2");
        fleet.pass(VALID.minusSeconds(1));
        assertThat(fleet.hosts.enrol(Enrolment.request(inTime, key)).name()).isEqualTo("build-2");
        fleet.pass(Duration.ofSeconds(1));
        HostKey second = HostKey.create(temporary.resolve("second"), Optional.empty(), "main");
        requireRefused(FleetRefusal.UNKNOWN_CODE, Enrolment.request(late, second));
        assertThat(fleet.hosts.invitations()).isEmpty();
    }

    @Test
    void aCodeCanBeTakenBack() throws Exception {
        EnrolmentCode code = invite("build-1");
        assertThat(fleet.hosts.invitations())
                .containsExactly(new Hosts.Invitation(code.id(), "build-1", code.expires()));
        assertThat(fleet.hosts.withdraw(code.id())).isTrue();
        assertThat(fleet.hosts.withdraw(code.id())).isFalse();
        requireRefused(FleetRefusal.UNKNOWN_CODE, Enrolment.request(code, key));
    }

    @Test
    void noMoreThanSixteenCodesAreOpen() throws Exception {
        List<EnrolmentCode> open = new ArrayList<>();
        for (int i = 0; i < EnrolmentCodes.OPEN_MAX; i++) {
            open.add(invite("build-" + i));
        }
        assertThatThrownBy(() -> invite("one-more")).isInstanceOf(ConfigException.class);
        var _ = fleet.hosts.enrol(Enrolment.request(open.getLast(), key));
        assertThat(invite("one-more").hostName()).isEqualTo("one-more");
        fleet.pass(VALID);
        assertThat(invite("later").hostName()).isEqualTo("later");
        assertThat(fleet.hosts.invitations()).hasSize(1);
    }

    @Test
    void whatNoCodeCanBeMadeForSaysSo() throws Exception {
        for (String name : List.of("", "Build", "a b", "../x", "-a", "a".repeat(64))) {
            assertThatThrownBy(() -> fleet.hosts.invite(name, Fleet.ADDRESS, VALID))
                    .as(name)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("lower-case letters");
        }
        for (String address :
                List.of(
                        "",
                        "gateway.example.com",
                        "gateway.example.com:0",
                        "010.0.0.1:443",
                        ":1")) {
            assertThatThrownBy(() -> fleet.hosts.invite("a", address, VALID))
                    .as(address)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("as in gateway.example.com:8443");
        }
        for (Duration valid :
                List.of(
                        Duration.ZERO,
                        Duration.ofSeconds(59),
                        Duration.ofHours(24).plusSeconds(1))) {
            assertThatThrownBy(() -> fleet.hosts.invite("a", Fleet.ADDRESS, valid))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("1 minute to 24 hours");
        }
        assertThat(fleet.hosts.invitations()).isEmpty();
    }

    @Test
    void aNameOrAKeyIsEnrolledOnce() throws Exception {
        EnrolmentCode first = invite("build-1");
        EnrolmentCode sameName = invite("build-1");
        EnrolmentCode sameKey = invite("build-2");
        var _ = fleet.hosts.enrol(Enrolment.request(first, key));
        HostKey second = HostKey.create(temporary.resolve("second"), Optional.empty(), "main");
        requireRefused(FleetRefusal.ALREADY_ENROLLED, Enrolment.request(sameName, second));
        requireRefused(FleetRefusal.ALREADY_ENROLLED, Enrolment.request(sameKey, key));
        assertThatThrownBy(() -> invite("build-1"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("is enrolled");
        fleet.hosts.remove(key.id(), fleet.badges);
        assertThat(fleet.hosts.enrol(Enrolment.request(sameName, second)).name())
                .isEqualTo("build-1");
    }

    @Test
    void aDamagedCodeIsRefusedAndNotRepeated() throws Exception {
        String text = fleet.hosts.invite("build-1", Fleet.ADDRESS, VALID);
        List<String> damaged =
                new ArrayList<>(List.of("", "sp1-", "sp1-AAAA", "sp2" + text.substring(3)));
        for (int at : List.of(5, 40, 60, text.length() / 2, text.length() - 1)) {
            char changed = text.charAt(at) == 'A' ? 'B' : 'A';
            damaged.add(text.substring(0, at) + changed + text.substring(at + 1));
            damaged.add(text.substring(0, at));
        }
        damaged.add(text + "A");
        damaged.add(text + "=");
        damaged.add(text + "\n");
        damaged.add("sp1-" + "A".repeat(100_000));
        for (String bad : damaged) {
            assertThatThrownBy(() -> EnrolmentCode.parse(bad))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("Copy all of what the gateway's machine printed.")
                    .hasMessageNotContaining(text.substring(20, 40))
                    .hasNoCause();
        }
        assertThat(EnrolmentCode.parse(text).hostName()).isEqualTo("build-1");
    }

    @Test
    void theCodeCannotBeWrittenAgainFromWhatIsOnDisk() throws Exception {
        String text = fleet.hosts.invite("build-1", Fleet.ADDRESS, VALID);
        EnrolmentCode code = EnrolmentCode.parse(text);
        byte[] bytes = Base64.getUrlDecoder().decode(text.substring("sp1-".length()));
        int start = 2 + "build-1".length() + Fleet.ADDRESS.length() + 8 + EnrolmentCode.ID_BYTES;
        byte[] secret = Arrays.copyOfRange(bytes, start, start + EnrolmentCode.SECRET_BYTES);
        assertThat(EnrolmentCode.secret(secret)).isEqualTo(code.secret());
        String hex = HexFormat.of().formatHex(secret);
        String disk = onDisk();
        assertThat(disk).contains(code.id());
        for (String form : List.of(hex, base64(hex), Base64.getEncoder().encodeToString(secret))) {
            assertThat(disk).doesNotContain(form);
            assertThat(Enrolment.request(code, key)).doesNotContain(form);
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    private String onDisk() throws IOException {
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.list(directory.resolve("codes"))) {
            for (Path file : files.toList()) {
                all.append(Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return all.toString();
    }

    @Test
    void codesAreEncryptedWhereAKeyIsConfigured() throws Exception {
        EnrolmentCode code = invite("build-1");
        AgeKey age = Fleet.ageKey(temporary.resolve("age.txt"));
        FleetStore.files(directory, Optional.of(age)).seal();
        fleet = new Fleet(directory, Optional.of(age));
        assertThat(onDisk()).startsWith("age-encryption.org/v1").doesNotContain(code.id());
        assertThat(fleet.hosts.enrol(Enrolment.request(code, key)).name()).isEqualTo("build-1");
    }

    @Test
    void aHostsKeyIsClosedToOthersAndRefusedWhenItIsNot() throws Exception {
        Path place = temporary.resolve("host");
        Path file = place.resolve("keys/main.json");
        assertThat(HostKey.open(place, Optional.empty(), "main").id()).isEqualTo(key.id());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> HostKey.open(place, Optional.empty(), "main"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("is open to others");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        String stored = Files.readString(file);
        HostKey other = HostKey.create(temporary.resolve("second"), Optional.empty(), "main");
        Files.writeString(
                file,
                stored.replace(
                        HexFormat.of().formatHex(key.publicKey()),
                        HexFormat.of().formatHex(other.publicKey())));
        assertThatThrownBy(() -> HostKey.open(place, Optional.empty(), "main"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("Enrol this host again");
        HostKey.remove(place, "main");
        assertThatThrownBy(() -> HostKey.open(place, Optional.empty(), "main"))
                .isInstanceOf(ConfigException.class);
        assertThat(key.toString()).isEqualTo("HostKey[redacted]");
    }
}
