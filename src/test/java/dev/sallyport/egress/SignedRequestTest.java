package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.credential.AwsKey;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.InjectedCredential;
import dev.sallyport.credential.Secret;
import dev.sallyport.fixture.AwsGate;
import dev.sallyport.fixture.LiveSessions;
import dev.sallyport.git.TestPki;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.Injection.Place;
import dev.sallyport.policy.Policy;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// P1, P2: requests are signed with an access key of AWS, which goes nowhere; what is signed is
/// what was judged, for one host, region and service.
final class SignedRequestTest {
    private static final TestPki PKI = new TestPki();
    private static final String ID = "AKIAPLANTED0EXAMPLE42";
    private static final String KEY = "pl4nted/S3cretKey+That" + "NobodyMaySee0042";
    private static final String TOKEN = "IQoJplantedSessionToken+/Of0a1Temporary2Key==";
    private static final Place PLACE = new Place.AwsSignature("us-east-1", "bedrock");
    private static final String JSON = "Content-Type: application/json\r\n";

    private final AwsGate gate = new AwsGate(ID, KEY, Optional.of(TOKEN), "us-east-1", "bedrock");
    private final List<AwsGate.Request> arrived = new CopyOnWriteArrayList<>();

    /// Answers as Amazon does, or with what a test makes of the request.
    private ScriptedHost host(Function<AwsGate.Request, String> answer) throws Exception {
        return ScriptedHost.tls(
                PKI.server("api.example.com"),
                peer -> {
                    for (String head = peer.head(); !head.isEmpty(); head = peer.head()) {
                        AwsGate.Request request = request(head, peer.readBody());
                        arrived.add(request);
                        peer.say(answer.apply(request));
                    }
                });
    }

    private ScriptedHost amazon() throws Exception {
        return host(
                request ->
                        ScriptedHost.ok(gate.objection(request, Instant.now()).orElse("signed")));
    }

    static AwsGate.Request request(String head, String body) {
        List<String> lines = head.lines().toList();
        Map<String, String> fields = new TreeMap<>();
        for (String line : lines.subList(1, lines.size())) {
            if (!line.isEmpty()) {
                String[] parts = line.split(": ", 2);
                fields.put(parts[0].toLowerCase(Locale.ROOT), parts[1]);
            }
        }
        String[] first = lines.getFirst().split(" ", 3);
        byte[] bytes = body.getBytes(StandardCharsets.ISO_8859_1);
        return new AwsGate.Request(first[0], first[1], fields, bytes);
    }

    private static WebRule rule(ScriptedHost host) {
        return new WebRule(host.dial(), Optional.of(PKI.caPem())).inject(PLACE);
    }

    private static WebRig rig(EgressRule rule) {
        return rig(rule, AwsKey.line(ID, KEY, Optional.of(TOKEN)));
    }

    private static WebRig rig(EgressRule rule, Secret secret) {
        WebRig rig = new WebRig(WebRig.Terms.encrypted(), rule);
        rig.session =
                LiveSessions.of(
                        rig.id,
                        "box",
                        new Policy(rig.id, List.of(), new Egress(List.of(rule), false)),
                        new CredentialBook(
                                List.of(),
                                List.of(
                                        new InjectedCredential(
                                                WebRig.SECRET_NAME, WebRig.HOST, secret))));
        return rig;
    }

    /// Every answer and every record of these tests.
    private static String ask(WebRig rig, String request) throws Exception {
        String answer = WebClient.ask(rig, request);
        assertThat(answer + rig.events)
                .doesNotContain(ID)
                .doesNotContain(KEY)
                .doesNotContain(TOKEN)
                .doesNotContain("Signature=");
        return answer;
    }

    private static void assertRefused(String answer, String code) {
        assertThat(answer).contains("sallyport-reason: " + code).doesNotContain("HTTP/1.1 200");
    }

    /// E15, and the positive control.
    @Test
    void e15SignsAnewWhatASandboxSignedWithAKeyOfItsOwn() throws Exception {
        String theirs =
                "Authorization: AWS4-HMAC-SHA256 Credential=ATTACKER/20260101/us-east-1/bedrock/aws4_request,"
                        + " SignedHeaders=host, Signature=00\r\nX-Amz-Date: 20260101T000000Z\r\n"
                        + "X-Amz-Security-Token: attacker\r\nX-Amz-Content-Sha256: UNSIGNED-PAYLOAD\r\n"
                        + "X-Amz-Target: attacker\r\nX-Amzn-Bedrock-Trace:  a   b \r\n";
        try (ScriptedHost host = amazon();
                WebRig rig = rig(rule(host).jsonDenied("type=url").done())) {
            String body = "{\"messages\":[]}";
            assertThat(ask(rig, WebClient.post("/model/a:0/invoke", theirs + JSON, body)))
                    .endsWith("signed");
            AwsGate.Request request = arrived.getFirst();
            assertThat(request.fields().toString()).doesNotContainIgnoringCase("attacker");
            assertThat(request.fields()).doesNotContainKey("x-amz-target");
            assertThat(new String(request.body(), StandardCharsets.ISO_8859_1)).isEqualTo(body);
            assertThat(host.received()).doesNotContain(KEY);
        }
    }

    @Test
    void aKeyThatIsNotTemporaryHasNoToken() throws Exception {
        AwsGate lasting = new AwsGate(ID, KEY, Optional.empty(), "us-east-1", "bedrock");
        try (ScriptedHost host =
                        host(
                                request ->
                                        ScriptedHost.ok(
                                                lasting.objection(request, Instant.now())
                                                        .orElse("signed")));
                WebRig rig = rig(rule(host).done(), AwsKey.line(ID, KEY, Optional.empty()))) {
            assertThat(ask(rig, WebClient.get("/"))).endsWith("signed");
            assertThat(arrived.getFirst().fields()).doesNotContainKey("x-amz-security-token");
        }
    }

    private static String chunked(String type, String... parts) {
        StringBuilder chunks = new StringBuilder();
        for (String part : parts) {
            chunks.append(part.length()).append('\n').append(part).append('\n');
        }
        return """
        POST / HTTP/1.1
        Host: api.example.com
        Transfer-Encoding: chunked
        Content-Type: %s
        Connection: close

        %s0
        X-Amz-Meta-A: attacker

        """
                .formatted(type, chunks)
                .replace("\n", "\r\n");
    }

    /// A body is here as a whole before anything is signed, and nothing comes behind it.
    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/json"})
    void aBodyInPartsIsSignedAsOne(String type) throws Exception {
        try (ScriptedHost host = amazon();
                WebRig rig = rig(rule(host).done())) {
            assertThat(ask(rig, chunked(type, "{", "}"))).endsWith("signed");
            assertThat(arrived.getFirst().fields())
                    .containsEntry("content-length", "2")
                    .doesNotContainKey("transfer-encoding");
            assertThat(host.received()).doesNotContain("attacker");
        }
    }

    @Test
    void aBodyThatIsTooLargeIsNotSigned() throws Exception {
        try (ScriptedHost host = amazon();
                WebRig rig = rig(rule(host).bytesMax(4).done())) {
            assertRefused(ask(rig, chunked("text/plain", "12345")), "body-too-large");
            assertThat(host.peers).isEmpty();
        }
    }

    /// E16: a denied body goes nowhere, signed or not.
    @Test
    void e16ABodyThatIsDeniedIsNotSigned() throws Exception {
        try (ScriptedHost host = amazon();
                WebRig rig = rig(rule(host).jsonDenied("type=url").done())) {
            assertRefused(
                    ask(rig, WebClient.post("/", JSON, "{\"type\":\"url\"}")),
                    "content-not-allowed");
            assertThat(host.peers).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/model/us.anthropic.claude-v1:0/invoke",
                "/model/us.anthropic.claude-v1%3A0/invoke",
                "/a%20b/%7E/~/%C3%A9/(x)!*'",
                "/?b=2&a=1&a=0&B=3&a1=x&empty&none=",
                "/x?c=%7e%2F%2f%20%41",
                "/x?a%3D=b=c&&a="
            })
    void amazonReadsWhatWasSigned(String target) throws Exception {
        try (ScriptedHost host = amazon();
                WebRig rig = rig(rule(host).done())) {
            assertThat(ask(rig, WebClient.get(target))).endsWith("signed");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/model/a%252Finvoke",
                "/model/a%2Finvoke",
                "/model/../invoke",
                "/model/%2e%2e/invoke",
                "/model//invoke",
                "/x?a=b+c",
                "/x?a=b;c=d",
                "/x?a=b?c"
            })
    void whatCouldBeReadInTwoWaysIsNotSigned(String target) throws Exception {
        try (ScriptedHost host = amazon();
                WebRig rig = rig(rule(host).done())) {
            assertRefused(ask(rig, WebClient.get(target)), "url-not-allowed");
            assertThat(host.peers).isEmpty();
        }
    }

    /// Whoever got hold of a signed request could not use it for another one.
    @Test
    void aSignatureIsGoodForThatRequestAndForMinutes() throws Exception {
        try (ScriptedHost host = amazon();
                WebRig rig = rig(rule(host).done())) {
            assertThat(ask(rig, WebClient.post("/model/a/invoke", JSON, "{}"))).endsWith("signed");
        }
        AwsGate.Request sent = arrived.getFirst();
        Instant now = Instant.now();
        assertThat(gate.objection(sent, now)).isEmpty();
        byte[] other = "{ }".getBytes(StandardCharsets.US_ASCII);
        Map<String, String> fields = sent.fields();
        assertThat(
                        List.of(
                                gate.objection(sent, now.plusSeconds(600)),
                                gate.objection(sent, now.minusSeconds(600)),
                                gate.objection(sent.with("host", "other.example.com"), now),
                                gate.objection(sent.with("content-type", "text/plain"), now),
                                gate.objection(sent.with("x-amz-meta-a", "b"), now),
                                gate.objection(
                                        new AwsGate.Request(
                                                "POST", "/model/b/invoke", fields, sent.body()),
                                        now),
                                gate.objection(
                                        new AwsGate.Request(
                                                "POST",
                                                sent.target() + "?a=b",
                                                fields,
                                                sent.body()),
                                        now),
                                gate.objection(
                                        new AwsGate.Request(
                                                "PUT", sent.target(), fields, sent.body()),
                                        now),
                                gate.objection(
                                        new AwsGate.Request("POST", sent.target(), fields, other),
                                        now),
                                new AwsGate(ID, KEY, Optional.of(TOKEN), "eu-west-1", "bedrock")
                                        .objection(sent, now),
                                new AwsGate(ID, KEY, Optional.of(TOKEN), "us-east-1", "iam")
                                        .objection(sent, now)))
                .allMatch(Optional::isPresent);
    }

    /// I2: what requests are signed with is never sent, and what is sent never signs.
    @Test
    void i2AKeyIsUsedAsItsKindAndInNoOtherWay() throws Exception {
        try (ScriptedHost host = amazon()) {
            Secret key = AwsKey.line(ID, KEY, Optional.empty());
            for (Place place : List.of(new Place.Bearer(), new Place.Header("x-api-key"))) {
                EgressRule rule =
                        new WebRule(host.dial(), Optional.of(PKI.caPem())).inject(place).done();
                try (WebRig rig = rig(rule, key)) {
                    assertRefused(ask(rig, WebClient.get("/")), "internal");
                }
            }
            Secret token = Secret.of("aws4:not-a-key-of-aws".getBytes(StandardCharsets.US_ASCII));
            Secret other = Secret.of("token-of-a-host".getBytes(StandardCharsets.US_ASCII));
            for (Secret wrong : List.of(token, other)) {
                try (WebRig rig = rig(rule(host).done(), wrong)) {
                    assertRefused(ask(rig, WebClient.get("/")), "internal");
                }
            }
            assertThat(host.peers).isEmpty();
        }
    }

    /// E14: nor does any part of it come back, the signature included.
    @Test
    void e14CutsAnAnswerThatRepeatsAPartOfTheKeyOrTheSignature() throws Exception {
        List<Function<AwsGate.Request, String>> echoes =
                List.of(
                        _ -> ID,
                        _ -> KEY,
                        _ -> TOKEN,
                        _ ->
                                Base64.getEncoder()
                                        .encodeToString(
                                                ("x" + ID).getBytes(StandardCharsets.UTF_8)),
                        request -> request.field("authorization").replaceFirst(".*Signature=", ""));
        for (Function<AwsGate.Request, String> echo : echoes) {
            try (ScriptedHost host = host(request -> ScriptedHost.ok("~~~" + echo.apply(request)));
                    WebRig rig = rig(rule(host).done())) {
                String answer = ask(rig, WebClient.get("/"));
                assertThat(answer).doesNotContain(echo.apply(arrived.getLast()));
                assertThat(WebClient.isWhole(answer)).isFalse();
            }
            try (ScriptedHost host =
                            host(
                                    request ->
                                            "HTTP/1.1 200 OK\r\nX-Echo: "
                                                    + echo.apply(request)
                                                    + "\r\nContent-Length: 2\r\n\r\nhi");
                    WebRig rig = rig(rule(host).done())) {
                assertRefused(ask(rig, WebClient.get("/")), "upstream-misbehaved");
            }
        }
    }
}
