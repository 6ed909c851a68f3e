package dev.sallyport.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What people push every day is no secret.
final class SecretFalseAlarmTest {
    private static final int FILES_MAX = 20_000;

    private static List<String> scan(Path root) throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).limit(FILES_MAX).toList()) {
                if (!Files.isReadable(file)) {
                    continue;
                }
                try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
                    SecretScanner.standard()
                            .find(in)
                            .forEach(f -> found.add(file + ":" + f.line() + " " + f.rule()));
                }
            }
        }
        return found;
    }

    /// Other tests make tokens up and write them down.
    @Test
    void findsNothingInThisRepository() throws IOException {
        for (String part :
                List.of("src/main", "src/test/resources", "docs", "bench", "build", "pom.xml")) {
            assertThat(scan(Path.of(part))).isEmpty();
        }
    }

    @Test
    void findsNothingInWhatTheSystemBrings() throws IOException {
        for (String part :
                List.of("/usr/share/common-licenses", "/usr/include", "/usr/share/git-core")) {
            if (Files.isDirectory(Path.of(part))) {
                assertThat(scan(Path.of(part))).isEmpty();
            }
        }
    }

    private static String hex(Random random, int bytes) {
        byte[] raw = new byte[bytes];
        random.nextBytes(raw);
        return HexFormat.of().formatHex(raw);
    }

    private static String base64(Random random, int bytes) {
        byte[] raw = new byte[bytes];
        random.nextBytes(raw);
        return Base64.getEncoder().encodeToString(raw);
    }

    private static final List<String> NAMES =
            List.of(
                    "js-tokens",
                    "secret-service",
                    "keyv",
                    "@aws-sdk/credential-providers",
                    "jsonwebtoken",
                    "password-hash");

    @Test
    void findsNothingInLockFiles() {
        Random random = new Random(3);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 5_000; i++) {
            String name = NAMES.get(i % NAMES.size());
            text.append(npm(random, name)).append(cargo(random, name)).append(go(random, name));
        }
        assertThat(SecretRulesTest.scan(text.toString())).isEmpty();
    }

    private static String npm(Random random, String name) {
        return """
                "node_modules/%1$s": {
                  "version": "4.0.0",
                  "resolved": "https://packages.acme.dev/%1$s/-/%1$s-4.0.0.tgz",
                  "integrity": "sha512-%2$s"
                },
                %1$s@^3.0.0, "%1$s@^3.0.0 || ^4.0.0":
                  resolved "https://packages.acme.dev/%1$s/-/%1$s-4.0.0.tgz#%3$s"
                """
                .formatted(name, base64(random, 64), hex(random, 20));
    }

    private static String cargo(Random random, String name) {
        return """
                [[package]]
                name = "%s"
                version = "0.1.24"
                checksum = "%s"
                """
                .formatted(name, hex(random, 32));
    }

    private static String go(Random random, String name) {
        return """
                github.com/acme/%1$s v1.2.3 h1:%2$s
                github.com/acme/%1$s v1.2.3/go.mod h1:%2$s
                """
                .formatted(name, base64(random, 32));
    }

    @Test
    void findsNothingInOrdinaryCode() {
        assertThat(
                        SecretRulesTest.scan(
                                """
                                String password = "correct-horse-battery";
                                token := os.Getenv("GITHUB_TOKEN_2024_STAGING")
                                const secret = process.env.SESSION_SECRET_V2;
                                api_key: ${{ secrets.PAYMENT_API_KEY_2 }}
                                password: "{{ vault_db_password_01 }}"
                                "token": "<your token 1234567890>",
                                csrf_token = form["csrfmiddlewaretoken2"]
                                passwordField.setId("login-form-password-1");
                                DB_PASSWORD=changeme
                                SECRET_KEY_BASE=xxxxxxxxxxxxxxxxxxxxxxxx1
                                TOKEN_ENDPOINT=https://login.acme.dev/oauth2/v2.0/token
                                curl -H "Authorization: Bearer $TOKEN" https://api.acme.dev
                                curl -H "Authorization: Bearer YOUR_ACCESS_TOKEN_GOES_HERE" x
                                git clone https://user:pass@acme.dev/x.git
                                git clone https://x-access-token:${GH_TOKEN}@acme.dev/x.git
                                jdbc:postgresql://db:5432/app?user=app&password=app
                                redis://:${REDIS_PASSWORD_PRODUCTION}@redis:6379/0
                                -----BEGIN PRIVATE KEY-----
                                ...
                                -----END PRIVATE KEY-----
                                if (text.startsWith("-----BEGIN RSA PRIVATE KEY-----")) {
                                tokenizer = Tokenizer.from_file("models/tokenizer-v2.json")
                                "tokenClass": "org.acme.security.oauth2.TokenProvider2",
                                access_key = config.get("storage.access_key_id.v2")
                                """))
                .isEmpty();
    }
}
