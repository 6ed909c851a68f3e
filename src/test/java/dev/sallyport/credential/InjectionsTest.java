package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.Decision;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.JsonRules;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.SessionId;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class InjectionsTest {
    private static final HostName HOST = new HostName("api.example.com");
    private static final Injection.Place PLACE =
            new Injection.Place.AwsSignature("us-east-1", "bedrock");
    private static final String ID = "AKIAPLANTED0EXAMPLE42";
    private static final String KEY = "pl4nted/S3cretKey+That" + "NobodyMaySee0042";
    private static final String TOKEN = "IQoJplantedSessionToken".repeat(20);

    private final EgressPermit permit = permit(HOST, PLACE);
    private final Injections injections =
            new Injections(
                    List.of(
                            new InjectedCredential(
                                    "aws", HOST, AwsKey.line(ID, KEY, Optional.of(TOKEN)))),
                    Renewer.NONE);

    private static EgressPermit permit(HostName host, Injection.Place place) {
        Inspection inspection =
                new Inspection(
                        Optional.empty(),
                        Optional.empty(),
                        List.of(),
                        Optional.empty(),
                        JsonRules.NONE,
                        false,
                        List.of(),
                        Optional.of(new Injection("aws", place, Optional.empty())),
                        false);
        EgressRule rule =
                new EgressRule(
                        new HostPattern(HostPattern.Breadth.EXACT, host),
                        EgressRule.PORTS,
                        Reach.PUBLIC,
                        Optional.of(inspection),
                        "policy.yaml:7");
        Policy policy = new Policy(SessionId.random(), List.of(), new Egress(List.of(rule), false));
        return switch (policy.decide(host, 443)) {
            case Decision.Allow(EgressPermit permit) -> permit;
            case Decision.Deny(var reason) -> throw new AssertionError(reason);
        };
    }

    private static HttpRequest head(String path) {
        HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, path);
        head.headers().set("host", HOST.value()).set(CredentialBook.BODY_HASH, "0".repeat(64));
        return head;
    }

    private HttpRequest signed(String path) {
        HttpRequest head = head(path);
        injections.write(permit, head);
        return head;
    }

    private static String signature(HttpRequest head) {
        return head.headers().get("authorization").replaceFirst(".*Signature=", "");
    }

    /// It has thousands of states, and would be built for each request on an event loop.
    @Test
    void theTableOfAKeyIsMadeOnceForAllRequests() {
        Needles first = injections.needles(permit, signed("/a")).orElseThrow();
        Needles second = injections.needles(permit, signed("/b")).orElseThrow();
        assertThat(first.automaton()).isSameAs(second.automaton());
        assertThat(first.changing()).isNotSameAs(second.changing());
    }

    /// E14.
    @Test
    void e14EachRequestIsGuardedAgainstTheKeyAndItsOwnSignature() {
        HttpRequest head = signed("/a");
        EchoGuard guard = injections.guard(permit, head).orElseThrow();
        for (String secret : List.of(ID, KEY, TOKEN, signature(head))) {
            for (String spelling : Spelling.all(secret)) {
                assertThat(guard.isIn("a: " + spelling)).as(spelling).isTrue();
            }
        }
        assertThat(guard.isIn("a: " + signature(signed("/b")))).isFalse();
    }

    /// I2: the last who looks at a request, whatever a rule has allowed before.
    @Test
    void i2ASecretOfAServiceIsWrittenIntoRequestsForItsListedPagesOnly() {
        HostName api = new HostName("api.github.com");
        EgressPermit wide = permit(api, new Injection.Place.Bearer());
        Secret token = Secret.of("github_pat_planted".getBytes(StandardCharsets.US_ASCII));
        Injections known =
                new Injections(
                        List.of(
                                new InjectedCredential(
                                        "aws", new HostName("api.githubcopilot.com"), token)),
                        Renewer.NONE);
        HttpRequest page = head("/copilot_internal/user?a=b");
        known.write(wide, page);
        assertThat(page.headers().get("authorization")).isEqualTo("Bearer github_pat_planted");

        for (String target : List.of("/user", "/copilot_internal/v2/token", "/")) {
            HttpRequest other = head(target);
            assertThatThrownBy(() -> known.write(wide, other))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(other.headers().contains("authorization")).as(target).isFalse();
        }
    }

    /// What upstream calls take for the end of a session; another exception would leave the request
    /// without an answer.
    @Test
    void nothingIsSignedWithAKeyThatIsWipedMeanwhile() {
        Secret wiped = AwsKey.line(ID, KEY, Optional.empty());
        wiped.wipe();
        HttpRequest head = head("/a");
        SignatureV4.Scope scope = new SignatureV4.Scope("us-east-1", "bedrock");
        assertThatThrownBy(() -> Injections.sign(permit, head, wiped, scope))
                .isInstanceOf(IllegalStateException.class);
        assertThat(head.headers().contains("authorization")).isFalse();
    }
}
