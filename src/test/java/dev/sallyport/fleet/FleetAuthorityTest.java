package dev.sallyport.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.AgeKey;
import dev.sallyport.config.ConfigException;
import dev.sallyport.credential.CertifiedKey;
import dev.sallyport.credential.Secret;
import dev.sallyport.fixture.FakeApp;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the authority of a gateway's machine makes the two ends of a connection believe, and for
/// how long.
class FleetAuthorityTest {
    private static final SessionId SESSION = new SessionId("00000000000000aa");
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HALF = FleetAuthority.OVERLAP.dividedBy(2);

    @TempDir Path temporary;
    private Path directory = Path.of("unset");
    private Fleet fleet;
    private KeyPair keys;

    @BeforeEach
    void open() throws Exception {
        directory = temporary.resolve("fleet");
        fleet = new Fleet(directory);
        keys = Fleet.sidecarKeys();
    }

    private String certify() throws Exception {
        return fleet.authority.certify(SESSION, spki(), fleet.instant().plus(Duration.ofHours(1)));
    }

    private X509Certificate authority() throws Exception {
        return CertifiedKey.parse(fleet.authority.authorityPems().getFirst());
    }

    private byte[] spki() {
        return keys.getPublic().getEncoded();
    }

    /// @param pinned what the host trusts
    private X509Certificate shake(List<String> pinned, String clientPem) throws Exception {
        return Handshake.run(fleet, pinned, clientPem, keys.getPrivate());
    }

    private void requireRefused(List<String> pinned, String clientPem) {
        assertThatThrownBy(() -> shake(pinned, clientPem)).isInstanceOf(SSLException.class);
    }

    @Test
    void certifiesAKeyForOneSessionAndForClientsOnly() throws Exception {
        X509Certificate made = CertifiedKey.parse(certify());
        assertThat(made.getSubjectAlternativeNames())
                .containsExactly(List.of(6, "sallyport:session:00000000000000aa"));
        assertThat(made.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.2");
        assertThat(made.getBasicConstraints()).isEqualTo(-1);
        assertThat(made.getPublicKey()).isEqualTo(keys.getPublic());
        X509Certificate authority = authority();
        assertThat(authority.getBasicConstraints()).isZero();
        assertThat(authority.getKeyUsage())
                .containsExactly(false, false, false, false, false, true, false, false, false);
        X509Certificate server = fleet.authority.server().certificate();
        assertThat(server.getSubjectAlternativeNames())
                .containsExactly(List.of(2, "gateway.sallyport"));
        assertThat(server.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
    }

    @Test
    void noSessionIsCertifiedForLongerThanAnHour() throws Exception {
        Instant asked = fleet.instant().plus(Duration.ofDays(400));
        X509Certificate long_ = CertifiedKey.parse(fleet.authority.certify(SESSION, spki(), asked));
        assertThat(long_.getNotAfter().toInstant())
                .isEqualTo(fleet.instant().plus(Duration.ofHours(1)));
        assertThat(long_.getNotBefore().toInstant()).isBefore(fleet.instant());
        Instant shorter = fleet.instant().plus(Duration.ofMinutes(5));
        X509Certificate short_ =
                CertifiedKey.parse(fleet.authority.certify(SESSION, spki(), shorter));
        assertThat(short_.getNotAfter().toInstant()).isEqualTo(shorter);
        assertThatThrownBy(() -> fleet.authority.certify(SESSION, spki(), fleet.instant()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void certifiesNoKeyButAPointOfP256InOneSpelling() throws Exception {
        byte[] offCurve = spki();
        offCurve[offCurve.length - 1] ^= 1;
        byte[] longer = Arrays.copyOf(spki(), spki().length + 1);
        byte[] atInfinity = Arrays.copyOf(spki(), spki().length);
        Arrays.fill(atInfinity, spki().length - 64, spki().length, (byte) 0);
        byte[] rsa = FakeApp.KEYS.getPublic().getEncoded();
        List<byte[]> wrong =
                List.of(
                        new byte[0],
                        offCurve,
                        longer,
                        atInfinity,
                        rsa,
                        Fleet.keys("secp384r1").getPublic().getEncoded());
        for (byte[] bad : wrong) {
            assertThatThrownBy(
                            () -> fleet.authority.certify(SESSION, bad, fleet.instant().plus(HALF)))
                    .isInstanceOfSatisfying(
                            RefusedException.class,
                            e -> assertThat(e.reason()).isEqualTo(FleetRefusal.BAD_KEY));
        }
        assertThat(certify()).contains("BEGIN CERTIFICATE");
    }

    @Test
    void i1_anExpiredCertificateIsRefused() throws Exception {
        String pem = certify();
        List<String> pinned = fleet.authority.authorityPems();
        fleet.pass(Duration.ofHours(1).minus(SECOND));
        assertThat(shake(pinned, pem)).isEqualTo(CertifiedKey.parse(pem));
        fleet.pass(SECOND.multipliedBy(2));
        requireRefused(pinned, pem);
    }

    @Test
    void i1_aCertificateOfAnotherGatewaysAuthorityIsRefusedOnEitherSide() throws Exception {
        Fleet other = new Fleet(temporary.resolve("other"));
        String foreign = other.authority.certify(SESSION, spki(), fleet.instant().plus(HALF));
        List<String> pinned = fleet.authority.authorityPems();
        requireRefused(pinned, foreign);
        requireRefused(other.authority.authorityPems(), certify());
        assertThat(shake(pinned, certify())).isNotNull();
    }

    @Test
    void aCertificateNamesOneSessionOrNone() throws Exception {
        assertThat(FleetNames.session(CertifiedKey.parse(certify()))).contains(SESSION);
        assertThat(FleetNames.session(fleet.authority.server().certificate())).isEmpty();
        assertThat(FleetNames.session(authority())).isEmpty();
    }

    /// A certificate of a session is no gateway's, though the same authority has signed it.
    @Test
    void i1_aSessionCannotPlayTheGateway() throws Exception {
        List<String> pinned = fleet.authority.authorityPems();
        String client = certify();
        assertThat(shake(pinned, client)).isNotNull();
        byte[] key = Base64.getEncoder().encode(keys.getPrivate().getEncoded());
        CertifiedKey session = CertifiedKey.of(client, Secret.of(key));
        assertThatThrownBy(() -> Handshake.run(fleet, session, pinned, client, keys.getPrivate()))
                .isInstanceOf(SSLException.class)
                .hasStackTraceContaining("Extended key usage does not permit");
    }

    @Test
    void theGatewaysCertificateIsMadeAnewInTimeAndNotBefore() throws Exception {
        CertifiedKey first = fleet.authority.server();
        fleet.pass(Duration.ofDays(2));
        assertThat(fleet.authority.server().certificate()).isEqualTo(first.certificate());
        fleet.pass(SECOND);
        CertifiedKey second = fleet.authority.server();
        assertThat(second.certificate()).isNotEqualTo(first.certificate());
        assertThat(second.certificate().getPublicKey())
                .isNotEqualTo(first.certificate().getPublicKey());
        fleet.restart();
        assertThat(fleet.authority.server().certificate()).isEqualTo(second.certificate());
        assertThat(shake(fleet.authority.authorityPems(), certify())).isNotNull();
    }

    @Test
    void aRotationLeavesNoHostOutThatAsksOnceInAnOverlap() throws Exception {
        List<String> old = fleet.authority.authorityPems();
        String oldClient = certify();
        fleet.authority.rotate();
        List<String> both = fleet.authority.authorityPems();
        assertThat(both).hasSize(2).startsWith(old.getFirst());

        // At once: a host that has not asked yet still knows the gateway.
        assertThat(shake(old, oldClient)).isNotNull();
        assertThat(shake(old, certify())).isNotNull();
        assertThat(shake(both, certify())).isNotNull();
        assertThat(CertifiedKey.parse(certify()).getIssuerX500Principal())
                .isEqualTo(subject(both.getLast()));

        fleet.pass(FleetAuthority.OVERLAP.minus(SECOND));
        assertThat(shake(old, certify())).isNotNull();

        // One overlap later the gateway shows the new one, which who has asked knows.
        fleet.pass(SECOND);
        assertThat(shake(both, certify())).isNotNull();
        requireRefused(old, certify());
        assertThat(fleet.authority.authorityPems()).isEqualTo(both);

        // Two later the old one is gone.
        fleet.pass(FleetAuthority.OVERLAP);
        assertThat(fleet.authority.authorityPems()).containsExactly(both.getLast());
        assertThat(shake(List.of(both.getLast()), certify())).isNotNull();
        assertThat(fleet.authority.rotate()).isAfter(fleet.instant());
    }

    /// Whoever has the old authority's key can certify sessions only until it is dropped.
    @Test
    void whatTheOldAuthoritySignsIsRefusedAfterTheRotation() throws Exception {
        Path copy = temporary.resolve("copy");
        copyOf(directory, copy);
        fleet.authority.rotate();
        fleet.pass(FleetAuthority.OVERLAP.multipliedBy(2).minus(SECOND));
        List<String> pinned = fleet.authority.authorityPems();
        FleetAuthority stolen =
                FleetAuthority.open(FleetStore.files(copy, Optional.empty()), fleet);
        String forged = stolen.certify(SESSION, spki(), fleet.instant().plus(HALF));
        assertThat(shake(pinned, forged)).isNotNull();
        fleet.pass(SECOND);
        requireRefused(pinned, forged);
    }

    private static void copyOf(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(
                        file,
                        to.resolve(from.relativize(file).toString()),
                        StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    private static Object subject(String pem) throws Exception {
        return CertifiedKey.parse(pem).getSubjectX500Principal();
    }

    @Test
    void aRotationGoesOnWhereItWasAfterARestartAtEachStage() throws Exception {
        List<String> old = fleet.authority.authorityPems();
        fleet.authority.rotate();
        List<String> both = fleet.authority.authorityPems();
        fleet.restart();
        assertThat(fleet.authority.authorityPems()).isEqualTo(both);
        assertThat(shake(old, certify())).isNotNull();

        fleet.pass(HALF);
        fleet.restart();
        assertThat(shake(old, certify())).isNotNull();

        fleet.pass(HALF);
        fleet.restart();
        requireRefused(old, certify());
        assertThat(shake(both, certify())).isNotNull();
        CertifiedKey server = fleet.authority.server();
        fleet.restart();
        assertThat(fleet.authority.server().certificate()).isEqualTo(server.certificate());

        fleet.pass(FleetAuthority.OVERLAP);
        fleet.restart();
        assertThat(fleet.authority.authorityPems()).containsExactly(both.getLast());
        fleet.restart();
        assertThat(fleet.authority.authorityPems()).containsExactly(both.getLast());
        assertThat(shake(both, certify())).isNotNull();
    }

    private boolean isTold(List<String> pinned) throws Exception {
        String line = fleet.authority.signed(SignedAddresses.Use.GATEWAYS, List.of(Fleet.ADDRESS));
        return SignedAddresses.read(SignedAddresses.Use.GATEWAYS, line, pinned, fleet.instant())
                .isPresent();
    }

    /// Also one that has pinned only one of two.
    @Test
    void whereGatewaysAreIsSignedForWhoeverTrustsTheGateway() throws Exception {
        List<String> old = fleet.authority.authorityPems();
        fleet.authority.rotate();
        List<String> next = List.of(fleet.authority.authorityPems().getLast());
        assertThat(isTold(old)).isTrue();
        assertThat(isTold(next)).isFalse();
        fleet.pass(FleetAuthority.OVERLAP);
        assertThat(isTold(old)).isFalse();
        assertThat(isTold(next)).isTrue();
        fleet.pass(FleetAuthority.OVERLAP);
        assertThat(isTold(next)).isTrue();
    }

    @Test
    void aSecondRotationWaitsForTheFirst() throws Exception {
        Instant gone = fleet.authority.rotate();
        List<String> both = fleet.authority.authorityPems();
        assertThatThrownBy(() -> fleet.authority.rotate())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(gone.toString());
        assertThat(fleet.authority.authorityPems()).isEqualTo(both);
        fleet.pass(FleetAuthority.OVERLAP.multipliedBy(2));
        fleet.authority.rotate();
        assertThat(fleet.authority.authorityPems()).hasSize(2).startsWith(both.getLast());
    }

    @Test
    void filesAreClosedToOthersAndRefusedWhenTheyAreNot() throws Exception {
        Path place = directory.resolve("authority");
        Path file = place.resolve("authority.json");
        assertThat(mode(directory)).isEqualTo("rwx------");
        assertThat(mode(place)).isEqualTo("rwx------");
        assertThat(mode(file)).isEqualTo("rw-------");
        for (Path open : List.of(file, place, directory)) {
            String before = mode(open);
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-x---"));
            assertThatThrownBy(() -> fleet.restart())
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("is open to others")
                    .hasMessageContaining("chmod");
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString(before));
        }
        fleet.restart();
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    /// A new authority in its place would lock all hosts out, and nobody would know why.
    @Test
    void aDamagedFileIsAnErrorAndNotANewAuthority() throws Exception {
        Path file = directory.resolve("authority/authority.json");
        String whole = Files.readString(file);
        for (String damaged :
                List.of(
                        "",
                        "{}",
                        whole.substring(0, whole.length() / 2),
                        whole.replace("BEGIN CERTIFICATE", "BEGIN SOMETHING"),
                        whole.replaceFirst("\"key\":\"....", "\"key\":\"AAAA"))) {
            Files.writeString(file, damaged);
            assertThatThrownBy(() -> fleet.restart())
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("damaged")
                    .hasNoCause();
            assertThat(file).hasContent(damaged);
        }
        Files.writeString(file, whole);
        fleet.restart();
    }

    @Test
    void noKeyIsOnDiskInTheClearWhereAKeyIsConfigured() throws Exception {
        AgeKey key = Fleet.ageKey(temporary.resolve("age.txt"));
        FleetStore.files(directory, Optional.of(key)).seal();
        assertThatThrownBy(() -> fleet.restart())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("is encrypted");
        Fleet sealed = new Fleet(directory, Optional.of(key));
        assertThat(sealed.authority.authorityPems()).isEqualTo(fleet.authority.authorityPems());
        sealed.authority.rotate();
        try (Stream<Path> files = Files.list(directory.resolve("authority"))) {
            for (Path file : files.toList()) {
                assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                        .startsWith("age-encryption.org/v1")
                        .doesNotContain("BEGIN CERTIFICATE");
            }
        }
    }

    @Test
    void nothingPrintsAKey() throws Exception {
        assertThat(fleet.authority.server() + "" + fleet.authority.server().key())
                .contains("redacted");
    }
}
