package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.Command;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.JsonRules;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.SessionId;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertPath;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a sandbox's own authority can make the sandbox believe.
class AuthorityTest {
    private static final SessionId SESSION = new SessionId("00000000000000aa");

    private final Instant ends = Instant.now().plus(Duration.ofDays(7));

    @TempDir Path directory;

    private Authority authority() throws Exception {
        List<EgressRule> rules =
                List.of(
                        rule("api.example.com", true),
                        rule("**.example.org", true),
                        rule("tunnel.example.net", false));
        Policy policy = new Policy(SESSION, List.of(), new Egress(rules, false));
        return Authority.create(SESSION, policy.inspectedHosts(), ends);
    }

    private static EgressRule rule(String host, boolean inspected) throws Exception {
        Inspection inspection =
                new Inspection(
                        Optional.empty(),
                        Optional.empty(),
                        List.of(),
                        Optional.empty(),
                        JsonRules.NONE,
                        false,
                        List.of(),
                        Optional.empty(),
                        false);
        return new EgressRule(
                HostPattern.parse(host),
                EgressRule.PORTS,
                Reach.PUBLIC,
                inspected ? Optional.of(inspection) : Optional.empty(),
                "test");
    }

    private static X509Certificate leaf(Authority authority, String host) throws Exception {
        return authority.certify(new HostName(host), Certificates.newKeys().getPublic());
    }

    private static X509Certificate parse(String pem) throws GeneralSecurityException {
        return (X509Certificate)
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(
                                new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void namesItsSessionAndCanSignNoOtherAuthority() throws Exception {
        X509Certificate certificate = parse(authority().certificatePem());
        assertThat(certificate.getSubjectX500Principal().getName()).contains(SESSION.value());
        assertThat(certificate.getBasicConstraints()).isZero();
        assertThat(certificate.getKeyUsage())
                .containsExactly(false, false, false, false, false, true, false, false, false);
        assertThat(certificate.getCriticalExtensionOIDs())
                .containsExactlyInAnyOrder("2.5.29.15", "2.5.29.19", "2.5.29.30");
        assertThat(certificate.getNotBefore().toInstant()).isBefore(Instant.now());
        assertThat(certificate.getNotAfter().toInstant())
                .isBetween(ends.minusSeconds(1), ends.plus(Duration.ofDays(1)));
    }

    @Test
    void aLeafIsForOneHostAndShortLived() throws Exception {
        X509Certificate leaf = leaf(authority(), "api.example.com");
        assertThat(leaf.getSubjectAlternativeNames())
                .containsExactly(List.of(2, "api.example.com"));
        assertThat(leaf.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.1");
        assertThat(leaf.getBasicConstraints()).isEqualTo(-1);
        assertThat(leaf.getNotAfter().toInstant()).isBefore(Instant.now().plus(Duration.ofDays(2)));
        Authority almostOver = Authority.create(SESSION, List.of(), Instant.now());
        assertThat(leaf(almostOver, "api.example.com").getNotAfter())
                .isBeforeOrEqualTo(parse(almostOver.certificatePem()).getNotAfter());
    }

    @Test
    void theJdkBelievesItForInspectedNamesOnly() throws Exception {
        Authority authority = authority();
        for (String host : List.of("api.example.com", "example.org", "a.b.example.org")) {
            requireJdkTrusts(authority, leaf(authority, host));
        }
        for (String host : List.of("other.example.com", "example.com", "tunnel.example.net")) {
            X509Certificate leaf = leaf(authority, host);
            assertThatThrownBy(() -> requireJdkTrusts(authority, leaf))
                    .as(host)
                    .isInstanceOf(GeneralSecurityException.class);
        }
    }

    /// The JDK looks at the constraints of certificates in a path, but not at an anchor's own; so
    /// here the anchor is the bare key.
    private static void requireJdkTrusts(Authority authority, X509Certificate leaf)
            throws GeneralSecurityException {
        X509Certificate root = parse(authority.certificatePem());
        CertPath path =
                CertificateFactory.getInstance("X.509").generateCertPath(List.of(leaf, root));
        TrustAnchor anchor =
                new TrustAnchor(root.getSubjectX500Principal(), root.getPublicKey(), null);
        PKIXParameters parameters = new PKIXParameters(Set.of(anchor));
        parameters.setRevocationEnabled(false);
        CertPathValidator.getInstance("PKIX").validate(path, parameters);
    }

    /// Strict, because Python 3.13 is.
    @Test
    void opensslBelievesItForInspectedNamesOnly() throws Exception {
        Authority authority = authority();
        for (String host : List.of("api.example.com", "example.org", "a.b.example.org")) {
            assertThat(openssl(authority, leaf(authority, host))).as(host).contains(": OK");
        }
        for (String host : List.of("other.example.com", "example.com", "tunnel.example.net")) {
            assertThat(openssl(authority, leaf(authority, host)))
                    .as(host)
                    .contains("permitted subtree violation");
        }
    }

    /// An address is no name, so the permitted names alone would not keep it out.
    @Test
    void nobodyBelievesItForAnAddress() throws Exception {
        Authority authority = authority();
        for (String address : List.of("192.0.2.1", "2001:db8::1")) {
            X509Certificate leaf = AddressLeaf.sign(authority, address);
            assertThat(openssl(authority, leaf)).as(address).contains("excluded subtree violation");
            assertThatThrownBy(() -> requireJdkTrusts(authority, leaf))
                    .as(address)
                    .isInstanceOf(GeneralSecurityException.class);
        }
    }

    private String openssl(Authority authority, X509Certificate leaf) throws Exception {
        Path ca = directory.resolve("ca.pem");
        Path file = directory.resolve("leaf.pem");
        Files.writeString(ca, authority.certificatePem());
        Files.writeString(
                file,
                "-----BEGIN CERTIFICATE-----\n"
                        + Base64.getMimeEncoder().encodeToString(leaf.getEncoded())
                        + "\n-----END CERTIFICATE-----\n");
        return Command.of("openssl", "verify", "-x509_strict", "-CAfile", ca + "", file + "")
                .run()
                .all();
    }

    @Test
    void canBeKeptAndTakenUpAgain() throws Exception {
        Authority made = authority();
        Authority again = Authority.of(made.certificatePem(), made.key());
        requireJdkTrusts(made, leaf(again, "api.example.com"));
    }

    @Test
    void whatIsNoAuthorityIsRefusedWithoutRepeatingTheKey() throws Exception {
        String pem = authority().certificatePem();
        Secret nonsense = Secret.of("bm9uc2Vuc2Utbm9uc2Vuc2U=".getBytes(StandardCharsets.US_ASCII));
        assertThatThrownBy(() -> Authority.of(pem, nonsense))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("bm9u")
                .hasNoCause();
        Secret key = authority().key();
        assertThatThrownBy(() -> Authority.of("no certificate", key))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void signsNothingAfterTheSessionHasEnded() throws Exception {
        Authority authority = authority();
        String before = new String(authority.key().reveal(), StandardCharsets.US_ASCII);
        authority.wipe();
        assertThatThrownBy(() -> leaf(authority, "api.example.com"))
                .isInstanceOf(GeneralSecurityException.class);
        assertThat(authority.toString() + authority.key()).doesNotContain(before);
    }
}
