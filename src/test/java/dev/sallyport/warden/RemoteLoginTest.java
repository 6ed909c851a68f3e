package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sallyport.config.AgentProfiles;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.LoginText;
import dev.sallyport.control.Api;
import dev.sallyport.control.FleetApi;
import dev.sallyport.control.HostApi;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.credential.AwsKey;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.Inspection;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which login of an agent a machine is told of by the gateway that has the secrets, and what it
/// cannot find out or have used.
class RemoteLoginTest {
    private static final String VALUE = "s3cr3t-token-value";
    private static final HostApi.Login API_KEY =
            new HostApi.Login("anthropic", "api.anthropic.com", "anthropic");
    private static final String REGIONAL = "s3.${region}.amazonaws.com";

    @TempDir Path temporary;
    private WardenParts here;
    private FarGateway far;

    @BeforeEach
    void open() throws Exception {
        here = new WardenParts(Files.createDirectory(temporary.resolve("here")));
        far = new FarGateway(temporary.resolve("far"));
        here.others.gateways().enrol(new FleetApi.Enrol(far.code("box"), Optional.of("office")));
    }

    @AfterEach
    void close() throws IOException {
        far.close();
        here.close();
    }

    private static Secret secret(String text) {
        return Secret.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    private void store(String name, String host, Secret value, Optional<LoginText> login)
            throws OperationException {
        Optional<String> kind = login.map(_ -> "oauth");
        far.parts.secrets.put(
                name, new SecretsApi.PutSecret(host, Optional.empty(), value, kind, login));
    }

    private void store(String name, String host) throws OperationException {
        store(name, host, secret(VALUE), Optional.empty());
    }

    private void storeAwsKey(String host) throws OperationException {
        far.parts.secrets.put(
                "bedrock",
                new SecretsApi.PutSecret(
                        host,
                        Optional.empty(),
                        AwsKey.line("AKIAEXAMPLEEXAMPLE", "k".repeat(40), Optional.empty()),
                        Optional.of("aws"),
                        Optional.empty()));
    }

    private Optional<HostApi.ChosenLogin> chosen(List<HostApi.Login> logins)
            throws OperationException {
        return here.others.gateways().login("office", new HostApi.Logins(logins)).login();
    }

    private Optional<HostApi.ChosenLogin> chosen(String agent) throws Exception {
        return chosen(logins(agent));
    }

    private List<HostApi.Login> logins(String agent) throws IOException {
        return new AgentProfiles(temporary)
                .find(agent).orElseThrow().logins().stream()
                        .map(l -> new HostApi.Login(l.secret(), l.host(), l.preset()))
                        .toList();
    }

    private static Optional<HostApi.ChosenLogin> login(String secret, String host) {
        return Optional.of(new HostApi.ChosenLogin(secret, host, Optional.empty()));
    }

    private String recordedThere() throws IOException {
        return Files.readString(far.parts.home.auditLog());
    }

    @Test
    void theFirstLoginThatIsStoredAtTheGatewayIsUsed() throws Exception {
        here.secrets.put(
                "anthropic",
                new SecretsApi.PutSecret(
                        "api.anthropic.com",
                        Optional.empty(),
                        secret(VALUE),
                        Optional.empty(),
                        Optional.empty()));
        assertThat(chosen("claude")).as("what is stored here does not count").isEmpty();
        store("vertex", "aiplatform.googleapis.com");
        assertThat(chosen("claude")).isEqualTo(login("vertex", "aiplatform.googleapis.com"));
        store("anthropic-token", "api.anthropic.com");
        assertThat(chosen("claude")).isEqualTo(login("anthropic-token", "api.anthropic.com"));
        assertThat(chosen("codex")).isEmpty();
        assertThat(recordedThere())
                .contains("fleet.login", "\"told\":\"none\"", "\"told\":\"anthropic-token\"")
                .contains("\"asked\":\"anthropic,anthropic-token,vertex,bedrock\"")
                .contains("\"host\":\"box\"");
    }

    @Test
    void everyLoginOfEveryAgentCanBeChosen() throws Exception {
        StoredLogins there = new StoredLogins(far.parts.reach, far.parts.ledger);
        for (String agent : new AgentProfiles(temporary).names()) {
            HostApi.Logins all = new HostApi.Logins(logins(agent));
            for (HostApi.Login one : all.logins()) {
                String host = one.host().replace("${region}", "eu-west-1");
                if (one.secret().equals("bedrock")) {
                    storeAwsKey(host);
                } else {
                    store(one.secret(), host);
                }
                assertThat(there.choose("box", all).login()).isEqualTo(login(one.secret(), host));
                far.parts.secrets.remove(one.secret());
            }
            assertThat(there.choose("box", all).login()).isEmpty();
        }
    }

    @Test
    void theIdOfTheAccountIsToldAndNothingElseOfTheToken() throws Exception {
        String claims = "{\"https://api.openai.com/auth\":{\"chatgpt_account_id\":\"acc-1\"}}";
        String token =
                "e30."
                        + Base64.getUrlEncoder()
                                .encodeToString(claims.getBytes(StandardCharsets.US_ASCII))
                        + ".s1gn";
        LoginText login =
                new LoginText(
                        secret("refresh-number-0"),
                        Optional.empty(),
                        "https://auth.openai.com/oauth/token",
                        "client",
                        Optional.empty(),
                        Optional.empty(),
                        "json");
        store("chatgpt", "chatgpt.com", secret(token), Optional.of(login));
        assertThat(chosen("codex"))
                .contains(new HostApi.ChosenLogin("chatgpt", "chatgpt.com", Optional.of("acc-1")));
    }

    /// A sandbox could not be made with it.
    @Test
    void aSecretOfAnotherKindIsPassedOver() throws Exception {
        String host = "bedrock-runtime.eu-west-1.amazonaws.com";
        store("bedrock", host);
        assertThat(chosen("claude")).isEmpty();
        storeAwsKey(host);
        assertThat(chosen("claude")).isEqualTo(login("bedrock", host));
    }

    @Test
    void rulesOfTheGatewaysOwnForTheHostNeedNoSecretOfTheAgents() throws Exception {
        store("corp", "api.anthropic.com");
        assertThat(chosen("claude")).as("control").isEmpty();
        policy(
                "egress:\n  - host: api.anthropic.com\n    inject: {secret: corp, header: x-api-key}\n");
        assertThat(chosen("claude")).isEqualTo(login("anthropic", "api.anthropic.com"));
        assertThat(recordedThere())
                .as("a name that nothing is stored by")
                .contains("\"told\":\"own-rules\"")
                .doesNotContain("\"told\":\"anthropic\"");
        assertThat(planned(List.of("anthropic"), List.of()).egress().rules()).hasSize(1);
        assertThat(chosen("codex")).isEmpty();
    }

    private void policy(String yaml) throws Exception {
        Path file = far.parts.home.policyFile();
        Files.writeString(file, yaml);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        far.parts.live.take(far.parts.live.read());
    }

    @Test
    void i2_aMachineHearsOfNoSecretButThoseOfPresetsAtTheirHosts() throws Exception {
        store("anthropic", "api.anthropic.com");
        store("corp", "api.corp.example");
        store("gemini", "gemini.corp.example");
        store("other", "api.openai.com");
        store("s3-deploy", "s3.eu-west-1.amazonaws.com");
        assertThat(chosen(List.of(API_KEY))).as("control").isPresent();
        for (HostApi.Login probe :
                List.of(
                        new HostApi.Login("corp", "api.corp.example", "anthropic"),
                        new HostApi.Login("other", "api.openai.com", "openai"),
                        new HostApi.Login("anthropic", "api.anthropic.com", "openai"),
                        new HostApi.Login("anthropic", "api.anthropic.com", "npm"),
                        new HostApi.Login("gemini", "gemini.corp.example", "gemini"),
                        new HostApi.Login("gemini", "generativelanguage.googleapis.com", "gemini"),
                        new HostApi.Login("s3-deploy", REGIONAL, "bedrock"),
                        new HostApi.Login("s3-nothing", REGIONAL, "bedrock"))) {
            assertThat(chosen(List.of(probe))).as(probe.toString()).isEmpty();
        }
    }

    /// Neither by an answer nor by a refusal, which is recorded like an answer.
    @Test
    void i2_aMachineHearsOfNoSecretByTheRegionOfItsHost() throws Exception {
        store("s3-deploy", "s3.eu-west-1.amazonaws.com");
        for (String preset : List.of("anthropic", "npm")) {
            String stored = refusal(new HostApi.Login("s3-deploy", REGIONAL, preset));
            String missing = refusal(new HostApi.Login("s3-nothing", REGIONAL, preset));
            assertThat(stored)
                    .contains("has a region, and the preset " + preset + " has none")
                    .isEqualTo(missing.replace("s3-nothing", "s3-deploy"));
        }
        assertThat(recordedThere())
                .contains("\"asked\":\"s3-deploy\"", "\"asked\":\"s3-nothing\"")
                .contains("\"told\":\"refused\"");
    }

    private String refusal(HostApi.Login probe) {
        OperationException refused =
                catchThrowableOfType(OperationException.class, () -> chosen(List.of(probe)));
        return refused.status() + refused.problem().toString();
    }

    /// Whatever it says of a login, a session has secrets by the names of presets only.
    @Test
    void i2_aMachineCannotHaveAStoredSecretSentToAHostOfItsOwn() throws Exception {
        store("anthropic", "api.anthropic.com");
        assertThat(chosen(List.of(new HostApi.Login("anthropic", "evil.example", "anthropic"))))
                .isEmpty();
        String rule =
                "anthropic\n  - host: evil.example\n    inject: {secret: anthropic, bearer: true}";
        assertThatThrownBy(() -> chosen(List.of(new HostApi.Login("anthropic", "a.example", rule))))
                .hasMessageContaining("names a preset that this gateway does not know");
        assertThatThrownBy(() -> planned(List.of(rule), List.of()))
                .hasMessageContaining("Unknown preset");
        Session session = planned(List.of("anthropic"), List.of("evil.example"));
        assertThat(injecting(session)).containsExactly("api.anthropic.com");

        far.parts.secrets.remove("anthropic");
        store("anthropic", "evil.example");
        assertThat(chosen(List.of(API_KEY))).isEmpty();
        assertThatThrownBy(() -> planned(List.of("anthropic"), List.of()))
                .as("as if it were not there")
                .hasMessageContaining("The secret anthropic for api.anthropic.com is missing")
                .hasMessageNotContaining("evil.example");
    }

    private static List<String> injecting(Session session) {
        return session.egress().rules().stream()
                .filter(rule -> rule.inspection().flatMap(Inspection::injection).isPresent())
                .map(rule -> rule.host().toString())
                .toList();
    }

    /// As when the machine asks to `open` it.
    private Session planned(List<String> implied, List<String> allow) throws OperationException {
        return far.parts.plans.planRemote(
                "box",
                new HostApi.Open(
                        "agent",
                        List.of(),
                        new Api.ReachRequest(allow, List.of(), true, false, implied),
                        GitSettings.STANDARD,
                        Api.LifeRequest.STANDARD));
    }

    @Test
    void whatNoProfileCouldSayIsRefusedAndNothingIsTold() throws Exception {
        store("anthropic", "api.anthropic.com");
        refused(List.of(), "1 to 16 logins");
        refused(Collections.nCopies(17, API_KEY), "1 to 16 logins");
        refused("../anthropic", "api.anthropic.com", "anthropic", "no name of a secret");
        refused("anthropic", "api.anthropic.com", "anthropic+web-search", "names a preset");
        refused("anthropic", "*.anthropic.com", "anthropic", "The host of the login anthropic");
        refused("anthropic", "x.${region}.${region}.y", "anthropic", "The host of the login");
        assertThat(recordedThere())
                .contains("\"asked\":\"anthropic\"", "\"told\":\"refused\"")
                .doesNotContain("../anthropic", "\"told\":\"anthropic\"", "\"told\":\"none\"");
        assertThat(chosen(Collections.nCopies(16, API_KEY))).as("control").isPresent();
    }

    private void refused(String secret, String host, String preset, String why) {
        refused(List.of(API_KEY, new HostApi.Login(secret, host, preset)), why);
    }

    private void refused(List<HostApi.Login> logins, String why) {
        assertThatThrownBy(() -> chosen(logins))
                .isInstanceOf(OperationException.class)
                .hasMessageContaining(why);
    }

    /// It comes to stand within the quotes of a file in the sandbox.
    @Test
    void anAccountThatIsMoreThanAnIdIsNotTakenFromAGateway() throws Exception {
        store("anthropic", "api.anthropic.com");
        far.answers = json -> json.replace("\"account\":null", "\"account\":\"acc-1\"");
        assertThat(chosen("claude").orElseThrow().account()).as("control").contains("acc-1");
        far.answers = json -> json.replace("\"account\":null", "\"account\":\"\\\",\\\"x\"");
        assertThatThrownBy(() -> chosen("claude"))
                .hasMessageContaining("the gateway's answer is not readable");
    }
}
