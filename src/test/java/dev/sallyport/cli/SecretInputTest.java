package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.FakeApp;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// How secrets come in by the command line: from standard input, checked, to the warden and nowhere
/// else.
class SecretInputTest {
    @TempDir Path directory;
    private FakeWarden warden;
    private Shell shell;

    @BeforeEach
    void startWarden() throws IOException {
        warden = FakeWarden.start(directory);
        shell = new Shell(warden.home(), directory);
    }

    @AfterEach
    void stopWarden() throws IOException {
        warden.close();
    }

    private int run(String in, String... arguments) {
        return shell.run(in, arguments);
    }

    private String out() {
        return shell.out();
    }

    private String err() {
        return shell.err();
    }

    @Test
    void aSecretComesFromStandardInput() {
        warden.answer(
                "PUT /v1/secrets/github",
                200,
                "{\"name\":\"github\",\"host\":\"github.com\",\"user\":null,\"updated\":\"2026-01-01T00:00:00Z\",\"kind\":\"token\",\"rotated\":null,\"sandboxes\":[]}");
        int status = run("t0ken\n", "secret", "set", "github");
        assertThat(status).as(err()).isZero();
        assertThat(warden.asked().getLast()).contains("\"host\":\"github.com\"");
        assertThat(out() + err()).doesNotContain("t0ken");
    }

    @Test
    void aSecretInTheArgumentsIsRefusedAndNotSent() {
        warden.answer("PUT /v1/secrets/github", 200, "{}");
        assertThat(run("", "secret", "set", "github", "ghp_value")).isEqualTo(77);
        assertThat(err()).contains("history").doesNotContain("ghp_value");
        assertThat(warden.asked()).isEmpty();
    }

    @Test
    void aRotatedSecretComesFromStandardInputAndSaysWhichSandboxesEnded() {
        warden.answer("GET /v1/secrets", 200, "{\"secrets\":[]}");
        warden.answer(
                "POST /v1/secrets/github/rotate",
                200,
                "{\"secret\":{\"name\":\"github\",\"host\":\"github.com\",\"user\":null,\"updated\":\"2026-01-01T00:00:00Z\","
                        + "\"kind\":\"token\",\"rotated\":\"2026-01-02T00:00:00Z\",\"sandboxes\":[],\"login\":null},\"ended\":[\"a\",\"b\"]}");
        assertThat(run("", "secret", "rotate", "github", "ghp_value")).isEqualTo(77);
        assertThat(warden.asked()).isEmpty();
        assertThat(run("t0ken\n", "secret", "rotate", "github", "--end-sessions")).isZero();
        assertThat(warden.asked().getLast()).contains("\"endSessions\":true");
        assertThat(out()).contains("rotated github", "ended a, b");
        assertThat(out() + err()).doesNotContain("t0ken");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--kind basic", "--kind token --user me"})
    void aSecretsKindAndUserMustFit(String options) {
        String line = "secret set github " + options;
        assertThat(run("t0ken\n", line.split(" ", -1))).isEqualTo(64);
        assertThat(err()).contains("--kind basic --user USER");
        assertThat(warden.asked()).isEmpty();
    }

    @Test
    void anUnknownKindIsNamedBesideThoseThatAreKnown() {
        assertThat(run("t0ken\n", "secret", "set", "github", "--kind", "other")).isEqualTo(64);
        assertThat(err()).contains("Unknown kind of secret: other", "token, basic, oauth");
        assertThat(warden.asked()).isEmpty();
    }

    @Test
    void theKeyOfAnAppIsCheckedBeforeItIsSentAndGoesAlongWithItsId() {
        warden.answer(
                "PUT /v1/secrets/github",
                200,
                "{\"name\":\"github\",\"host\":\"github.com\",\"user\":null,\"updated\":\"2026-01-01T00:00:00Z\",\"kind\":\"github-app\",\"rotated\":null,\"sandboxes\":[],\"login\":null,\"app\":\"123456\",\"reach\":null}");
        String[] line = "secret set github --kind github-app --app 123456".split(" ", -1);
        assertThat(run("ghp_not-a-key\n", line)).isNotZero();
        assertThat(err()).contains("no private key", "downloaded").doesNotContain("ghp_not");
        assertThat(warden.asked()).isEmpty();

        String pem = FakeApp.pem("PRIVATE KEY", FakeApp.KEYS.getPrivate().getEncoded());
        assertThat(run(pem, line)).as(err()).isZero();
        assertThat(warden.asked().getLast())
                .contains("\"kind\":\"github-app\"", "\"app\":\"123456\"", "github.com")
                .doesNotContain("BEGIN");
        assertThat(out()).contains("key of the GitHub App 123456");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--kind github-app",
                "--app 1",
                "--kind token --app 1",
                "--kind github-app --app 1\"2"
            })
    void theKeyOfAnAppAndItsIdBelongTogether(String options) {
        assertThat(run("t0ken\n", ("secret set github " + options).split(" ", -1))).isEqualTo(64);
        assertThat(err()).contains("--kind github-app --app ID");
        assertThat(warden.asked()).isEmpty();
    }

    @Test
    void aSecretNeedsAHost() {
        assertThat(run("t0ken\n", "secret", "set", "corp")).isEqualTo(64);
        assertThat(err()).contains("--host");
        assertThat(warden.asked()).isEmpty();
    }
}
