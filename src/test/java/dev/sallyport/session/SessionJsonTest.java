package dev.sallyport.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.GitIdentity;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.Seed;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.JsonRules;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.SandboxSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Sessions that an earlier Sallyport stored.
class SessionJsonTest {
    private static final String BEGIN =
            "{\"runtime\":\"BUBBLEWRAP\",\"workspace\":\"/w\",\"files\":\"/f\",\"gitHosts\":[],";
    private static final String END =
            ",\"mounts\":{\"extra\":[],\"hidden\":[],\"searched\":false},"
                    + "\"resources\":{\"memoryBytes\":null,\"milliCpus\":null,\"processes\":null,\"fileBytes\":1073741824}}";

    private static GitSettings git(String stored) {
        SandboxSpec spec = SessionJson.spec(SessionId.random(), "n", BEGIN + stored + END);
        return spec.git();
    }

    @Test
    void oneWhoseRulesTakeNothingOutOfJsonDoesNot() throws Exception {
        String inspection =
                "{\"methods\":null,\"paths\":null,\"contentTypesDenied\":[],\"requestBytesMax\":null,"
                        + "\"jsonDenied\":[\"type=url\"],\"websocket\":false,\"queryAllowed\":[],\"inject\":null}";
        String rule =
                "{\"host\":\"a.example\",\"ports\":[443],\"privateAddresses\":false,\"dial\":null,"
                        + "\"ca\":null,\"inspection\":%s,\"origin\":\"policy.yaml:1\"}"
                                .formatted(inspection);
        String stored = "{\"git\":[],\"egress\":[%s],\"learn\":false}".formatted(rule);
        JsonRules json =
                SessionJson.rights(stored)
                        .egress()
                        .rules()
                        .getFirst()
                        .inspection()
                        .orElseThrow()
                        .json();
        assertThat(json).isEqualTo(JsonRules.parse(List.of("type=url"), List.of(), List.of()));
    }

    @Test
    void oneFromBeforePortsHasNoneAndNoPlainTunnels() throws Exception {
        String rule =
                "{\"host\":\"a.example\",\"ports\":[443],\"privateAddresses\":false,\"dial\":null,"
                        + "\"ca\":null,\"inspection\":null,\"origin\":\"--allow\"}";
        String stored =
                "{\"git\":[],\"egress\":[%s],\"learn\":false,\"asked\":{\"repos\":[],\"egress\":true,\"own\":[%s]}}"
                        .formatted(rule, rule);
        SessionJson.Rights rights = SessionJson.rights(stored);
        assertThat(rights.asked().published()).isEmpty();
        assertThat(rights.asked().own()).noneMatch(EgressRule::tcp);
        assertThat(rights.egress().rules()).hasSize(1).noneMatch(EgressRule::tcp);
    }

    /// E6: whom a person allowed once is asked about after a restart, too.
    @Test
    void e6_oneThatAsksStillDoes() throws Exception {
        String rule =
                "{\"host\":\"a.example\",\"ports\":[443],\"privateAddresses\":false,\"dial\":null,"
                        + "\"ca\":null,\"inspection\":null,\"tcp\":false,\"ask\":true,\"origin\":\"allow --ask\"}";
        String stored =
                "{\"git\":[],\"egress\":[%s],\"learn\":false,\"asked\":{\"repos\":[],\"egress\":true,\"own\":[%s]}}"
                        .formatted(rule, rule);
        SessionJson.Rights rights = SessionJson.rights(stored);
        assertThat(rights.asked().own()).hasSize(1).allMatch(EgressRule::ask);
        assertThat(rights.egress().rules()).hasSize(1).allMatch(EgressRule::ask);
    }

    @Test
    void oneWhoseSeedsReplaceNothingStillDoesNot() {
        String home =
                "\"home\":{\"directory\":null,\"seeds\":[{\"path\":\"a\",\"content\":\"x\"}]},";
        SandboxSpec spec =
                SessionJson.spec(
                        SessionId.random(), "n", BEGIN + home + "\"gitRewrite\":false" + END);
        assertThat(spec.home().seeds()).containsExactly(new Seed("a", "x", false));
    }

    @Test
    void oneWithoutAnIdentityHasNone() {
        assertThat(git("\"git\":{\"rewrite\":true,\"hooks\":true,\"localClones\":false}"))
                .isEqualTo(new GitSettings(true, true, false, GitIdentity.NONE));
        assertThat(git("\"gitRewrite\":false"))
                .isEqualTo(new GitSettings(false, false, false, GitIdentity.NONE));
    }
}
