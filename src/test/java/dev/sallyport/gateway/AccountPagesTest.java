package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.channel.Message;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.Limits;
import dev.sallyport.config.Presets;
import dev.sallyport.credential.Authority;
import dev.sallyport.credential.Secret;
import dev.sallyport.egress.RawSocket;
import dev.sallyport.egress.ScriptedHost;
import dev.sallyport.git.TestPki;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// P2: two credentials at one name. GitHub's API is asked with that of the repository, and its
/// pages about a Copilot account with that of Copilot; neither is ever sent in the other's place.
final class AccountPagesTest {
    private static final String SESSION = "00000000000000aa";
    private static final String API = "api.github.com";
    private static final String USER = "/copilot_internal/user";
    private static final String GIT = "ghp_pl4ntedTokenOfTheRepository0042";
    private static final String COPILOT = "github_pat_pl4ntedTokenOfCopilot0042";
    private final Authority authority =
            Authority.create(
                    new SessionId(SESSION),
                    List.of(new HostName(API)),
                    Instant.now().plus(Duration.ofDays(1)));

    private final TestPki pki = new TestPki();
    private volatile String answer = "{\"login\":\"ada\"}";
    private ScriptedHost api;
    private ScriptedHost pages;
    private GatewayInProcess gateway;

    @BeforeEach
    void start() throws IOException {
        api = host();
        pages = host();
        gateway =
                new GatewayInProcess(
                        Limits.standard(),
                        (_, _, _, _, _) ->
                                new Gateway.GitDoors.Opened(
                                        (_, _, responder) -> {
                                            responder.refuse(Refusal.NO_SUCH_ENDPOINT, "git");
                                            return new IgnoredBody();
                                        },
                                        (_, _, _, _) -> CompletableFuture.completedFuture(false),
                                        _ -> {}),
                        new Message.Host(
                                "github.com",
                                "github",
                                Optional.of(pki.caPem()),
                                Optional.of(api.dial())));
    }

    private ScriptedHost host() throws IOException {
        return ScriptedHost.tls(
                pki.server(API),
                peer -> {
                    while (!peer.head().isEmpty()) {
                        peer.readBody();
                        peer.say(
                                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                        + "Content-Length: %d\r\n\r\n%s"
                                                .formatted(answer.length(), answer));
                    }
                });
    }

    @AfterEach
    void stop() throws Exception {
        gateway.close();
        api.close();
        pages.close();
        assertThat(gateway.halts).isEmpty();
    }

    /// As the warden attaches a sandbox that runs copilot.
    private void attach(boolean repository) throws Exception {
        attach(repository, true);
    }

    private void attach(boolean repository, boolean copilot) throws Exception {
        GrantText grant =
                GrantText.of(
                        new RepoGrant(
                                        RepoPattern.parse("github.com/acme/app"),
                                        Access.WRITE,
                                        RefVisibility.all(),
                                        PushRules.standard())
                                .withApi(ApiRules.standard(Access.WRITE)));
        List<EgressText> rules =
                Presets.find("copilot").orElseThrow().rules().stream()
                        .map(EgressText::of)
                        .map(
                                rule ->
                                        new EgressText(
                                                rule.host(),
                                                rule.ports(),
                                                false,
                                                Optional.of(pages.dial()),
                                                Optional.of(pki.caPem()),
                                                rule.inspection(),
                                                rule.origin()))
                        .toList();
        gateway.attach(
                SESSION,
                listeners ->
                        new Message.Attach(
                                SESSION,
                                "box",
                                new Message.Rights(
                                        repository ? List.of(grant) : List.of(),
                                        copilot ? rules : List.of(),
                                        false,
                                        GitSettings.STANDARD),
                                List.of(
                                        Message.HostSecret.stored(
                                                "github.com", "x-access-token", secret(GIT))),
                                List.of(
                                        new Message.InjectedSecret(
                                                "copilot",
                                                "api.githubcopilot.com",
                                                secret(COPILOT),
                                                Optional.empty())),
                                Optional.of(
                                        new Message.Authority(
                                                authority.certificatePem(),
                                                authority.key().copy())),
                                new Message.Spent(0, 0, 0),
                                0,
                                listeners,
                                List.of()));
    }

    private static Secret secret(String text) {
        return Secret.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    /// One request from inside, and all that comes back.
    private String ask(String line, String... fields) throws Exception {
        String request =
                line
                        + " HTTP/1.1\r\nHost: "
                        + API
                        + "\r\nConnection: close\r\n"
                        + String.join("", fields)
                        + "\r\n";
        try (RawSocket client = new RawSocket(gateway.proxyPorts.getOrDefault(SESSION, 0))) {
            client.send("CONNECT %1$s:443 HTTP/1.1\r\nHost: %1$s:443\r\n\r\n".formatted(API));
            assertThat(client.head()).startsWith("HTTP/1.1 200 ");
            String told =
                    new TlsProbe(authority.certificatePem(), "TLSv1.3")
                            .ask(client.socket(), API, request);
            assertThat(told + gateway.events).doesNotContain(COPILOT).doesNotContain(GIT);
            return told;
        }
    }

    private static String authorization(String token) {
        return "Authorization: Bearer " + token + "\r\n";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                USER,
                "/copilot_internal/managed_settings?client_id=github%2Fcli",
                "/copilot_internal/team_customizations"
            })
    void p2AsksForListedPagesWithTheSecretOfTheirService(String target) throws Exception {
        attach(true);

        String told = ask("GET " + target, authorization("github_pat_placeholder"));

        assertThat(told).startsWith("HTTP/1.1 200").endsWith("{\"login\":\"ada\"}");
        assertThat(pages.heads()).hasSize(1);
        assertThat(pages.heads().getFirst())
                .startsWith("GET " + target + " HTTP/1.1\r\n")
                .contains("\r\nauthorization: Bearer " + COPILOT + "\r\n")
                .doesNotContain("placeholder");
        assertThat(api.heads()).isEmpty();
    }

    /// The same connection would do; the door of the API is where it was.
    @Test
    void p2AsksTheApiWithTheCredentialOfTheRepository() throws Exception {
        attach(true);
        answer = "{\"full_name\":\"acme/app\",\"id\":7,\"node_id\":\"R_7\"}";

        String told = ask("GET /repos/acme/app", authorization(ApiHost.PLACEHOLDER));

        assertThat(told).startsWith("HTTP/1.1 200").contains("acme/app");
        assertThat(api.heads())
                .isNotEmpty()
                .allMatch(head -> head.contains("\r\nauthorization: Bearer " + GIT + "\r\n"));
        assertThat(pages.heads()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /copilot_internal/v2/token",
                "GET /copilot_internal/content_exclusion",
                "GET /copilot_internal/users",
                "GET /copilot_internal/user/",
                "GET /copilot_internal/User",
                "GET /copilot_internal//user",
                "GET /copilot_internal/user;x",
                "GET /copilot_internal/user%2f..%2fv2%2ftoken",
                "GET /repos/../copilot_internal/v2/token",
                "GET /sallyport/followed/copilot_internal/user",
                "GET /copilot_internal/user?token=x",
                "POST /copilot_internal/user",
                "HEAD /copilot_internal/user",
                "PUT /copilot_internal/user",
                "DELETE /copilot_internal/user"
            })
    void p2SendsNeitherTokenToAnotherPage(String line) throws Exception {
        attach(true);

        assertThat(ask(line, authorization(ApiHost.PLACEHOLDER), "Content-Length: 0\r\n"))
                .doesNotStartWith("HTTP/1.1 200");
        assertThat(ask(line, "Content-Length: 0\r\n")).doesNotStartWith("HTTP/1.1 200");

        assertThat(pages.heads()).isEmpty();
        assertThat(api.heads()).isEmpty();
    }

    /// Without a rule for them, the pages are as closed as everything that is no repository's.
    @Test
    void p2NeverAsksForThePagesWithTheCredentialOfTheRepository() throws Exception {
        attach(true, false);

        assertThat(ask("GET " + USER, authorization(ApiHost.PLACEHOLDER)))
                .doesNotStartWith("HTTP/1.1 200");

        assertThat(api.heads()).isEmpty();
        assertThat(pages.heads()).isEmpty();
    }

    @Test
    void p2LetsNoFieldTurnAPageIntoAnother() throws Exception {
        attach(true);

        assertThat(ask("GET " + USER, "X-HTTP-Method-Override: POST\r\n"))
                .doesNotStartWith("HTTP/1.1 200");
        assertThat(ask("GET " + USER, "X-Original-URL: /copilot_internal/v2/token\r\n"))
                .doesNotStartWith("HTTP/1.1 200");

        assertThat(pages.heads()).isEmpty();
    }

    @Test
    void withoutARepositoryNothingButThePagesIsServed() throws Exception {
        attach(false);

        assertThat(ask("GET " + USER)).startsWith("HTTP/1.1 200");
        assertThat(ask("GET /repos/acme/app", authorization(ApiHost.PLACEHOLDER)))
                .startsWith("HTTP/1.1 403");
        assertThat(ask("GET /copilot_internal/v2/token")).startsWith("HTTP/1.1 403");

        assertThat(pages.heads()).hasSize(1);
        assertThat(api.heads()).isEmpty();
    }

    /// What could be used outside of the sandbox, or leads where it may not go.
    @Test
    void p1TakesTokensAndUnlistedAddressesOutOfAnswers() throws Exception {
        attach(true);
        answer =
                """
                {"login":"ada","token_based_billing":true,"token":"tid=1;exp=2","a":[{"refresh_token":"x"}],
                "endpoints":{"api":"https://api.individual.githubcopilot.com","odd":"https://api.individual.githubcopilot.com:8443",
                "plain":"http://api.individual.githubcopilot.com","telemetry":"https://telemetry.individual.githubcopilot.com",
                "like":"https://api.individual.githubcopilot.com.evil.example","user":"https://api.individual.githubcopilot.com@evil.example"}}
                """;

        assertThat(ask("GET " + USER))
                .startsWith("HTTP/1.1 200")
                .endsWith(
                        "{\"login\":\"ada\",\"token_based_billing\":true,\"a\":[{}],"
                                + "\"endpoints\":{\"api\":\"https://api.individual.githubcopilot.com\"}}");
    }

    /// Below such a name, in a list, or under a name that tells nothing.
    @Test
    void p1TakesTokensOutOfAnswersWhereverTheyAre() throws Exception {
        attach(true);
        answer =
                """
                {"tokens":["tid=1;exp=2"],"session_token":{"value":"tid=3","life":4,"all":[["tid=5"]]},
                "plan":"ghu_0123456789abcdefghij","list":["a","gho_0123456789abcdefghij"],
                "rule":"Use basic words."}
                """;

        assertThat(ask("GET " + USER))
                .startsWith("HTTP/1.1 200")
                .endsWith(
                        "{\"tokens\":[],\"session_token\":{\"life\":4,\"all\":[[]]},"
                                + "\"plan\":\"[redacted]\",\"list\":[\"a\",\"[redacted]\"],"
                                + "\"rule\":\"Use basic words.\"}");
    }

    /// Whoever looks for the token in what the host says does not see it there.
    @Test
    void e14RefusesAnAnswerThatIsNotUtf8() throws Exception {
        attach(true);
        String text = "{\"login\":\"" + COPILOT + "\"}";
        answer = new String(text.getBytes(StandardCharsets.UTF_16LE), StandardCharsets.ISO_8859_1);

        assertThat(ask("GET " + USER)).startsWith("HTTP/1.1 502").doesNotContain("login");
        assertThat(pages.heads()).hasSize(1);
    }

    @Test
    void e14RefusesAnAnswerWithTheTokenInIt() throws Exception {
        attach(true);
        answer = "{\"login\":\"" + COPILOT + "\"}";

        assertThat(ask("GET " + USER)).startsWith("HTTP/1.1 502").doesNotContain("login");
        assertThat(pages.heads()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html>", "{\"a\":1,\"a\":2}", "{} {}", "{", "\"text\""})
    void refusesAnAnswerThatNobodyCanRead(String text) throws Exception {
        attach(true);
        answer = text;

        assertThat(ask("GET " + USER)).startsWith("HTTP/1.1 502").doesNotContain(text);
        assertThat(pages.heads()).hasSize(1);
    }

    @Test
    void refusesAnAnswerThatIsTooLarge() throws Exception {
        attach(true);
        answer = "{\"a\":\"" + "x".repeat(256 * 1_024) + "\"}";

        assertThat(ask("GET " + USER)).startsWith("HTTP/1.1 502").doesNotContain("xxxx");
    }
}
