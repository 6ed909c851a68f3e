package dev.sallyport.gateway;

import static dev.sallyport.gateway.RenewalRig.ONE;
import static dev.sallyport.gateway.RenewalRig.OTHER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.FakeProvider;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// How logins are renewed: once for everybody, stored before they are used, and never lost.
class RenewalTest {
    private final Instant longAgo = Instant.now().minus(Duration.ofHours(1));
    private final Optional<Instant> over = Optional.of(Instant.now().minus(Duration.ofMinutes(1)));

    private FakeProvider provider;
    private RenewalRig rig;

    @BeforeEach
    void open() throws Exception {
        provider = new FakeProvider();
        rig = new RenewalRig(provider);
    }

    @AfterEach
    void close() throws Exception {
        rig.close();
    }

    @Test
    void manyRequestsOfTwoSandboxesShareOneRenewal() throws Exception {
        rig.attach(ONE, over, longAgo);
        rig.attach(OTHER, over, longAgo);
        rig.store = new CompletableFuture<>();
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            answers.add(rig.get(i % 2 == 0 ? ONE : OTHER));
        }
        Await.until(() -> rig.given.size() == 1);
        rig.store.complete(null);
        for (CompletableFuture<String> answer : answers) {
            assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo("200 hello");
        }
        assertThat(rig.got(OTHER)).isEqualTo("200 hello");

        assertThat(provider.grants).hasValue(1);
        assertThat(provider.reuses).hasValue(0);
        assertThat(provider.api.heads())
                .hasSize(21)
                .allMatch(head -> head.contains("Bearer access-token-number-1\r\n"))
                .noneMatch(head -> head.contains("refresh-token"));
        assertThat(rig.recorded()).containsExactly("egress.renew allow");
        assertThat(rig.events.getFirst().detail())
                .containsEntry("secret", "login")
                .containsEntry("host", FakeProvider.AUTH);
    }

    @Test
    void nothingGoesOutBeforeTheNewTokensAreStored() throws Exception {
        rig.attach(ONE, over, longAgo);
        rig.store = new CompletableFuture<>();
        CompletableFuture<String> answer = rig.get(ONE);
        Await.until(() -> rig.given.size() == 1);
        assertThat(rig.given.getFirst().version()).isEqualTo("v0");
        assertThat(provider.api.heads()).isEmpty();
        assertThat(answer).isNotDone();
        rig.store.complete(null);
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo("200 hello");
    }

    /// The refresh token that they came for is used up: these are all that is left of the login.
    @Test
    void tokensThatCannotBeStoredAreKeptAndNotUsed() throws Exception {
        rig.attach(ONE, over, longAgo);
        rig.stores = false;
        assertThat(rig.got(ONE)).isEqualTo("login-not-renewed");
        assertThat(rig.got(ONE)).isEqualTo("login-not-renewed");
        assertThat(rig.given).hasSize(1);
        rig.stores = true;
        rig.nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(rig.got(ONE)).isEqualTo("200 hello");
        assertThat(rig.given).hasSize(2);
        assertThat(provider.grants).hasValue(1);
        assertThat(provider.questions).hasSize(1);
    }

    @Test
    void aSandboxThatEndsMeanwhileDoesNotTakeTheLoginWithIt() throws Exception {
        rig.attach(ONE, over, longAgo);
        rig.attach(OTHER, over, longAgo);
        provider.hold = new CompletableFuture<>();
        CompletableFuture<String> answer = rig.get(ONE);
        Await.until(() -> provider.questions.size() == 1);
        rig.detach(ONE);
        provider.hold.complete(null);
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo("session-ended");
        assertThat(rig.got(OTHER)).isEqualTo("200 hello");
        assertThat(provider.grants).hasValue(1);
        assertThat(provider.reuses).hasValue(0);
    }

    @Test
    void aLoginThatIsRefusedIsNotTriedAgain() throws Exception {
        for (String refusal :
                List.of(
                        FakeProvider.answer(
                                "400 Bad Request",
                                "application/json",
                                "{\"error\":\"invalid_grant\",\"error_description\":\"gone\"}"),
                        FakeProvider.answer(
                                "401 Unauthorized",
                                "application/json",
                                "{\"error\":{\"message\":\"no\",\"type\":\"t\",\"code\":\"refresh_token_expired\"}}"))) {
            close();
            open();
            provider.instead = refusal;
            rig.attach(ONE, over, longAgo);
            assertThat(rig.got(ONE)).isEqualTo("login-expired");
            rig.nanos.addAndGet(TimeUnit.HOURS.toNanos(1));
            assertThat(rig.got(ONE)).isEqualTo("login-expired");
            assertThat(provider.questions).hasSize(1);
            assertThat(provider.api.heads()).isEmpty();
            assertThat(rig.recorded())
                    .containsExactly("egress.renew allow", "egress.renew-failed  login-expired");
            AuditEvent event = rig.events.getLast();
            assertThat(event.detail().get("error")).isIn("invalid_grant", "refresh_token_expired");
        }
    }

    @Test
    void whatIsNoAnswerOfAnEndpointSaysNothingAboutTheLogin() throws Exception {
        String tokens = "{\"access_token\":\"another-access-token\"";
        for (String answer :
                List.of(
                        FakeProvider.answer("503 Busy", "application/json", "{}"),
                        FakeProvider.answer("403 Forbidden", "text/html", "<html>blocked</html>"),
                        FakeProvider.answer("403 Forbidden", "application/json", "{}"),
                        FakeProvider.answer("200 OK", "text/plain", tokens + "}"),
                        FakeProvider.answer("200 OK", "application/json", tokens),
                        FakeProvider.answer(
                                "200 OK", "application/json", tokens + ",\"access_token\":\"x\"}"),
                        FakeProvider.answer(
                                "200 OK", "application/json", tokens + ",\"token_type\":\"mac\"}"),
                        FakeProvider.answer(
                                "200 OK", "application/json", tokens + ",\"expires_in\":-1}"),
                        FakeProvider.answer(
                                "200 OK", "application/json", "{\"access_token\":\"a b c d e f\"}"),
                        FakeProvider.answer(
                                "200 OK", "application/json", "{\"access_token\":\"short\"}"),
                        FakeProvider.answer("200 OK", "application/json", "[" + "[".repeat(5_000)),
                        FakeProvider.answer(
                                "200 OK",
                                "application/json",
                                tokens + ",\"x\":\"" + "y".repeat(70_000) + "\"}"),
                        "HTTP/1.1 302 Found\r\nLocation: https://api.example.com/\r\nContent-Length: 0\r\n\r\n",
                        "garbage\r\n\r\n",
                        "")) {
            close();
            open();
            provider.instead = answer.isEmpty() ? "\r\n" : answer;
            rig.attach(ONE, over, longAgo);
            assertThat(rig.got(ONE)).as(answer).isEqualTo("login-not-renewed");
            assertThat(rig.given).as(answer).isEmpty();
            assertThat(provider.api.heads()).as(answer).isEmpty();
        }
    }

    @Test
    void anEndpointThatIsDownIsAskedAgainAfterLongerAndLongerPauses() throws Exception {
        provider.instead = FakeProvider.answer("503 Busy", "application/json", "{}");
        rig.attach(ONE, over, longAgo);
        for (int pause = 1; pause <= 4; pause *= 2) {
            assertThat(rig.got(ONE)).isEqualTo("login-not-renewed");
            rig.nanos.addAndGet(TimeUnit.SECONDS.toNanos(pause) - 1);
            assertThat(rig.got(ONE)).isEqualTo("login-not-renewed");
            rig.nanos.addAndGet(1);
        }
        assertThat(provider.questions).hasSize(3);
        provider.instead = "";
        assertThat(rig.got(ONE)).isEqualTo("200 hello");
        assertThat(rig.recorded()).contains("egress.renew-failed  login-not-renewed");
    }

    @Test
    void aTokenThatIsStillGoodIsUsedWhileItCannotBeRenewed() throws Exception {
        provider.acceptFirst();
        provider.instead = FakeProvider.answer("503 Busy", "application/json", "{}");
        rig.attach(ONE, Optional.of(Instant.now().plusSeconds(50)), longAgo);
        assertThat(rig.got(ONE)).isEqualTo("200 hello");
        assertThat(provider.questions).hasSize(1);
    }

    @Test
    void aTokenThatIsGoodForLongIsNotRenewed() throws Exception {
        provider.acceptFirst();
        rig.attach(ONE, Optional.of(Instant.now().plusSeconds(600)), longAgo);
        rig.attach(OTHER, Optional.empty(), longAgo);
        assertThat(rig.got(ONE)).isEqualTo("200 hello");
        assertThat(rig.got(OTHER)).isEqualTo("200 hello");
        assertThat(provider.questions).isEmpty();
        assertThat(rig.events).isEmpty();
    }

    @Test
    void aTokenThatTheHostDoesNotTakeIsRenewedOnceAndTheRequestSentAgain() throws Exception {
        rig.attach(ONE, Optional.empty(), longAgo);
        assertThat(rig.got(ONE)).isEqualTo("200 hello");
        assertThat(provider.grants).hasValue(1);
        assertThat(provider.api.heads()).hasSize(2);
    }

    @Test
    void aRequestWithABodyIsNotSentTwice() throws Exception {
        rig.attach(ONE, Optional.empty(), longAgo);
        assertThat(rig.posted(ONE)).isEqualTo("login-renewed");
        assertThat(provider.api.heads()).hasSize(1);
        assertThat(rig.posted(ONE)).isEqualTo("200 hello");
        assertThat(provider.grants).hasValue(1);
    }

    /// Else whoever may send a request that is refused could renew without end.
    @Test
    void aYoungTokenThatIsRefusedIsNotRenewed() throws Exception {
        rig.attach(ONE, Optional.empty(), Instant.now());
        assertThat(rig.got(ONE)).isEqualTo("401 hello");
        assertThat(rig.posted(ONE)).isEqualTo("401 hello");
        assertThat(provider.questions).isEmpty();
    }

    @Test
    void whatIsNotRecordedIsNotAsked() throws Exception {
        rig.records = false;
        rig.attach(ONE, over, longAgo);
        assertThat(rig.got(ONE)).isEqualTo("not-recorded");
        assertThat(provider.questions).isEmpty();
        assertThat(provider.api.heads()).isEmpty();
    }

    @Test
    void p1_neitherTokenComesBackInAnAnswer() throws Exception {
        rig.attach(ONE, over, longAgo);
        assertThat(rig.got(ONE)).isEqualTo("200 hello");
        for (String told :
                List.of(
                        "refresh-token-number-1",
                        "access-token-number-1",
                        Base64.getEncoder()
                                .encodeToString(
                                        "refresh-token-number-1"
                                                .getBytes(StandardCharsets.US_ASCII)))) {
            provider.answer = "you sent " + told;
            assertThat(rig.got(ONE)).as(told).isEqualTo("upstream-misbehaved");
        }
    }
}
