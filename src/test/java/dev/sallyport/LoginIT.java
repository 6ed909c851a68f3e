package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.FakeProvider;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A login that expires, used from real sandboxes as a person would.
class LoginIT {
    private Path root;
    private FakeProvider provider;
    private Installation sallyport;

    @BeforeEach
    void startEverything() throws IOException {
        root = Files.createTempDirectory("sp-login");
        provider = new FakeProvider();
        sallyport = Installation.bare(root.resolve("i"));
        Files.writeString(sallyport.home().resolve("ca.pem"), provider.pki.caPem());
        sallyport.policy(
                """
                egress:
                  - host: api.example.com
                    ports: [443]
                    inject: {secret: login, bearer: true}
                    dial: "%s"
                    ca-file: ca.pem
                  - host: auth.example.com
                    ports: [443]
                    methods: []
                    dial: "%s"
                    ca-file: ca.pem
                """
                        .formatted(provider.api.dial(), provider.auth.dial()));
    }

    @AfterEach
    void stopEverything() throws IOException {
        sallyport.close();
        provider.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private static String document(String refresh) {
        return """
        {"access_token": "%s", "refresh_token": "%s", "expires_at": "2020-01-01T00:00:00Z",
         "token_endpoint": "https://auth.example.com/oauth/token", "client_id": "the-client"}
        """
                .formatted(FakeProvider.ACCESS, refresh);
    }

    private Command.Result inSandbox(String script) {
        return sallyport
                .sallyport(
                        "run", "--runtime", "bubblewrap", "--no-repo", "--", "bash", "-uc", script)
                .run();
    }

    @Test
    void twoSandboxesShareALoginThatOutlivesTheGateway() throws Exception {
        String said =
                sallyport
                        .sallyport(
                                "secret",
                                "set",
                                "login",
                                "--host",
                                "api.example.com",
                                "--kind",
                                "oauth")
                        .input(document(FakeProvider.REFRESH))
                        .run()
                        .ok();
        assertThat(said).contains("renewed at https://auth.example.com/oauth/token");

        Callable<Command.Result> together =
                () ->
                        inSandbox(
                                """
                                for i in 1 2 3; do curl -sS https://api.example.com/v1/messages & done; wait; echo
                                curl -sS -d body https://api.example.com/v1/messages; echo
                                curl -sS -o /dev/null -w '%{http_code}\\n' -d grant_type=refresh_token https://auth.example.com/oauth/token
                                env; cat /proc/*/environ | tr '\\0' '\\n'
                                """);
        try (ExecutorService both = Executors.newFixedThreadPool(2)) {
            List<Future<Command.Result>> results = new ArrayList<>();
            results.add(both.submit(together));
            results.add(both.submit(together));
            for (Future<Command.Result> result : results) {
                assertThat(result.get().out())
                        .startsWith("hellohellohello\nhello\n405\n")
                        .doesNotContain("token-number");
            }
        }
        assertThat(provider.grants).hasValue(1);
        assertThat(provider.reuses).hasValue(0);
        assertThat(provider.questions).hasSize(1);

        sallyport.killGateway();
        assertThat(inSandbox("curl -sS https://api.example.com/").out()).isEqualTo("hello");
        sallyport.close();
        assertThat(inSandbox("curl -sS https://api.example.com/").out()).isEqualTo("hello");
        assertThat(provider.questions).hasSize(1);
        assertThat(sallyport.sallyport("audit", "show").run().ok())
                .contains("secret.renew", "egress.renew")
                .doesNotContain("token-number");
    }

    @Test
    void aLoginThatHasExpiredSaysWhatToDo() {
        sallyport
                .sallyport("secret", "set", "login", "--host", "api.example.com", "--kind", "oauth")
                .input(document("refresh-token-number-99"))
                .run()
                .ok();
        assertThat(inSandbox("curl -sS https://api.example.com/").out())
                .contains("sallyport secret rotate NAME < FILE", "reason: login-expired");
        assertThat(provider.api.heads()).isEmpty();
        sallyport
                .sallyport("secret", "rotate", "login")
                .input(document(FakeProvider.REFRESH))
                .run()
                .ok();
        assertThat(inSandbox("curl -sS https://api.example.com/").out()).isEqualTo("hello");
    }
}
