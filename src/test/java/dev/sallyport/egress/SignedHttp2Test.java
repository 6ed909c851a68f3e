package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.credential.AwsKey;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.InjectedCredential;
import dev.sallyport.fixture.AwsGate;
import dev.sallyport.fixture.LiveSessions;
import dev.sallyport.policy.Injection.Place;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// As [SignedRequestTest], for clients that speak HTTP/2.
final class SignedHttp2Test {
    private static final String ID = "AKIAPLANTED0EXAMPLE42";
    private static final String KEY = "pl4nted/S3cretKey+That" + "NobodyMaySee0042";

    private final AwsGate gate = new AwsGate(ID, KEY, Optional.empty(), "us-east-1", "bedrock");
    private final List<AwsGate.Request> arrived = new CopyOnWriteArrayList<>();

    private static WebRule signing(WebRule rule) {
        return rule.inject(new Place.AwsSignature("us-east-1", "bedrock"));
    }

    private String amazon(AwsGate.Request request) {
        arrived.add(request);
        return gate.objection(request, Instant.now()).orElse("signed");
    }

    /// As Amazon does it over HTTP/2, where the name that is signed is `:authority`.
    private void answer(Http2Peer peer) throws IOException {
        while (true) {
            Http2Peer.Frame head = peer.head();
            boolean bodiless = (head.flags() & Http2Peer.END_STREAM) != 0;
            String body = bodiless ? "" : String.join("", peer.rest());
            peer.answer(0, Http2Rig.OK);
            peer.say(amazon(request(head.fields(), body)), Http2Peer.END_STREAM);
        }
    }

    private static AwsGate.Request request(List<String> head, String body) {
        Map<String, String> fields = new TreeMap<>();
        for (String field : head) {
            int colon = field.indexOf(": ", 1);
            fields.put(field.substring(0, colon), field.substring(colon + 2));
        }
        fields.put("host", fields.getOrDefault(":authority", ""));
        return new AwsGate.Request(
                fields.getOrDefault(":method", ""),
                fields.getOrDefault(":path", ""),
                fields,
                body.getBytes(StandardCharsets.ISO_8859_1));
    }

    private void answerInHttp11(ScriptedHost.Peer peer) throws IOException {
        for (String head = peer.head(); !head.isEmpty(); head = peer.head()) {
            AwsGate.Request request = SignedRequestTest.request(head, peer.readBody());
            peer.say(ScriptedHost.ok(amazon(request)));
        }
    }

    private static void give(WebRig rig) {
        InjectedCredential key =
                new InjectedCredential(
                        WebRig.SECRET_NAME, WebRig.HOST, AwsKey.line(ID, KEY, Optional.empty()));
        rig.session =
                LiveSessions.of(
                        rig.id,
                        "box",
                        rig.session.policy(),
                        new CredentialBook(List.of(), List.of(key)));
    }

    /// Whichever of the two the host speaks.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void e15SignsWhatIsSaidInHttp2(boolean hostToo) throws Exception {
        try (Http2Rig rig =
                hostToo
                        ? Http2Rig.of(SignedHttp2Test::signing, this::answer)
                        : Http2Rig.old(SignedHttp2Test::signing, this::answerInHttp11)) {
            give(rig.web);
            Http2Peer client = rig.client();
            client.head(1, Http2Peer.END_STREAM, Http2Rig.asked("GET"));
            assertThat(client.rest(1)).contains(Http2Rig.OK, "signed");

            String[] theirs = {
                "authorization: AWS4-HMAC-SHA256 Credential=ATTACKER",
                "x-amz-security-token: attacker",
                "x-amz-target: attacker",
                "content-type: text/plain"
            };
            client.head(3, 0, Http2Rig.asked("POST", theirs));
            client.data(3, "{", 0);
            client.data(3, "}", 0);
            client.head(3, Http2Peer.END_STREAM, "x-amz-meta-a: attacker");
            List<String> answer = client.rest(3);
            assertThat(answer).contains(Http2Rig.OK, "signed");

            assertThat(arrived).hasSize(2);
            String body = new String(arrived.getLast().body(), StandardCharsets.US_ASCII);
            assertThat(body).isEqualTo("{}");
            assertThat(arrived.toString() + answer + rig.web.events)
                    .doesNotContainIgnoringCase("attacker")
                    .doesNotContain(KEY);
        }
    }
}
