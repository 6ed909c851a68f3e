package dev.sallyport.kubernetes;

import dev.sallyport.sandbox.PodFiles;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.StreamDataWriter;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/// A pod in which an agent has no way out but its sidecar, as Kubernetes reads it.
///
/// The first init container closes the pod's network for everybody but the sidecar's user, who may
/// connect to the port of the gateway. The second one is the sidecar; it stays, and the agent
/// starts when it serves. `deploy/kubernetes/admission.yaml` refuses pods that are not like this.
///
/// @param place what the pod is called and where it runs
/// @param sidecar how it reaches the gateway
/// @param agent what the person wants to run
public record AgentPod(Place place, Sidecar sidecar, Agent agent) {
    /// What the sidecar writes for the agent: certificates and git's configuration.
    private static final String INSIDE = PodFiles.DIRECTORY.toString();

    private static final int SIDECAR_USER = 65532;
    private static final int AGENT_USER = 1000;
    private static final int TOKEN_SECONDS = 600;

    private static final String AUTHORITY = "sallyport-authority";
    private static final String TOKEN = "sallyport-token";
    private static final String FILES = "sallyport-inside";
    private static final String TEMPORARY = "sallyport-tmp";
    private static final String WORKSPACE = "workspace";
    private static final String LOOPBACK = "127.0.0.1";

    /// A `$` that Kubernetes would take for a reference to a variable, or for an escape of one.
    private static final Pattern REFERENCE = Pattern.compile("\\$(?=[($])");

    /// What the pod is called and where it runs.
    ///
    /// @param account service account, which the gateway must know
    public record Place(String name, String namespace, String account) {}

    /// How the sidecar reaches the gateway.
    ///
    /// @param image of Sallyport
    /// @param gateway address and port
    /// @param port the same port alone
    /// @param request what the sidecar asks the gateway for (JSON)
    public record Sidecar(String image, String gateway, int port, String request) {}

    /// What the person wants to run.
    ///
    /// @param command empty for that of the image
    public record Agent(
            String image, List<String> command, SortedMap<String, String> environment) {}

    /// The document, with nothing but maps, lists, texts, numbers and truth values in it.
    public Map<String, Object> manifest() {
        return map(
                "apiVersion",
                "v1",
                "kind",
                "Pod",
                "metadata",
                map(
                        "name", place.name(),
                        "namespace", place.namespace(),
                        "labels", map("app.kubernetes.io/name", "sallyport-agent")),
                "spec",
                spec());
    }

    /// A key and its value by turns, in the order in which they are written.
    private static Map<String, Object> map(Object... pairs) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put(pairs[i].toString(), pairs[i + 1]);
        }
        return map;
    }

    public String yaml() {
        return BlockYaml.write(manifest());
    }

    private Map<String, Object> spec() {
        return map(
                "restartPolicy", "Never",
                "serviceAccountName", place.account(),
                "automountServiceAccountToken", false,
                "enableServiceLinks", false,
                "hostUsers", false,
                "dnsPolicy", "None",
                "dnsConfig", map("nameservers", List.of(LOOPBACK)),
                "hostAliases",
                        List.of(map("ip", LOOPBACK, "hostnames", List.of("gateway.sallyport"))),
                "securityContext", podSecurity(),
                "initContainers", List.of(network(), sidecarContainer()),
                "containers", List.of(agentContainer()),
                "volumes", volumes());
    }

    /// With the lowest port that needs no capability at 0, the sidecar needs none to serve 53, 80
    /// and 443. What the agent binds there instead deceives nobody but itself.
    private static Map<String, Object> podSecurity() {
        return map(
                "seccompProfile", map("type", "RuntimeDefault"),
                "sysctls",
                        List.of(map("name", "net.ipv4.ip_unprivileged_port_start", "value", "0")));
    }

    private Map<String, Object> network() {
        return map(
                "name", "sallyport-net",
                "image", sidecar.image(),
                "command",
                        List.of(
                                "/usr/sbin/nft",
                                "-D",
                                "port=" + sidecar.port(),
                                "-f",
                                "/usr/lib/sallyport/pod.nft"),
                "securityContext",
                        map(
                                "runAsUser",
                                0,
                                "runAsGroup",
                                0,
                                "allowPrivilegeEscalation",
                                false,
                                "readOnlyRootFilesystem",
                                true,
                                "capabilities",
                                map("drop", List.of("ALL"), "add", List.of("NET_ADMIN"))),
                "resources", resources("16Mi"));
    }

    private Map<String, Object> sidecarContainer() {
        Map<String, Object> security = unprivileged(SIDECAR_USER);
        security.put("readOnlyRootFilesystem", true);
        return map(
                "name", "sallyport",
                "image", sidecar.image(),
                "restartPolicy", "Always",
                "command", List.of("sallyport", "internal-pod"),
                "env",
                        List.of(
                                variable("SALLYPORT_POD_GATEWAY", sidecar.gateway()),
                                variable("SALLYPORT_POD_REQUEST", sidecar.request())),
                "securityContext", security,
                "startupProbe", started(),
                "resources", resources("256Mi"),
                "volumeMounts",
                        List.of(
                                mount(TOKEN, "/run/sallyport/token", true),
                                mount(AUTHORITY, "/run/sallyport/authority", true),
                                mount(FILES, INSIDE, false),
                                mount(TEMPORARY, "/tmp", false)));
    }

    /// The sidecar writes this file last.
    private static Map<String, Object> started() {
        return map(
                "exec", map("command", List.of("test", "-f", INSIDE + "/" + PodFiles.READY)),
                "periodSeconds", 1,
                "failureThreshold", 600);
    }

    private Map<String, Object> agentContainer() {
        Map<String, Object> container = new LinkedHashMap<>();
        container.put("name", "agent");
        container.put("image", agent.image());
        if (!agent.command().isEmpty()) {
            container.put("command", agent.command().stream().map(AgentPod::literal).toList());
        }
        container.put("workingDir", "/workspace");
        container.put(
                "env",
                agent.environment().entrySet().stream()
                        .map(entry -> variable(entry.getKey(), entry.getValue()))
                        .toList());
        container.put("securityContext", unprivileged(AGENT_USER));
        container.put(
                "volumeMounts",
                List.of(mount(FILES, INSIDE, true), mount(WORKSPACE, "/workspace", false)));
        return container;
    }

    private static Map<String, Object> unprivileged(int user) {
        return map(
                "runAsNonRoot",
                true,
                "runAsUser",
                user,
                "runAsGroup",
                user,
                "allowPrivilegeEscalation",
                false,
                "capabilities",
                map("drop", List.of("ALL")));
    }

    private static Map<String, Object> resources(String memory) {
        return map("requests", map("memory", memory), "limits", map("memory", memory));
    }

    private static Map<String, Object> variable(String name, String value) {
        return map("name", name, "value", literal(value));
    }

    private static Map<String, Object> mount(String volume, String path, boolean readOnly) {
        return map("name", volume, "mountPath", path, "readOnly", readOnly);
    }

    private static List<Map<String, Object>> volumes() {
        Map<String, Object> token =
                map("path", "token", "audience", "sallyport", "expirationSeconds", TOKEN_SECONDS);
        return List.of(
                map(
                        "name",
                        TOKEN,
                        "projected",
                        map("sources", List.of(map("serviceAccountToken", token)))),
                map("name", AUTHORITY, "configMap", map("name", AUTHORITY)),
                map("name", FILES, "emptyDir", map("medium", "Memory", "sizeLimit", "16Mi")),
                map("name", TEMPORARY, "emptyDir", map("sizeLimit", "64Mi")),
                map("name", WORKSPACE, "emptyDir", map()));
    }

    /// A text that reaches the program as it is: Kubernetes puts values of variables in the place
    /// of `$(NAME)` in commands and in other variables.
    static String literal(String text) {
        return REFERENCE.matcher(text).replaceAll("\\$\\$");
    }

    /// Writes YAML that every reader takes for the same. Each text is in double quotes and in
    /// ASCII: `no`, `1_000` or `12:30` without quotes is a text for us, and something else for
    /// readers of YAML 1.1, such as kubectl; and some of them break lines at characters that others
    /// do not.
    static final class BlockYaml {
        private static final DumpSettings SETTINGS =
                DumpSettings.builder()
                        .setSplitLines(false)
                        .setUseUnicodeEncoding(false)
                        .setIndicatorIndent(2)
                        .setIndentWithIndicator(true)
                        .build();

        static String write(Map<String, Object> document) {
            Text text = new Text();
            new Dump(SETTINGS).dumpNode(node(document), text);
            return text.written.toString();
        }

        private static Node node(Object value) {
            return switch (value) {
                case Map<?, ?> map -> mapping(map);
                case List<?> list ->
                        new SequenceNode(
                                Tag.SEQ,
                                list.stream().map(BlockYaml::node).toList(),
                                style(list.isEmpty()));
                case String text -> new ScalarNode(Tag.STR, text, ScalarStyle.DOUBLE_QUOTED);
                case Boolean truth -> new ScalarNode(Tag.BOOL, truth.toString(), ScalarStyle.PLAIN);
                case Integer number ->
                        new ScalarNode(Tag.INT, number.toString(), ScalarStyle.PLAIN);
                default ->
                        throw new IllegalArgumentException("not a value of a manifest: " + value);
            };
        }

        /// Keys are ours, not a person's.
        private static Node mapping(Map<?, ?> map) {
            List<NodeTuple> tuples = new ArrayList<>();
            map.forEach(
                    (key, value) ->
                            tuples.add(
                                    new NodeTuple(
                                            new ScalarNode(
                                                    Tag.STR, key.toString(), ScalarStyle.PLAIN),
                                            node(value))));
            return new MappingNode(Tag.MAP, tuples, style(map.isEmpty()));
        }

        private static FlowStyle style(boolean empty) {
            return empty ? FlowStyle.FLOW : FlowStyle.BLOCK;
        }

        private static final class Text implements StreamDataWriter {
            private final StringBuilder written = new StringBuilder();

            @Override
            public void write(String text) {
                written.append(text);
            }

            @Override
            public void write(String text, int offset, int length) {
                written.append(text, offset, offset + length);
            }
        }
    }
}
