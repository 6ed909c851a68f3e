package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.credential.AppKey.BadKeyException;
import dev.sallyport.fixture.FakeApp;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Instant;
import java.util.Base64;
import java.util.function.Predicate;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcePEMEncryptorBuilder;
import org.junit.jupiter.api.Test;

class AppKeyTest {
    private static final KeyPair KEYS = FakeApp.KEYS;

    private static String pkcs8() {
        return FakeApp.pem("PRIVATE KEY", KEYS.getPrivate().getEncoded());
    }

    private static String pkcs1() {
        return FakeApp.pem(
                "RSA PRIVATE KEY",
                PrivateKeyInfo.getInstance(KEYS.getPrivate().getEncoded())
                        .getPrivateKey()
                        .getOctets());
    }

    private static Secret read(String pem) throws BadKeyException {
        return AppKey.ofPem(pem.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void bothFormsOfAKeyAreKeptAsOne() throws Exception {
        assertThat(read(pkcs1())).isEqualTo(read(pkcs8()));
        assertThat(read(pkcs1().replace("\n", "\r\n"))).isEqualTo(read(pkcs8()));
        assertThat(read("Notes before it\n" + pkcs1())).isEqualTo(read(pkcs8()));
    }

    @Test
    void signsForAFewMinutesAsTheApp() throws Exception {
        Instant now = Instant.parse("2026-08-01T12:00:00Z");
        String jwt = AppKey.of(read(pkcs1())).assertion("Iv1.abc", now).text();
        String[] parts = jwt.split("\\.", -1);
        assertThat(decoded(parts[0])).isEqualTo("{\"alg\":\"RS256\",\"typ\":\"JWT\"}");
        assertThat(decoded(parts[1]))
                .isEqualTo(
                        "{\"iat\":%d,\"exp\":%d,\"iss\":\"Iv1.abc\"}"
                                .formatted(now.getEpochSecond() - 60, now.getEpochSecond() + 180));
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.initVerify(KEYS.getPublic());
        signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
        assertThat(signature.verify(Base64.getUrlDecoder().decode(parts[2]))).isTrue();
        assertThat(jwt).doesNotContain("=");
    }

    private static String decoded(String part) {
        return new String(Base64.getUrlDecoder().decode(part), StandardCharsets.US_ASCII);
    }

    private static void refused(String pem, String problem) {
        assertThatThrownBy(() -> read(pem))
                .isInstanceOf(BadKeyException.class)
                .hasMessageContaining(problem)
                .hasNoCause()
                .extracting(e -> ((BadKeyException) e).remedy())
                .asString()
                .isNotEmpty();
    }

    @Test
    void whatIsNoKeyOfAnAppIsRefusedWithAReason() throws Exception {
        refused("", "no private key");
        refused("ghs_a-token-instead", "no private key");
        refused(FakeApp.pem("PUBLIC KEY", KEYS.getPublic().getEncoded()), "not a private key");
        refused(pkcs1().replace("MII", "!!!"), "damaged");
        refused(pkcs1().substring(0, 900), "");
        refused(small(1_024), "fewer than 2048 bits");
        refused(elliptic(), "not a private RSA key");
        refused(encrypted(), "passphrase");
    }

    private static String small(int bits) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(bits);
        return FakeApp.pem("PRIVATE KEY", generator.generateKeyPair().getPrivate().getEncoded());
    }

    private static String elliptic() throws Exception {
        KeyPair keys = KeyPairGenerator.getInstance("EC").generateKeyPair();
        return FakeApp.pem("PRIVATE KEY", keys.getPrivate().getEncoded());
    }

    private static String encrypted() throws Exception {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(
                    KEYS.getPrivate(),
                    new JcePEMEncryptorBuilder("AES-128-CBC")
                            .setProvider(new BouncyCastleProvider())
                            .build("secret".toCharArray()));
        }
        return text.toString();
    }

    /// In whichever form, and as it is kept, somebody who looks for it finds it.
    @Test
    void itsTracesAreInEveryFormOfItAndInNoOtherKey() throws Exception {
        Secret kept = read(pkcs8());
        Predicate<String> finder =
                AppKey.of(kept).traces().stream()
                        .map(Secret::finder)
                        .reduce(_ -> false, Predicate::or);
        assertThat(finder.test(pkcs1())).isTrue();
        assertThat(finder.test(pkcs8())).isTrue();
        assertThat(finder.test(kept.text())).isTrue();
        KeyPair other = FakeApp.newKeys();
        assertThat(finder.test(FakeApp.pem("PRIVATE KEY", other.getPrivate().getEncoded())))
                .isFalse();
    }

    @Test
    void doesNotPrintItself() throws Exception {
        assertThat(AppKey.of(read(pkcs8()))).hasToString("AppKey[redacted]");
    }
}
