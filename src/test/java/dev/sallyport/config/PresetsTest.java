package dev.sallyport.config;

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
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import dev.sallyport.policy.UrlPath;
import dev.sallyport.policy.UrlPattern;
import dev.sallyport.policy.WebRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The presets as they are shipped.
class PresetsTest {
    private static final Set<String> READING = Set.of("GET", "HEAD");
    private static final Set<String> MODELS =
            Set.of(
                    "anthropic",
                    "anthropic-token",
                    "vertex",
                    "bedrock",
                    "openai",
                    "chatgpt",
                    "gemini",
                    "google-login",
                    "copilot");

    static List<String> names() {
        return Presets.names();
    }

    private static Preset preset(String name) throws IOException {
        return Presets.find(name).orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("names")
    void parsesEach(String name) throws IOException {
        Preset preset = preset(name);
        assertThat(preset.name()).isEqualTo(name);
        assertThat(preset.version()).isPositive();
        assertThat(preset.about()).isNotBlank().doesNotContain("\n").hasSizeLessThan(100);
        assertThat(preset.rules()).isNotEmpty();
        assertThat(Presets.all()).contains(preset);
    }

    @Test
    void knowsNoOther() throws IOException {
        assertThat(Presets.find("../presets/npm")).isEmpty();
        assertThat(Presets.find("NPM")).isEmpty();
        assertThat(Presets.find("")).isEmpty();
    }

    /// S25: what is only meant to be read from cannot be written to.
    @ParameterizedTest
    @MethodSource("names")
    void isReadOnlyUnlessItIsForAModel(String name) throws IOException {
        for (EgressRule rule : preset(name).rules()) {
            Inspection inspection = rule.inspection().orElseThrow();
            if (MODELS.contains(name)) {
                assertThat(inspection.methods().orElseThrow()).isSubsetOf("GET", "POST");
            } else {
                assertThat(inspection.methods().orElseThrow()).isNotEmpty().isSubsetOf(READING);
                assertThat(inspection.injection()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void isTheSameOnEveryMachineAndNeverForAllHosts(String name) throws IOException {
        for (EgressRule rule : preset(name).rules()) {
            assertThat(rule.reach()).isEqualTo(Reach.PUBLIC);
            assertThat(rule.ports()).isSubsetOf(Set.of(80, 443)).contains(443);
            assertThat(rule.inspection().orElseThrow().websocket()).isFalse();
            assertThat(rule.inspection().orElseThrow().paths().orElseThrow()).isNotEmpty();
            assertThat(rule.host().toString()).doesNotMatch("\\*+(\\..{0,3})?");
            assertThat(rule.host().name().value()).contains(".");
        }
    }

    /// A registry is named by its domain; an exact host is one that other things share.
    @ParameterizedTest
    @MethodSource("names")
    void namesRegistriesByTheirDomain(String name) throws IOException {
        Preset preset = preset(name);
        boolean registry = preset.hostsFrom().isPresent();
        assertThat(preset.rules().getFirst().host().isWildcard()).isEqualTo(registry);
        assertThat(preset.paths().isEmpty()).isNotEqualTo(registry);
    }

    /// E1: the rule that all hosts would be covered by does not come from any combination.
    @Test
    void neverCoversAHostThatNoneIsAbout() throws IOException {
        for (Preset preset : Presets.all()) {
            for (EgressRule rule : preset.rules()) {
                for (String other : List.of("example.com", "a.example.org", "org.test", "a.io")) {
                    assertThat(rule.host().matches(new HostName(other))).isFalse();
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "npm,registry,GET,/left-pad,allowed",
        "npm,registry,GET,/@scope%2fname,allowed",
        "npm,registry,GET,/@scope/name,allowed",
        "npm,registry,GET,/@scope%2fname/1.0.0,allowed",
        "npm,registry,GET,/@scope%2fname/-/name-1.0.0.tgz,allowed",
        "npm,registry,GET,/-/npm/v1/@scope%2fname,URL_NOT_ALLOWED",
        "pypi,files,GET,/simple/@scope%2fname,URL_NOT_ALLOWED",
        "npm,registry,GET,/@scope/name/-/name-1.0.0.tgz,allowed",
        "npm,registry,GET,/left-pad/-/left-pad-1.0.0.tgz,allowed",
        "npm,registry,PUT,/left-pad,METHOD_NOT_ALLOWED",
        "npm,registry,POST,/-/npm/v1/security/advisories/bulk,METHOD_NOT_ALLOWED",
        "npm,registry,GET,/-/v1/search,URL_NOT_ALLOWED",
        "pypi,files,GET,/simple/requests/,allowed",
        "pypi,files,POST,/legacy/,METHOD_NOT_ALLOWED",
        "pypi,files,GET,/user/someone,URL_NOT_ALLOWED",
        "maven,repo,GET,/maven2/org/example/a/1/a-1.jar,allowed",
        "maven,repo,PUT,/maven2/org/example/a/1/a-1.jar,METHOD_NOT_ALLOWED",
        "cargo,index,GET,/se/rd/serde,allowed",
        "cargo,index,GET,/config.json,allowed",
        "cargo,index,PUT,/api/v1/crates/new,METHOD_NOT_ALLOWED",
        "go,proxy,GET,/example.com/mod/@v/list,allowed",
        "go,proxy,GET,/example.com/mod/@latest,allowed",
        "go,proxy,GET,/example.com/!mod/@v/v1.0.0+incompatible.zip,allowed",
        "go,sum,GET,/lookup/example.com/mod@v1.0.0,allowed",
        "go,sum,GET,/tile/8/0/x001/234,allowed",
        "go,proxy,GET,/golang.org/toolchain/@v/v0.0.1-go1.25.0.linux-amd64.zip,allowed",
        "go,proxy,GET,/sumdb/sum.golang.org/supported,allowed",
        "go,proxy,GET,/sumdb/sum.golang.org/tile/8/0/x001/234,allowed",
        "go,proxy,GET,/sumdb/sum.golang.org/elsewhere,URL_NOT_ALLOWED",
        "go,proxy,GET,/example.com/mod/@v/elsewhere,URL_NOT_ALLOWED",
        "go,proxy,GET,/elsewhere,URL_NOT_ALLOWED",
        "rubygems,index,GET,/info/rails,allowed",
        "rubygems,index,POST,/api/v1/gems,METHOD_NOT_ALLOWED",
        "debian,deb,GET,/debian/dists/stable/InRelease,allowed",
        "debian,deb,GET,/~someone/,URL_NOT_ALLOWED",
        "gradle,services,GET,/distributions/gradle-9.0-bin.zip,allowed",
        "gradle,services,PUT,/distributions/gradle-9.0-bin.zip,METHOD_NOT_ALLOWED",
    })
    void allowsWhatItsToolNeeds(
            String name, String label, String method, String path, String outcome)
            throws Exception {
        Preset preset = preset(name);
        String domain = preset.rules().getFirst().host().name().value();
        assertThat(judge(preset, new HostName(label + "." + domain), method, path))
                .isEqualTo(outcome);
    }

    @ParameterizedTest
    @CsvSource({
        "github-release,github.com,GET,/acme/app/releases/download/v1/app.tar.gz,allowed",
        "github-release,github.com,GET,/acme/app/releases/latest/download/app.tar.gz,allowed",
        "github-release,github.com,POST,/acme/app/releases/download/v1/app,METHOD_NOT_ALLOWED",
        "github-release,github.com,GET,/acme/app/info/refs,URL_NOT_ALLOWED",
        "github-release,github.com,GET,/acme/app/archive/main.zip,URL_NOT_ALLOWED",
        "github-release,release-assets.githubusercontent.com,GET,"
                + "/github-production-release-asset/1/a,allowed",
        "github-release,objects.githubusercontent.com,GET,"
                + "/github-production-release-asset-2e65be/1/a,allowed",
        "github-release,objects.githubusercontent.com,GET,/other/1/a,URL_NOT_ALLOWED",
        "go,storage.googleapis.com,GET,/proxy-golang-org-prod/a-b.zip,allowed",
        "go,storage.googleapis.com,GET,/somebody-elses-bucket/a,URL_NOT_ALLOWED",
        "anthropic,api.anthropic.com,POST,/v1/messages,allowed",
        "anthropic,api.anthropic.com,POST,/v1/messages/count_tokens,allowed",
        "anthropic,api.anthropic.com,GET,/v1/models,allowed",
        "anthropic,api.anthropic.com,POST,/v1/messages/batches,URL_NOT_ALLOWED",
        "anthropic,api.anthropic.com,POST,/v1/files,URL_NOT_ALLOWED",
        "anthropic,api.anthropic.com,DELETE,/v1/models/a,METHOD_NOT_ALLOWED",
        "openai,api.openai.com,POST,/v1/responses,allowed",
        "openai,api.openai.com,POST,/v1/chat/completions,allowed",
        "openai,api.openai.com,POST,/v1/embeddings,allowed",
        "openai,api.openai.com,POST,/v1/files,URL_NOT_ALLOWED",
        "openai,api.openai.com,POST,/v1/batches,URL_NOT_ALLOWED",
        "openai,api.openai.com,POST,/v1/containers,URL_NOT_ALLOWED",
        "gemini,generativelanguage.googleapis.com,POST,/v1beta/models/g:generateContent,allowed",
        "gemini,generativelanguage.googleapis.com,POST,"
                + "/v1beta/models/g:streamGenerateContent,allowed",
        "gemini,generativelanguage.googleapis.com,GET,/v1beta/models,allowed",
        "gemini,generativelanguage.googleapis.com,POST,"
                + "/v1beta/models/g:batchGenerateContent,URL_NOT_ALLOWED",
        "gemini,generativelanguage.googleapis.com,POST,/upload/v1beta/files,URL_NOT_ALLOWED",
        "vertex,aiplatform.googleapis.com,POST,"
                + "/v1/projects/p/locations/global/publishers/anthropic/models/m@1:rawPredict,allowed",
        "vertex,aiplatform.googleapis.com,POST,"
                + "/v1/projects/p/locations/global/batchPredictionJobs,URL_NOT_ALLOWED",
        "bedrock,bedrock-runtime.us-east-1.amazonaws.com,POST,"
                + "/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/invoke-with-response-stream,allowed",
        "bedrock,bedrock-runtime.us-east-1.amazonaws.com,POST,"
                + "/model/anthropic.claude-3-haiku-20240307-v1%3A0/invoke,allowed",
        "bedrock,bedrock-runtime.us-east-1.amazonaws.com,POST,"
                + "/model/amazon.titan-text-express-v1/invoke,URL_NOT_ALLOWED",
        "bedrock,bedrock-runtime.us-east-1.amazonaws.com,POST,/async-invoke,URL_NOT_ALLOWED",
        "bedrock,bedrock-runtime.us-east-1.amazonaws.com,GET,/async-invoke,METHOD_NOT_ALLOWED",
        "bedrock,bedrock-runtime.eu-west-1.amazonaws.com,POST,"
                + "/model/anthropic.claude-v2/invoke,NAME_NOT_ALLOWED",
        "bedrock+eu-west-1,bedrock-runtime.eu-west-1.amazonaws.com,POST,"
                + "/model/anthropic.claude-haiku/invoke,allowed",
        "chatgpt,chatgpt.com,POST,/backend-api/codex/responses,allowed",
        "chatgpt,chatgpt.com,GET,/backend-api/wham/accounts/check,allowed",
        "chatgpt,chatgpt.com,POST,/backend-api/wham/tasks,URL_NOT_ALLOWED",
        "chatgpt,chatgpt.com,POST,/backend-api/wham/apps,URL_NOT_ALLOWED",
        "chatgpt,chatgpt.com,POST,/backend-api/conversation,URL_NOT_ALLOWED",
        "chatgpt,chatgpt.com,GET,/backend-api/accounts/check,URL_NOT_ALLOWED",
        "google-login,cloudcode-pa.googleapis.com,POST,/v1internal:streamGenerateContent,allowed",
        "google-login,cloudcode-pa.googleapis.com,POST,/v1internal:onboardUser,URL_NOT_ALLOWED",
        "google-login,cloudcode-pa.googleapis.com,POST,"
                + "/v1internal:setCodeAssistGlobalUserSetting,URL_NOT_ALLOWED",
        "copilot,api.business.githubcopilot.com,POST,/v1/messages,allowed",
        "copilot,api.individual.githubcopilot.com,POST,/mcp/readonly,URL_NOT_ALLOWED",
        "copilot,api.githubcopilot.com,GET,/agents/swe/internal/memory/v0/enabled,URL_NOT_ALLOWED",
        "copilot,api.github.com,GET,/copilot_internal/user,allowed",
        "copilot,api.github.com,POST,/copilot_internal/user,METHOD_NOT_ALLOWED",
        "copilot,api.github.com,GET,/copilot_internal/v2/token,URL_NOT_ALLOWED",
        "copilot,api.github.com,GET,/user,URL_NOT_ALLOWED",
    })
    void allowsOnlyThosePathsOfASharedHost(
            String name, String host, String method, String path, String outcome) throws Exception {
        assertThat(judge(preset(name), new HostName(host), method, path)).isEqualTo(outcome);
    }

    private static String judge(Preset preset, HostName host, String method, String path)
            throws Exception {
        Policy policy =
                new Policy(SessionId.random(), List.of(), new Egress(preset.rules(), false));
        return switch (policy.decide(host, 443)) {
            case Decision.Allow<EgressPermit>(EgressPermit permit) ->
                    Policy.objection(
                                    permit,
                                    new WebRequest(
                                            method,
                                            UrlPath.parse(path),
                                            Optional.empty(),
                                            Optional.empty()))
                            .map(Refusal::name)
                            .orElse("allowed");
            case Decision.Deny<EgressPermit>(Refusal refusal) -> refusal.name();
        };
    }

    @ParameterizedTest
    @CsvSource({
        "anthropic,header x-api-key",
        "openai,bearer",
        "gemini,header x-goog-api-key",
    })
    void injectsASecretForOneModelsHost(String name, String place) throws IOException {
        assertThat(preset(name).rules()).hasSize(1);
        EgressRule rule = preset(name).rules().getFirst();
        assertThat(rule.host().isWildcard()).isFalse();
        assertThat(rule.ports()).containsExactly(443);
        Injection injection = rule.inspection().orElseThrow().injection().orElseThrow();
        assertThat(injection.secret()).isEqualTo(name);
        assertThat(injection.placeholder()).isEmpty();
        assertThat(EgressText.of(rule).inspection().orElseThrow().inject().orElseThrow().place())
                .isEqualTo(place);
        assertThat(rule.inspection().orElseThrow().requestBytesMax()).contains(33_554_432L);
    }

    @Test
    void anOptionLiftsWhatItNamesAndNothingElse() throws IOException {
        Inspection with = preset("openai+web-search").rules().getFirst().inspection().orElseThrow();
        assertThat(with.json().removed()).isEmpty();
        assertThat(with.json().denied()).asString().contains("mcp").doesNotContain("search");
        assertThatThrownBy(() -> Presets.find("openai+anything"))
                .hasMessage(
                        "The preset openai has no option anything. Choose from: code-interpreter,"
                                + " web-search.");
        assertThatThrownBy(() -> Presets.find("npm+x")).hasMessageContaining("Write npm.");
    }

    @Test
    void aRegionIsThatOfTheHostAndOfTheSignature() throws IOException {
        EgressRule rule = preset("bedrock+us-gov-west-1+web-search").rules().getFirst();
        assertThat(rule.host()).hasToString("bedrock-runtime.us-gov-west-1.amazonaws.com");
        assertThat(EgressText.of(rule).inspection().orElseThrow().inject().orElseThrow().place())
                .isEqualTo("aws-signature us-gov-west-1/bedrock");
        for (String name : List.of("npm+eu-west-1", "bedrock+evil.example", "bedrock+eu-west")) {
            assertThatThrownBy(() -> Presets.find(name)).hasMessageContaining("has no option");
        }
    }

    @Test
    void takesTheFormOfHostsOfItsKind() throws IOException {
        Preset pypi = preset("pypi");
        assertThat(pypi.paths()).hasToString("[/simple/**, /pypi/**, /packages/**]");
        List<UrlPattern> none = List.of();
        assertThat(pypi.inspection(none).methods().orElseThrow()).containsExactly("GET", "HEAD");
        assertThat(pypi.inspection(none).paths()).contains(none);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "about: a\nrules: []",
                "version: 0\nabout: a\nrules: []",
                "version: 1\nrules: []",
                "version: 1\nabout: a\nextra: 1\nrules: []",
                "version: 1\nabout: a\nhosts-from: wget\nrules: []",
                "version: 1\nabout: a\nrules: [{host: a.example}]",
                "version: 1\nabout: a\nrules: [{host: a.example, methods: [GET]}]",
                "version: 1\nabout: a\nrules: [{preset: npm}]",
                "version: 1\nabout: a\nrules: [{host: \"*\", paths: [/a]}]",
                "version: 1\nabout: a\nrules: [{host: a.example, paths: [/a], dial: \"10.0.0.5:1\"}]",
                "version: 1\nabout: a\nrules: [{host: a.example, paths: [/a], ca-file: a.pem}]",
                "version: 1\nabout: a\nrules: [{host: a.example, paths: [/a], private-addresses: true}]",
            })
    void readsAPresetAsStrictlyAsAPolicy(String text) throws IOException {
        Path file = Path.of("presets/x.yaml");
        assertThatThrownBy(() -> Presets.parse("x", file, text.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("presets/x.yaml");
        String good = "version: 1\nabout: a\nrules: [{host: a.example, paths: [/a]}]";
        assertThat(Presets.parse("x", file, good.getBytes(StandardCharsets.UTF_8)).rules())
                .extracting(EgressRule::host)
                .containsExactly(
                        new HostPattern(HostPattern.Breadth.EXACT, new HostName("a.example")));
    }
}
