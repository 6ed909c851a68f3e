package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.demo.CertificateAuthority;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.Reach;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// `egress:` in a policy file.
class EgressRulesTest {
    @TempDir Path directory;

    private PolicyFile load(String text) throws IOException {
        Path file = directory.resolve("policy.yaml");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        return PolicyFile.load(file, new Machine(directory.resolve("home"), directory));
    }

    private List<EgressRule> rules(String text) throws IOException {
        return load(text).egress().rules();
    }

    private EgressRule only(String keys) throws IOException {
        List<EgressRule> rules = rules("egress: [{" + keys + "}]");
        assertThat(rules).hasSize(1);
        return rules.getFirst();
    }

    private Inspection inspection(String keys) throws IOException {
        return only("host: api.example.com, " + keys).inspection().orElseThrow();
    }

    private void refused(String text, String... fragments) {
        assertThatThrownBy(() -> load(text))
                .isInstanceOf(ConfigException.class)
                .satisfies(e -> assertThat(((ConfigException) e).remedy()).isNotBlank())
                .hasMessageContainingAll(fragments);
    }

    @Test
    void readsEveryKey() throws Exception {
        Files.writeString(directory.resolve("ca.pem"), CertificateAuthority.create().pem());
        EgressRule rule =
                rules(
                                """
                                egress:
                                  - host: api.example.com
                                    ports: [8443, 443]
                                    private-addresses: true
                                    dial: "10.0.0.5:8443"
                                    ca-file: ca.pem
                                    methods: [POST, GET]
                                    paths: ["/v1/**", "/health"]
                                    content-types-denied: [application/x-protobuf]
                                    request-bytes-max: 1048576
                                    json-denied: ["type=web_fetch*", "mcp_servers=*"]
                                    query-allowed: [token, X-Amz-Signature]
                                    inject: {secret: corp, header: x-api-key, placeholder: none}
                                """)
                        .getFirst();
        assertThat(rule.host()).hasToString("api.example.com");
        assertThat(rule.ports()).containsExactly(443, 8_443);
        assertThat(rule.origin()).endsWith("policy.yaml:2");
        assertThat(rule.reach().privateAddresses()).isTrue();
        assertThat(rule.reach().dial()).contains("10.0.0.5:8443");
        assertThat(rule.reach().caPem().orElseThrow()).contains("BEGIN CERTIFICATE");
        Inspection inspection = rule.inspection().orElseThrow();
        assertThat(inspection.methods().orElseThrow()).containsExactly("GET", "POST");
        assertThat(inspection.paths().orElseThrow()).hasToString("[/v1/**, /health]");
        assertThat(inspection.contentTypesDenied()).containsExactly("application/x-protobuf");
        assertThat(inspection.requestBytesMax()).contains(1_048_576L);
        assertThat(inspection.json().denied()).hasToString("[type=web_fetch*, mcp_servers=*]");
        assertThat(inspection.websocket()).isFalse();
        assertThat(inspection.queryAllowed()).hasToString("[token, X-Amz-Signature]");
        assertThat(inspection.injection())
                .contains(
                        new Injection(
                                "corp",
                                new Injection.Place.Header("x-api-key"),
                                Optional.of("none")));
        assertThat(EgressText.of(rule).toRule()).isEqualTo(rule);
    }

    @Test
    void tunnelsToPublicAddressesOnTheUsualPortsWhereItSaysNothing() throws IOException {
        EgressRule rule = only("host: \"**.example.com\"");
        assertThat(rule.ports()).containsExactly(80, 443);
        assertThat(rule.reach()).isEqualTo(Reach.PUBLIC);
        assertThat(rule.inspection()).isEmpty();
        assertThat(only("host: example.com, inspect: false").inspection()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "inspect: true",
                "methods: [GET]",
                "paths: [\"/**\"]",
                "content-types-denied: [text/html]",
                "request-bytes-max: 1",
                "json-denied: [a=b]",
                "websocket: true",
                "websocket: false",
                "query-allowed: []",
                "inject: {secret: corp, bearer: true}"
            })
    void isInspectedByWhateverIsAboutRequests(String key) throws IOException {
        assertThat(only("host: example.com, " + key).inspection()).isPresent();
    }

    @Test
    void knowsThePlacesForASecret() throws IOException {
        assertThat(place("header: x-api-key")).isEqualTo(new Injection.Place.Header("x-api-key"));
        assertThat(place("bearer: true")).isEqualTo(new Injection.Place.Bearer());
        assertThat(place("basic: me")).isEqualTo(new Injection.Place.Basic("me"));
        assertThat(place("query: key")).isEqualTo(new Injection.Place.Query("key"));
    }

    /// Its region is that of the host.
    @Test
    void signsForTheRegionOfTheHost() throws Exception {
        EgressRule rule =
                only(
                        "host: api.eu-west-1.example, inject: {secret: corp, aws-signature: eu-west-1/s3}");
        assertThat(rule.inspection().orElseThrow().injection().orElseThrow().place())
                .isEqualTo(new Injection.Place.AwsSignature("eu-west-1", "s3"));
        assertThat(EgressText.of(rule).toRule()).isEqualTo(rule);
    }

    private Injection.Place place(String key) throws IOException {
        Injection injection =
                inspection("inject: {secret: corp, " + key + "}").injection().orElseThrow();
        assertThat(injection.secret()).isEqualTo("corp");
        assertThat(injection.placeholder()).isEmpty();
        return injection.place();
    }

    /// A secret in clear text is an explicit decision.
    @Test
    void injectsOnThePortOfTlsUnlessAnotherIsWritten() throws IOException {
        String inject = "inject: {secret: corp, bearer: true}";
        assertThat(only("host: a.example, " + inject).ports()).containsExactly(443);
        assertThat(only("host: a.example, ports: [80], " + inject).ports()).containsExactly(80);
    }

    /// G20, E1.
    @Test
    void anEmptyListIsNotAnAbsentOne() throws IOException {
        assertThat(rules("egress: []")).isEmpty();
        assertThat(rules("")).isEmpty();
        assertThat(inspection("methods: []").methods().orElseThrow()).isEmpty();
        assertThat(inspection("methods: []").paths()).isEmpty();
        assertThat(inspection("paths: []").paths()).contains(List.of());
        assertThat(only("host: example.com, ports: []").ports()).isEmpty();
        assertThat(only("host: example.com, ports: []").inspection()).isEmpty();
        assertThat(rules("egress: [{host: a.example, ports: []}, {host: a.example}]")).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "egress:",
                "egress: {}",
                "egress: text",
                "egress: [text]",
                "egress: [{}]",
                "egress: [{ports: [443]}]",
                "egress: [{host: }]",
                "egress: [{host: [a.example]}]",
                "egress: [{host: a.example, host: b.example}]",
                "egress: [{host: a.example, more: 1}]",
                "egress: [{host: a.example, preset: npm}]",
                "egress: [{preset: npm, ports: [443]}]",
                "egress: [{preset: }]",
                "egress: [{preset: [npm]}]",
                "egress: [{host: \"*\"}]",
                "egress: [{host: \"**\"}]",
                "egress: [{host: \"*.*\"}]",
                "egress: [{host: \"a*.example.com\"}]",
                "egress: [{host: A.example}]",
                "egress: [{host: a.example.}]",
                "egress: [{host: \"a.example:443\"}]",
                "egress: [{host: https://a.example}]",
                "egress: [{host: 192.0.2.1}]",
                "egress: [{host: \"*.192.0.2.1\"}]",
                "egress: [{host: gateway.sallyport}]",
                "egress: [{host: \"**.gateway.sallyport\"}]",
                "Egress: []",
            })
    void refusesWhatIsNotPlainAndKnown(String text) {
        refused(text, "policy.yaml");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ports: 443|egress[0].ports is not a list. Write it as [1, 65535].",
                "ports: [0]|egress[0].ports[0] is out of range",
                "ports: [65536]|egress[0].ports[0] is out of range",
                "ports: [\"443\"]|egress[0].ports[0] is not a whole number",
                "ports: [443, 443]|egress[0].ports[1] is listed twice",
                "ports: [0x1bb]|egress[0].ports[0]",
                "private-addresses: yes|egress[0].private-addresses is not true or false",
                "dial: a.example:443|egress[0].dial is not an address and port",
                "dial: 10.0.0.5|egress[0].dial is not an address and port",
                "dial: 010.0.0.5:443|egress[0].dial is not an address and port",
                "ca-file: ca.pem|egress[0].ca-file has no effect on a tunnel",
                "'ca-file: missing.pem, inspect: true'|egress[0].ca-file cannot be used",
                "inspect: 1|egress[0].inspect is not true or false",
                "'inspect: false, methods: [GET]'|egress[0].inspect is false, but methods",
                "methods: GET|egress[0].methods is not a list",
                "methods: [get]|egress[0].methods[0] cannot be used: a method is a word in upper",
                "methods: [\"GET \"]|egress[0].methods[0] cannot be used",
                "methods: [\"\"]|egress[0].methods[0] cannot be used",
                "methods: [\"*\"]|egress[0].methods[0] cannot be used",
                "methods: [CONNECT]|egress[0].methods[0] cannot be used: CONNECT and TRACE",
                "methods: [TRACE]|egress[0].methods[0] cannot be used: CONNECT and TRACE",
                "methods: [GET, GET]|egress[0].methods[1] is listed twice",
                "paths: [public]|egress[0].paths[0] cannot be used",
                "paths: [/a/../b]|egress[0].paths[0] cannot be used",
                "paths: [/a%2fb]|egress[0].paths[0] cannot be used",
                "paths: [\"/a?b\"]|egress[0].paths[0] cannot be used",
                "paths: [/a**]|egress[0].paths[0] cannot be used: ** stands alone",
                "content-types-denied: [Text/html]|egress[0].content-types-denied[0] cannot be used",
                "content-types-denied: [\"text/*\"]|without wildcards",
                "content-types-denied: [\"text/html; charset=utf-8\"]|cannot be used",
                "request-bytes-max: 0|egress[0].request-bytes-max is out of range",
                "request-bytes-max: 1MB|egress[0].request-bytes-max is not a whole number",
                "request-bytes-max: 1099511627777|between 1 and 1099511627776",
                "json-denied: [type]|egress[0].json-denied[0] cannot be used: it has the form",
                "json-denied: {type: url}|egress[0].json-denied is not a list",
                "websocket: on|egress[0].websocket is not true or false",
                "'websocket: true, json-denied: [a=b]'|egress[0].websocket is true, but json-denied",
                "query-allowed: token|egress[0].query-allowed is not a list",
                "query-allowed: [page]|egress[0].query-allowed[0] cannot be used: a parameter of this",
                "query-allowed: [\"tok en\"]|egress[0].query-allowed[0] cannot be used: it is not",
                "query-allowed: [\"*\"]|egress[0].query-allowed[0] cannot be used: it is not",
                "'query-allowed: [Key], inject: {secret: corp, query: key}'|query-allowed has Key, where",
                "inject: corp|egress[0].inject is not a mapping",
                "inject: {}|egress[0].inject.secret is missing",
                "inject: {header: x-api-key}|egress[0].inject.secret is missing",
                "inject: {secret: corp}|egress[0].inject.secret has no place in the request",
                "'inject: {secret: corp, bearer: true, query: key}'|several places: bearer, query.",
                "'inject: {secret: corp, bearer: false}'|egress[0].inject.bearer is false",
                "'inject: {secret: corp, bearer: x}'|egress[0].inject.bearer is not true or false",
                "'inject: {secret: corp, cookie: x}'|egress[0].inject.cookie is not a known key",
                "'inject: {secret: Corp, bearer: true}'|egress[0].inject.secret is not the name",
                "'inject: {secret: ../corp, bearer: true}'|egress[0].inject.secret is not the name",
                "'inject: {secret: corp, header: X-Api-Key}'|egress[0].inject.header is not the name",
                "'inject: {secret: corp, header: \"x key\"}'|egress[0].inject.header is not the name",
                "'inject: {secret: corp, header: \"x:\"}'|egress[0].inject.header is not the name",
                "'inject: {secret: corp, header: \"\"}'|egress[0].inject.header is not the name",
                "'inject: {secret: corp, basic: \"a:b\"}'|egress[0].inject.basic is not a user name",
                "'inject: {secret: corp, query: \"a=b\"}'|egress[0].inject.query is not the name",
                "'inject: {secret: corp, query: k, placeholder: \"a b\"}'|egress[0].inject.placeholder",
                "'inject: {secret: corp, query: k, placeholder: \"\"}'|egress[0].inject.placeholder",
                "'inject: {secret: corp, aws-signature: bedrock}'|aws-signature is not the region",
                "'inject: {secret: corp, aws-signature: a/b/c}'|aws-signature is not the region",
                "'inject: {secret: corp, aws-signature: b/bedrock}'|aws-signature is not the region",
                "'inject: {secret: corp, aws-signature: a/s, placeholder: x}'|placeholder cannot be told",
                "'websocket: true, inject: {secret: c, aws-signature: a/s}'|websocket does not go",
                "'json-removed: [\"tools[type=x]\"], inject: {secret: c, aws-signature: a/s}'|does not go",
            })
    void refusesRulesThatAreNotExact(String keys, String complaint) {
        refused("egress:\n  - {host: a.example, " + keys + "}\n", "policy.yaml:2: ", complaint);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "host",
                "cookie",
                "set-cookie",
                "content-length",
                "transfer-encoding",
                "te",
                "trailer",
                "expect",
                "connection",
                "keep-alive",
                "upgrade",
                "proxy-authorization",
                "proxy-connection"
            })
    void putsNoSecretWhereItWouldFrameOrRouteTheRequest(String header) {
        refused(
                "egress: [{host: a.example, inject: {secret: corp, header: " + header + "}}]",
                "egress[0].inject.header cannot carry a secret");
    }

    /// I2.
    @ParameterizedTest
    @ValueSource(strings = {"*.example.com", "**.example.com"})
    void bindsASecretToOneHost(String wildcard) {
        refused(
                "egress: [{host: \"" + wildcard + "\", inject: {secret: corp, bearer: true}}]",
                "egress[0].inject would send the secret to every host",
                "Write host as one name.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"*.co.uk", "**.co.uk", "*.github.io", "**.github.io", "*.s3.amazonaws.com"})
    void refusesAWildcardWhereAnybodyCanHaveAName(String wildcard) {
        refused(
                "egress: [{host: \"" + wildcard + "\"}]",
                "egress[0].host cannot be used: it is a wildcard below a public suffix");
    }

    @Test
    void refusesAWildcardForATopLevelDomain() throws IOException {
        refused("egress: [{host: \"*.com\"}]", "egress[0].host cannot be used", "two labels");
        assertThat(only("host: \"*.example.co.uk\"").host()).hasToString("*.example.co.uk");
        assertThat(only("host: someone.github.io").host()).hasToString("someone.github.io");
    }

    /// The reference lists every key and every preset.
    @Test
    void isDocumentedKeyByKey() throws IOException {
        String reference = Files.readString(Path.of("docs/protocol/policy.md"));
        for (String key : HostRuleReader.KEYS) {
            assertThat(reference).containsPattern("(?m)^\\| `" + key + "` \\|");
        }
        for (String name : Presets.names()) {
            assertThat(reference).containsPattern("(?m)^\\| `" + name + "` \\|");
        }
    }
}
