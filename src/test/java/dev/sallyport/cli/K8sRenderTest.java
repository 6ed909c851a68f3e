package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.sallyport.config.Home;
import dev.sallyport.control.ApiJson;
import dev.sallyport.control.HostApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// `k8s render` without a daemon. `AdmissionTest` and `ManifestsTest` judge what it prints.
class K8sRenderTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir Path directory;
    private Shell shell;

    @BeforeEach
    void begin() {
        shell = new Shell(new Home(directory.resolve("home")), directory, directory);
    }

    private int render(String... arguments) {
        List<String> all =
                new ArrayList<>(List.of("k8s", "render", "--gateway=10.0.0.1:8443", "--image=i"));
        all.addAll(List.of(arguments));
        return shell.run("", all.toArray(String[]::new));
    }

    private JsonNode rendered(String... arguments) {
        assertThat(render(arguments)).as(shell.err()).isZero();
        return JSON.valueToTree(
                new Load(LoadSettings.builder().build()).loadFromString(shell.out()));
    }

    private static HostApi.Open request(JsonNode pod) throws IOException {
        return ApiJson.requests()
                .readValue(
                        variable(pod.at("/spec/initContainers/1"), "SALLYPORT_POD_REQUEST"),
                        HostApi.Open.class);
    }

    private static String variable(JsonNode container, String name) {
        for (JsonNode variable : container.path("env")) {
            if (variable.path("name").asText().equals(name)) {
                return variable.path("value").asText();
            }
        }
        return "";
    }

    @Test
    void asksForWhatRunWouldAskForAndStartsNothing() throws IOException {
        JsonNode pod =
                rendered(
                        "--name=fix",
                        "--repo=https://git.example/acme/app.git:read",
                        "--repo=acme/lib",
                        "--allow=example.com:8443",
                        "--allow-tcp=db.example:5432",
                        "--preset=npm",
                        "--no-egress",
                        "--git-hooks",
                        "--max-pushes=3",
                        "--env=CI=$(HOME)",
                        "--env=MINE",
                        "--",
                        "npm",
                        "--version");
        HostApi.Open open = request(pod);
        assertThat(open.name()).isEqualTo("fix");
        assertThat(open.repos()).containsExactly("git.example/acme/app:read", "acme/lib");
        assertThat(open.reach().allow()).containsExactly("example.com:8443");
        assertThat(open.reach().tcp()).containsExactly("db.example:5432");
        assertThat(open.reach().presets()).containsExactly("npm");
        assertThat(open.reach().egress()).isFalse();
        assertThat(open.git().hooks()).isTrue();
        assertThat(open.life().maxPushes()).hasValue(3L);
        assertThat(pod.at("/spec/containers/0/command").toString())
                .isEqualTo("[\"npm\",\"--version\"]");
        assertThat(variable(pod.at("/spec/initContainers/1"), "SALLYPORT_POD_GATEWAY"))
                .isEqualTo("10.0.0.1:8443");
        JsonNode agent = pod.at("/spec/containers/0");
        assertThat(variable(agent, "CI")).isEqualTo("$$(HOME)");
        assertThat(variable(agent, "MINE")).isEqualTo("own");
        assertThat(directory.resolve("home")).doesNotExist();
    }

    /// Git finds the gateway, and programs the certificates, where the sidecar writes.
    @Test
    void theAgentIsToldWhereTheSidecarPutsItsFiles() {
        JsonNode agent = rendered("--repo=git.example/acme/app").at("/spec/containers/0");
        assertThat(variable(agent, "GIT_CONFIG_SYSTEM"))
                .isEqualTo("/run/sallyport/inside/gitconfig");
        assertThat(variable(agent, "SSL_CERT_FILE"))
                .isEqualTo("/run/sallyport/inside/ca-bundle.crt");
        assertThat(agent.path("env").toString()).contains("url.http://git.example/.insteadOf");
    }

    @Test
    void aNameIsMadeUpAndTheImagesCommandIsUsed() {
        JsonNode pod = rendered();
        assertThat(pod.at("/metadata/name").asText()).matches("agent-[0-9a-f]{6}");
        assertThat(pod.at("/spec/containers/0").has("command")).isFalse();
        assertThat(rendered().at("/metadata/name")).isNotEqualTo(pod.at("/metadata/name"));
    }

    @Test
    void jsonIsTheSameDocument() throws IOException {
        JsonNode yaml = rendered("--name=fix", "--", "true");
        assertThat(render("--name=fix", "--json", "--", "true")).isZero();
        assertThat(JSON.readTree(shell.out())).isEqualTo(yaml);
    }

    /// Whatever a person writes stays one text, for readers of YAML 1.1 as well: each is in quotes,
    /// in one line and in ASCII. Kubernetes would expand what looks like a variable.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "no",
                "0x1f",
                "12:30",
                "~",
                "",
                " ",
                "a\nb: c\n---\nkind: Secret",
                "\"\nspec:\n  hostNetwork: true\n#",
                "- x",
                "&a *b !!int 3",
                "{{ x }}",
                "\u0085\u2028\u2029\uFEFF",
                "\uD83D\uDE00 \u00e9",
                "\t\u0007\u007f",
                "a # b",
                "'"
            })
    void wordsCannotChangeTheShapeOfThePod(String word) {
        JsonNode plain = rendered("--name=fix", "--", "echo", "x");
        long lines = shell.out().lines().count();
        JsonNode pod = rendered("--name=fix", "--", "echo", word);
        assertThat(shell.out()).matches("[\n -~]*");
        assertThat(shell.out().lines().count()).isEqualTo(lines);
        assertThat(pod.at("/spec/containers/0/command/1").asText()).isEqualTo(word);
        ((ArrayNode) pod.at("/spec/containers/0/command")).set(1, "x");
        assertThat(pod).isEqualTo(plain);
    }

    @ParameterizedTest
    @CsvSource({
        "$(HOME), $$(HOME)",
        "$$, $$$",
        "$$(HOME), $$$$(HOME)",
        "$HOME, $HOME",
        "a$, a$",
        "'echo $((1+1))', 'echo $$((1+1))'"
    })
    void kubernetesExpandsNothing(String word, String written) {
        JsonNode pod = rendered("--", word);
        assertThat(pod.at("/spec/containers/0/command/0").asText()).isEqualTo(written);
        assertThat(expanded(written)).isEqualTo(word);
    }

    /// As the kubelet does it, with no variable that is defined: see `expansion.Expand` there.
    private static String expanded(String text) {
        StringBuilder expanded = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            boolean begins = text.charAt(i) == '$' && i + 1 < text.length();
            if (begins && text.charAt(i + 1) == '$') {
                expanded.append('$');
                i++;
            } else if (begins && text.charAt(i + 1) == '(' && text.indexOf(')', i) > 0) {
                expanded.append("EXPANDED");
                i = text.indexOf(')', i);
            } else {
                expanded.append(text.charAt(i));
            }
        }
        return expanded.toString();
    }

    @Test
    void theNameOfAPersonIsQuotedTwice() throws IOException {
        Files.writeString(
                directory.resolve(".gitconfig"), "[user]\n\tname = \"Eve \\\"}]: $(X)\"\n");
        JsonNode pod = rendered();
        assertThat(variable(pod.at("/spec/initContainers/1"), "SALLYPORT_POD_REQUEST"))
                .contains("$$(X)");
        assertThat(request(pod).git().identity().name()).hasValue("Eve \"}]: $$(X)");
    }

    @ParameterizedTest
    @CsvSource({
        "--name=Fix, --name",
        "--name=a.b, --name",
        "'--name=a\nb', --name",
        "--name=fix-, --name",
        "--namespace=a/b, --namespace",
        "--service-account=, --service-account",
        "'--sallyport-image=a b', --sallyport-image",
        "--repo=acme, Not a repository",
        "--repo=acme/app:admin, Not a repository",
        "--repo=https://github.com/acme/app/tree/main, Not a repository",
        "--allow=http://x, Not a host: http://x",
        "--allow=example.com:99999, Not a host",
        "--allow-tcp=db.example, Not a host: db.example",
        "--preset=nothing, Unknown preset",
        "--env=1=2, --env",
        "--env=NOT_THERE, --env",
        "--learn, --learn",
        "--runtime=docker, --runtime"
    })
    void whatIsMalformedIsNamedAndNothingIsPrinted(String argument, String words) {
        assertThat(render(argument)).isEqualTo(64);
        assertThat(shell.err()).contains(words);
        assertThat(shell.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gateway:8443",
                "10.0.0.1",
                "10.0.0.1:0",
                "[fd00::1]:8443",
                "10.0.0.01:1",
                ""
            })
    void theGatewayIsAnAddress(String gateway) {
        assertThat(shell.run("", "k8s", "render", "--image=i", "--gateway=" + gateway))
                .isEqualTo(64);
        assertThat(shell.err()).contains("--gateway", "kubectl -n sallyport get service");
        assertThat(shell.out()).isEmpty();
    }

    @Test
    void theImageAndTheGatewayMustBeGiven() {
        assertThat(shell.run("", "k8s", "render")).isEqualTo(64);
        assertThat(shell.err()).contains("--image", "--gateway");
    }
}
