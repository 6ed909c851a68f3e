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
        Map<String, Object> metadata = new LinkedHashMap<>();
        metadata.put("name", place.name());
        metadata.put("namespace", place.namespace());
        metadata.put("labels", Map.of("app.kubernetes.io/name", "sallyport-agent"));
        Map<String, Object> pod = new LinkedHashMap<>();
        pod.put("apiVersion", "v1");
        pod.put("kind", "Pod");
        pod.put("metadata", metadata);
        pod.put("spec", spec());
        return pod;
    }

    public String yaml() {
        return BlockYaml.write(manifest());
    }

    private Map<String, Object> spec() {
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put("restartPolicy", "Never");
        spec.put("serviceAccountName", place.account());
        spec.put("automountServiceAccountToken", false);
        spec.put("enableServiceLinks", false);
        spec.put("hostUsers", false);
        spec.put("dnsPolicy", "None");
        spec.put("dnsConfig", Map.of("nameservers", List.of(LOOPBACK)));
        spec.put("hostAliases", List.of(alias()));
        spec.put("securityContext", podSecurity());
        spec.put("initContainers", List.of(network(), sidecarContainer()));
        spec.put("containers", List.of(agentContainer()));
        spec.put("volumes", volumes());
        return spec;
    }

    private static Map<String, Object> alias() {
        Map<String, Object> alias = new LinkedHashMap<>();
        alias.put("ip", LOOPBACK);
        alias.put("hostnames", List.of("gateway.sallyport"));
        return alias;
    }

    /// With the lowest port that needs no capability at 0, the sidecar needs none to serve 53, 80
    /// and 443. What the agent binds there instead deceives nobody but itself.
    private static Map<String, Object> podSecurity() {
        Map<String, Object> sysctl = new LinkedHashMap<>();
        sysctl.put("name", "net.ipv4.ip_unprivileged_port_start");
        sysctl.put("value", "0");
        Map<String, Object> security = new LinkedHashMap<>();
        security.put("seccompProfile", Map.of("type", "RuntimeDefault"));
        security.put("sysctls", List.of(sysctl));
        return security;
    }

    private Map<String, Object> network() {
        Map<String, Object> capabilities = new LinkedHashMap<>();
        capabilities.put("drop", List.of("ALL"));
        capabilities.put("add", List.of("NET_ADMIN"));
        Map<String, Object> security = new LinkedHashMap<>();
        security.put("runAsUser", 0);
        security.put("runAsGroup", 0);
        security.put("allowPrivilegeEscalation", false);
        security.put("readOnlyRootFilesystem", true);
        security.put("capabilities", capabilities);
        Map<String, Object> container = new LinkedHashMap<>();
        container.put("name", "sallyport-net");
        container.put("image", sidecar.image());
        container.put(
                "command",
                List.of(
                        "/usr/sbin/nft",
                        "-D",
                        "port=" + sidecar.port(),
                        "-f",
                        "/usr/lib/sallyport/pod.nft"));
        container.put("securityContext", security);
        container.put("resources", resources("16Mi"));
        return container;
    }

    private Map<String, Object> sidecarContainer() {
        Map<String, Object> security = unprivileged(SIDECAR_USER);
        security.put("readOnlyRootFilesystem", true);
        Map<String, Object> container = new LinkedHashMap<>();
        container.put("name", "sallyport");
        container.put("image", sidecar.image());
        container.put("restartPolicy", "Always");
        container.put("command", List.of("sallyport", "internal-pod"));
        container.put(
                "env",
                List.of(
                        variable("SALLYPORT_POD_GATEWAY", sidecar.gateway()),
                        variable("SALLYPORT_POD_REQUEST", sidecar.request())));
        container.put("securityContext", security);
        container.put("startupProbe", started());
        container.put("resources", resources("256Mi"));
        container.put(
                "volumeMounts",
                List.of(
                        mount(TOKEN, "/run/sallyport/token", true),
                        mount(AUTHORITY, "/run/sallyport/authority", true),
                        mount(FILES, INSIDE, false),
                        mount(TEMPORARY, "/tmp", false)));
        return container;
    }

    /// The sidecar writes this file last.
    private static Map<String, Object> started() {
        Map<String, Object> probe = new LinkedHashMap<>();
        probe.put("exec", Map.of("command", List.of("test", "-f", INSIDE + "/" + PodFiles.READY)));
        probe.put("periodSeconds", 1);
        probe.put("failureThreshold", 600);
        return probe;
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
        Map<String, Object> security = new LinkedHashMap<>();
        security.put("runAsNonRoot", true);
        security.put("runAsUser", user);
        security.put("runAsGroup", user);
        security.put("allowPrivilegeEscalation", false);
        security.put("capabilities", Map.of("drop", List.of("ALL")));
        return security;
    }

    private static Map<String, Object> resources(String memory) {
        Map<String, Object> resources = new LinkedHashMap<>();
        resources.put("requests", Map.of("memory", memory));
        resources.put("limits", Map.of("memory", memory));
        return resources;
    }

    private static Map<String, Object> variable(String name, String value) {
        Map<String, Object> variable = new LinkedHashMap<>();
        variable.put("name", name);
        variable.put("value", literal(value));
        return variable;
    }

    private static Map<String, Object> mount(String volume, String path, boolean readOnly) {
        Map<String, Object> mount = new LinkedHashMap<>();
        mount.put("name", volume);
        mount.put("mountPath", path);
        mount.put("readOnly", readOnly);
        return mount;
    }

    private static List<Map<String, Object>> volumes() {
        Map<String, Object> token = new LinkedHashMap<>();
        token.put("path", "token");
        token.put("audience", "sallyport");
        token.put("expirationSeconds", TOKEN_SECONDS);
        Map<String, Object> memory = new LinkedHashMap<>();
        memory.put("medium", "Memory");
        memory.put("sizeLimit", "16Mi");
        return List.of(
                volume(
                        TOKEN,
                        "projected",
                        Map.of("sources", List.of(Map.of("serviceAccountToken", token)))),
                volume(AUTHORITY, "configMap", Map.of("name", AUTHORITY)),
                volume(FILES, "emptyDir", memory),
                volume(TEMPORARY, "emptyDir", Map.of("sizeLimit", "64Mi")),
                volume(WORKSPACE, "emptyDir", Map.of()));
    }

    private static Map<String, Object> volume(String name, String kind, Map<String, Object> what) {
        Map<String, Object> volume = new LinkedHashMap<>();
        volume.put("name", name);
        volume.put(kind, what);
        return volume;
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
