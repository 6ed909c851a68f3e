package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.fixture.AwsGate;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Signatures for AWS, beside examples that AWS has published.
class SignatureV4Test {
    private static final String ID = "AKIDEXAMPLEEXAMPLE";
    private static final String KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfi" + "CYEXAMPLEKEY";
    private static final String TIME = "20150830T123600Z";
    private static final String NO_BODY =
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private static String signed(String method, String target, String service) {
        TreeMap<String, String> fields = new TreeMap<>(Map.of("x-amz-date", TIME));
        boolean users = service.equals("iam");
        fields.put("host", users ? "iam.amazonaws.com" : "example.amazonaws.com");
        if (users) {
            fields.put("content-type", "application/x-www-form-urlencoded; charset=utf-8");
        }
        String[] parts = target.split("\\?", 2);
        String query = parts.length == 2 ? parts[1] : "";
        AwsKey key = AwsKey.of(AwsKey.line(ID, KEY, Optional.empty())).orElseThrow();
        return new SignatureV4(method, parts[0], query, fields, NO_BODY)
                .authorization(key, new SignatureV4.Scope("us-east-1", service), TIME);
    }

    /// The first three are from AWS's test suite for signers (get-vanilla, post-vanilla,
    /// get-vanilla-query-order-key-case), the last is from its documentation.
    @ParameterizedTest
    @CsvSource({
        "GET, /, service, 5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
        "POST, /, service, 5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
        "GET, /?Param2=value2&Param1=value1, service,"
                + " b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        "GET, /?Action=ListUsers&Version=2010-05-08, iam,"
                + " 5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
    })
    void agreesWithTheExamplesOfAws(String method, String target, String service, String expected) {
        assertThat(signed(method, target, service)).endsWith(", Signature=" + expected);
    }

    /// The judge of the other tests, which is not the gateway's code, agrees with them, too.
    @Test
    void controlTheStandInTakesAnExampleOfAwsAndNothingElse() {
        AwsGate gate = new AwsGate(ID, KEY, Optional.empty(), "us-east-1", "iam");
        AwsGate.Request request =
                new AwsGate.Request(
                        "GET",
                        "/?Action=ListUsers&Version=2010-05-08",
                        Map.of(
                                "host",
                                "iam.amazonaws.com",
                                "content-type",
                                "application/x-www-form-urlencoded; charset=utf-8",
                                "x-amz-date",
                                TIME,
                                "authorization",
                                "AWS4-HMAC-SHA256 Credential="
                                        + ID
                                        + "/20150830/us-east-1/iam/aws4_request,"
                                        + " SignedHeaders=content-type;host;x-amz-date, Signature="
                                        + "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"),
                        new byte[0]);
        Instant then = Instant.parse("2015-08-30T12:36:00Z");
        assertThat(gate.objection(request, then)).isEmpty();
        assertThat(gate.objection(request, then.plusSeconds(301))).isPresent();
        assertThat(gate.objection(request.with("host", "sts.amazonaws.com"), then)).isPresent();
    }

    @Test
    void aKeyIsKeptAsOneLineAndCannotPrint() {
        Secret line = AwsKey.line(ID, KEY, Optional.of("token+of/a/session=="));
        assertThat(AwsKey.isOne(line)).isTrue();
        assertThat(AwsKey.of(line).orElseThrow().traces())
                .containsExactly(
                        AwsKey.secret(ID),
                        AwsKey.secret(KEY),
                        AwsKey.secret("token+of/a/session=="));
        assertThat(AwsKey.of(line).orElseThrow()).hasToString("AwsKey[redacted]");
        line.wipe();
        assertThat(AwsKey.of(line)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "short", "wJalrXUtnFEMI/K7MDENG:bPxRfi", "wJalrXUtnFEMI\r\nK7MDENGbPx"})
    void whatIsNoKeyIsNotTakenAndNotRepeated(String key) {
        assertThatThrownBy(() -> AwsKey.line(ID, key, Optional.empty()))
                .hasMessage("the secret access key is not one of AWS");
    }
}
