package dev.sallyport.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodExecOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The admission policy admits what `k8s render` prints, and nothing that opens such a pod.
class AdmissionTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /// Path, new value (nothing: removed; a path that ends in `-` appends), words of the message.
    private static final String CHANGES =
            """
            /spec/initContainers | | init containers must be
            /spec/initContainers/0 | | init containers must be
            /spec/initContainers/1 | | init containers must be
            /spec/initContainers/0/name | "net" | init containers must be
            /spec/initContainers/- | {"name":"mine","image":"sallyport:latest"} | init containers must be
            /spec/initContainers/0/image | "evil" | must have the image
            /spec/initContainers/1/image | "evil" | must have the image
            /spec/initContainers/0/command | ["true"] | load the rules
            /spec/initContainers/0/command | | load the rules
            /spec/initContainers/0/command/2 | "port=443" | load the rules
            /spec/initContainers/0/args | ["-c"] | load the rules
            /spec/initContainers/0/restartPolicy | "Always" | load the rules
            /spec/initContainers/0/securityContext/runAsUser | 1000 | NET_ADMIN and no other
            /spec/initContainers/0/securityContext/capabilities/add | ["NET_ADMIN","SYS_ADMIN"] | NET_ADMIN and no other
            /spec/initContainers/0/securityContext/capabilities/drop | ["NET_RAW"] | NET_ADMIN and no other
            /spec/initContainers/0/env | [{"name":"LD_PRELOAD","value":"/x.so"}] | no variables and no volumes
            /spec/initContainers/0/volumeMounts | [{"name":"workspace","mountPath":"/usr/lib/sallyport"}] | no variables and no volumes
            /spec/initContainers/1/command | ["sleep","9999"] | internal-pod
            /spec/initContainers/1/args | ["x"] | internal-pod
            /spec/initContainers/1/restartPolicy | | internal-pod
            /spec/initContainers/1/securityContext/runAsUser | 1000 | user and group 65532
            /spec/initContainers/1/securityContext/runAsGroup | | user and group 65532
            /spec/initContainers/1/securityContext/capabilities/add | ["NET_BIND_SERVICE"] | user and group 65532
            /spec/initContainers/1/env/- | {"name":"LD_PRELOAD","value":"/x.so"} | SALLYPORT_POD_GATEWAY and
            /spec/initContainers/1/env/0 | {"name":"SALLYPORT_POD_GATEWAY","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}} | SALLYPORT_POD_GATEWAY and
            /spec/initContainers/1/env/0/value | "203.0.113.5:8443" | must be the address under
            /spec/initContainers/1/env/0/value | "10.96.0.20:8443 " | must be the address under
            /spec/initContainers/1/env/0/value | | must be the address under
            /spec/initContainers/1/env | | must be the address under
            /spec/initContainers/1/volumeMounts/- | {"name":"workspace","mountPath":"/usr/lib/sallyport"} | must mount its token
            /spec/initContainers/1/volumeMounts/3/mountPath | "/usr/lib/sallyport" | must mount its token
            /spec/initContainers/1/volumeMounts/2/subPath | "other" | must mount its token
            /spec/initContainers/1/volumeMounts/2/mountPropagation | "Bidirectional" | must mount its token
            /spec/initContainers/1/startupProbe | | ready only when
            /spec/initContainers/1/startupProbe/exec/command | ["true"] | ready only when
            /spec/initContainers/0/securityContext/allowPrivilegeEscalation | true | must not gain privileges
            /spec/initContainers/1/securityContext/allowPrivilegeEscalation | | must not gain privileges
            /spec/initContainers/0/securityContext/readOnlyRootFilesystem | false | must not gain privileges
            /spec/initContainers/1/securityContext/privileged | true | must not gain privileges
            /spec/initContainers/1/securityContext/seccompProfile | {"type":"Unconfined"} | must not gain privileges
            /spec/initContainers/1/securityContext/procMount | "Unmasked" | must not gain privileges
            /spec/initContainers/1/lifecycle | {"postStart":{"exec":{"command":["sh"]}}} | no hooks
            /spec/initContainers/1/livenessProbe | {"exec":{"command":["sh"]}} | no hooks
            /spec/initContainers/1/readinessProbe | {"exec":{"command":["sh"]}} | no hooks
            /spec/initContainers/1/envFrom | [{"configMapRef":{"name":"x"}}] | no hooks
            /spec/initContainers/1/ports | [{"containerPort":80,"hostPort":80}] | no hooks
            /spec/initContainers/0/terminationMessagePath | "/usr/lib/sallyport/pod.nft" | no hooks
            /spec/initContainers/0/workingDir | "/workspace" | no hooks
            /spec/initContainers/1/volumeDevices | [{"name":"disk","devicePath":"/dev/x"}] | no hooks
            /spec/initContainers/1/stdin | true | no hooks
            /spec/volumes/0/projected/sources/0/serviceAccountToken/audience | "https://kubernetes.default.svc" | one token for the audience
            /spec/volumes/0/projected/sources/0/serviceAccountToken/audience | | one token for the audience
            /spec/volumes/0/projected/sources/- | {"secret":{"name":"x"}} | one token for the audience
            /spec/volumes/0 | {"name":"sallyport-token","hostPath":{"path":"/"}} | one token for the audience
            /spec/volumes/1/configMap/name | "other" | ConfigMap of that name
            /spec/volumes/2 | {"name":"sallyport-inside","persistentVolumeClaim":{"claimName":"x"}} | ConfigMap of that name
            /spec/volumes/- | {"name":"second","configMap":{"name":"sallyport-authority"}} | ConfigMap of that name
            /spec/hostNetwork | true | share namespaces
            /spec/hostPID | true | share namespaces
            /spec/hostIPC | true | share namespaces
            /spec/shareProcessNamespace | true | share namespaces
            /spec/hostUsers | true | hostUsers must be false
            /spec/hostUsers | | hostUsers must be false
            /spec/automountServiceAccountToken | true | automountServiceAccountToken must be false
            /spec/automountServiceAccountToken | | automountServiceAccountToken must be false
            /spec/dnsPolicy | "ClusterFirst" | only name server
            /spec/dnsConfig/nameservers/- | "8.8.8.8" | only name server
            /spec/securityContext/seccompProfile/type | "Unconfined" | seccomp profile RuntimeDefault
            /spec/securityContext/seccompProfile | {"type":"Localhost","localhostProfile":"x"} | seccomp profile RuntimeDefault
            /spec/securityContext/appArmorProfile | {"type":"Unconfined"} | seccomp profile RuntimeDefault
            /spec/securityContext/appArmorProfile | {"type":"Localhost","localhostProfile":"x"} | seccomp profile RuntimeDefault
            /spec/securityContext/seLinuxOptions | {"type":"spc_t"} | seccomp profile RuntimeDefault
            /spec/os | {"name":"windows"} | seccomp profile RuntimeDefault
            /metadata/annotations | {"container.apparmor.security.beta.kubernetes.io/agent":"unconfined"} | seccomp profile RuntimeDefault
            /spec/securityContext/sysctls/- | {"name":"net.ipv4.ip_forward","value":"1"} | one sysctl
            /spec/securityContext/sysctls | | one sysctl
            /spec/volumes/- | {"name":"host","hostPath":{"path":"/"}} | nothing of the node
            /spec/volumes/- | {"name":"key","secret":{"secretName":"x"}} | nothing of the node
            /spec/volumes/- | {"name":"second","projected":{"sources":[{"serviceAccountToken":{"path":"token"}}]}} | nothing of the node
            /spec/volumes/- | {"name":"share","nfs":{"server":"10.0.0.1","path":"/"}} | nothing of the node
            /spec/volumes/- | {"name":"plugin","csi":{"driver":"x"}} | nothing of the node
            /spec/ephemeralContainers | [{"name":"debug","image":"x"}] | no ephemeral containers
            /spec/containers/0/securityContext/runAsUser | 0 | neither 0 nor 65532
            /spec/containers/0/securityContext/runAsUser | 65532 | neither 0 nor 65532
            /spec/containers/0/securityContext/runAsUser | | neither 0 nor 65532
            /spec/containers/0/securityContext/runAsNonRoot | false | neither 0 nor 65532
            /spec/containers/0/securityContext | | neither 0 nor 65532
            /spec/containers/- | {"name":"second","image":"x"} | neither 0 nor 65532
            /spec/containers/0/securityContext/capabilities/add | ["NET_RAW"] | drop all capabilities
            /spec/containers/0/securityContext/capabilities/drop | [] | drop all capabilities
            /spec/containers/0/securityContext/capabilities | | drop all capabilities
            /spec/containers/0/securityContext/allowPrivilegeEscalation | true | allowPrivilegeEscalation false
            /spec/containers/0/securityContext/allowPrivilegeEscalation | | allowPrivilegeEscalation false
            /spec/containers/0/securityContext/privileged | true | allowPrivilegeEscalation false
            /spec/containers/0/securityContext/procMount | "Unmasked" | usual /proc
            /spec/containers/0/securityContext/seccompProfile | {"type":"Unconfined"} | usual /proc
            /spec/containers/0/securityContext/seccompProfile | {"type":"Localhost","localhostProfile":"x"} | usual /proc
            /spec/containers/0/securityContext/appArmorProfile | {"type":"Unconfined"} | usual /proc
            /spec/containers/0/securityContext/appArmorProfile | {"type":"Localhost","localhostProfile":"x"} | usual /proc
            /spec/containers/0/livenessProbe | {"httpGet":{"host":"169.254.169.254","port":80}} | node would connect
            /spec/containers/0/livenessProbe | {"tcpSocket":{"host":"10.0.0.1","port":22}} | node would connect
            /spec/containers/0/livenessProbe | {"grpc":{"port":53}} | node would connect
            /spec/containers/0/readinessProbe | {"httpGet":{"host":"169.254.169.254","port":80}} | node would connect
            /spec/containers/0/readinessProbe | {"tcpSocket":{"host":"10.0.0.1","port":22}} | node would connect
            /spec/containers/0/readinessProbe | {"grpc":{"port":53}} | node would connect
            /spec/containers/0/startupProbe | {"httpGet":{"host":"169.254.169.254","port":80}} | node would connect
            /spec/containers/0/startupProbe | {"tcpSocket":{"host":"10.0.0.1","port":22}} | node would connect
            /spec/containers/0/startupProbe | {"grpc":{"port":53}} | node would connect
            /spec/containers/0/lifecycle | {"postStart":{"httpGet":{"host":"169.254.169.254","port":80}}} | node would connect
            /spec/containers/0/lifecycle | {"postStart":{"tcpSocket":{"host":"10.0.0.1","port":22}}} | node would connect
            /spec/containers/0/lifecycle | {"preStop":{"httpGet":{"host":"169.254.169.254","port":80}}} | node would connect
            /spec/containers/0/lifecycle | {"preStop":{"tcpSocket":{"host":"10.0.0.1","port":22}}} | node would connect
            /spec/containers/0/livenessProbe | {"exec":{"command":["true"]},"httpGet":{"port":80}} | node would connect
            /spec/containers/0/lifecycle | {"postStart":{"exec":{"command":["true"]}},"preStop":{"sleep":{"seconds":1},"httpGet":{"port":80}}} | node would connect
            /spec/containers/0/livenessProbe | {"another":{"port":80}} | node would connect
            /spec/initContainers/0/startupProbe | {"tcpSocket":{"port":80}} | node would connect
            /spec/initContainers/1/startupProbe/httpGet | {"port":80} | node would connect
            /spec/containers/0/ports | [{"containerPort":80,"hostPort":80}] | no port of the node
            /spec/containers/0/volumeMounts/- | {"name":"sallyport-token","mountPath":"/t"} | what belongs to the sidecar
            /spec/containers/0/volumeMounts/- | {"name":"sallyport-authority","mountPath":"/t"} | what belongs to the sidecar
            /spec/containers/0/volumeMounts/- | {"name":"sallyport-tmp","mountPath":"/t"} | what belongs to the sidecar
            /spec/containers/0/volumeDevices | [{"name":"disk","devicePath":"/dev/x"}] | what belongs to the sidecar
            /spec/containers/0/volumeMounts/0/readOnly | false | sallyport-inside read-only
            /spec/containers/0/volumeMounts/0/readOnly | | sallyport-inside read-only
            /spec/containers/0/volumeMounts/0/subPath | "x" | sallyport-inside read-only
            /spec/containers/0/volumeMounts/0/subPathExpr | "$(HOME)" | sallyport-inside read-only
            /spec/containers/0/volumeMounts/- | {"name":"sallyport-inside","mountPath":"/x"} | sallyport-inside read-only
            /spec/containers/0/env/- | {"name":"K","valueFrom":{"secretKeyRef":{"name":"x","key":"y"}}} | secrets in variables
            /spec/containers/0/envFrom | [{"secretRef":{"name":"x"}}] | secrets in variables
            """;

    /// What a person may well want.
    private static final String HARMLESS =
            """
            /spec/containers/0/image | "python:3.13"
            /spec/containers/0/securityContext/seccompProfile | {"type":"RuntimeDefault"}
            /spec/containers/0/securityContext/appArmorProfile | {"type":"RuntimeDefault"}
            /spec/containers/0/command | ["sh","-c","sleep 1"]
            /spec/containers/0/env/- | {"name":"CI","value":"true"}
            /spec/containers/0/resources | {"limits":{"memory":"4Gi"}}
            /spec/containers/0/securityContext/runAsUser | 5000
            /spec/containers/0/ports | [{"containerPort":3000}]
            /spec/containers/0/livenessProbe | {"exec":{"command":["true"]}}
            /spec/containers/0/startupProbe | {"exec":{"command":["true"]}}
            /spec/containers/0/lifecycle | {"postStart":{"exec":{"command":["true"]}},"preStop":{"sleep":{"seconds":1}}}
            /spec/volumes/4 | {"name":"workspace","persistentVolumeClaim":{"claimName":"x"}}
            /spec/nodeSelector | {"disk":"fast"}
            /spec/initContainers/0/terminationMessagePath | "/dev/termination-log"
            /spec/initContainers/1/volumeMounts/2/mountPropagation | "None"
            /metadata/annotations | {"team":"blue"}
            """;

    private static final String AGENTS = "sallyport-agents";
    private static final Admission POLICY = load(AGENTS);

    private static Admission load(String policy) {
        try {
            return Admission.load(policy, Manifests.GATEWAY);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    record Change(String path, String value, String message) {
        ObjectNode made() throws IOException {
            ObjectNode pod = Manifests.pod();
            int slash = path.lastIndexOf('/');
            JsonNode parent = pod.at(path.substring(0, slash));
            String key = path.substring(slash + 1);
            assertThat(parent.isContainerNode()).as(path).isTrue();
            if (parent instanceof ObjectNode object) {
                if (value.isEmpty()) {
                    assertThat(object.remove(key)).as(path).isNotNull();
                } else {
                    object.set(key, JSON.readTree(value));
                }
            } else if (parent instanceof ArrayNode array) {
                if (key.equals("-")) {
                    array.add(JSON.readTree(value));
                } else if (value.isEmpty()) {
                    array.remove(Integer.parseInt(key));
                } else {
                    array.set(Integer.parseInt(key), JSON.readTree(value));
                }
            }
            return pod;
        }
    }

    static Stream<Change> changes() {
        return rows(CHANGES);
    }

    static Stream<Change> harmless() {
        return rows(HARMLESS);
    }

    private static Stream<Change> rows(String table) {
        return table.lines()
                .map(line -> Arrays.stream(line.split(" \\|", -1)).map(String::strip).toList())
                .map(row -> new Change(row.get(0), row.get(1), row.size() > 2 ? row.get(2) : ""));
    }

    @Test
    void whatIsRenderedIsAdmitted() throws IOException {
        assertThat(POLICY.refusals(Manifests.pod())).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("harmless")
    void whatOpensNothingIsAdmitted(Change change) throws IOException {
        assertThat(change.made()).isNotEqualTo(Manifests.pod());
        assertThat(POLICY.refusals(change.made())).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("changes")
    void aPodThatIsOpenIsRefused(Change change) throws IOException {
        assertThat(POLICY.refusals(change.made()))
                .as(change.path())
                .anyMatch(message -> message.contains(change.message()));
    }

    @Test
    void everyRuleRefusesSomething() throws IOException {
        Set<String> used = new HashSet<>();
        for (String message : POLICY.messages()) {
            if (changes().anyMatch(change -> message.contains(change.message()))) {
                used.add(message);
            }
        }
        assertThat(used).containsExactlyInAnyOrderElementsOf(POLICY.messages());
    }

    /// A misspelt field would never be there. An API server refuses such an expression.
    @Test
    void everyFieldThatARuleNamesIsOneOfAPod() {
        Set<String> fields = new HashSet<>();
        POLICY.expressions()
                .forEach(
                        tree ->
                                CelNavigableAst.fromAst(tree)
                                        .getRoot()
                                        .allNodes()
                                        .filter(
                                                node ->
                                                        node.getKind()
                                                                == CelExpr.ExprKind.Kind.SELECT)
                                        .forEach(node -> fields.add(node.expr().select().field())));
        assertThat(fields).contains("hostNetwork", "procMount");
        fields.removeAll(List.of("inits", "volumes", "ours", "data", "image", "port", "gateway"));
        Set<String> known = new HashSet<>();
        collect(JSON.constructType(Pod.class), known, new HashSet<>());
        assertThat(known).containsAll(fields);
    }

    private static void collect(JavaType type, Set<String> names, Set<JavaType> seen) {
        if (!seen.add(type)) {
            return;
        }
        if (type.isContainerType()) {
            collect(type.getContentType(), names, seen);
        } else if (type.getRawClass().getName().startsWith("io.fabric8")) {
            JSON.getSerializationConfig()
                    .introspect(type)
                    .findProperties()
                    .forEach(
                            property -> {
                                names.add(property.getName());
                                collect(property.getPrimaryType(), names, seen);
                            });
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"command\":[\"sh\"]}",
                "{\"container\":\"\",\"command\":[\"sh\"]}",
                "{\"container\":\"sallyport\",\"command\":[\"cat\",\"/run/sallyport/token/token\"]}",
                "{\"container\":\"sallyport-net\",\"stdin\":true}"
            })
    void nobodyRunsCommandsInOurContainers(String options) throws IOException {
        Admission exec = load(AGENTS + "-exec");
        assertThat(exec.refusals(JSON.readTree(options)))
                .containsExactlyElementsOf(exec.messages());
        assertThat(exec.refusals(JSON.readTree("{\"container\":\"agent\",\"tty\":true}")))
                .isEmpty();
    }

    /// Nobody knows the address before the cluster gives it.
    @Test
    void withoutTheGatewaysAddressNothingIsAdmitted() throws IOException {
        assertThat(Admission.load(AGENTS, "").refusals(Manifests.pod()))
                .singleElement()
                .asString()
                .contains("must be the address under");
    }

    /// After an upgrade pods still run with the image of before.
    @Test
    void aRunningPodMayEndButNotChange() throws IOException {
        ObjectNode old = Manifests.pod();
        ((ObjectNode) old.at("/spec/initContainers/1")).put("image", "sallyport:before");
        assertThat(POLICY.refusals(old)).isNotEmpty();
        ObjectNode ending = old.deepCopy();
        ((ObjectNode) ending.path("metadata")).putArray("finalizers");
        assertThat(POLICY.refusals(old, ending)).isEmpty();
        ObjectNode changed = old.deepCopy();
        ((ObjectNode) changed.at("/spec/containers/0")).put("image", "other");
        assertThat(POLICY.refusals(old, changed)).isNotEmpty();
        ObjectNode open = Manifests.pod();
        ((ObjectNode) open.path("spec")).putArray("ephemeralContainers").addObject();
        assertThat(POLICY.refusals(Manifests.pod(), open)).isNotEmpty();
    }

    @Test
    void execAndAttachAreJudgedWherePodsAre() throws IOException {
        JsonNode exec = policy(AGENTS + "-exec").path("matchConstraints");
        assertThat(exec.path("namespaceSelector"))
                .isEqualTo(policy(AGENTS).at("/matchConstraints/namespaceSelector"));
        assertThat(exec.at("/resourceRules/0").toString())
                .contains("[\"CONNECT\"]", "[\"pods/exec\",\"pods/attach\"]");
        Set<String> known = new HashSet<>();
        collect(JSON.constructType(PodExecOptions.class), known, new HashSet<>());
        assertThat(known).contains("container");
    }

    private static JsonNode policy(String name) throws IOException {
        return Manifests.read("admission.yaml", "ValidatingAdmissionPolicy", name).path("spec");
    }

    private static JsonNode binding(String name) throws IOException {
        return Manifests.read("admission.yaml", "ValidatingAdmissionPolicyBinding", name)
                .path("spec");
    }

    @ParameterizedTest
    @ValueSource(strings = {AGENTS, AGENTS + "-exec"})
    void whatIsNotAdmittedIsRefused(String name) throws IOException {
        assertThat(binding(name).path("policyName").asText()).isEqualTo(name);
        assertThat(binding(name).path("validationActions").get(0).asText()).isEqualTo("Deny");
        assertThat(policy(name).path("failurePolicy").asText()).isEqualTo("Fail");
    }

    /// An image that is not ours may be named as the settings say, if they are changed there only.
    @Test
    void withoutSettingsNothingIsAdmitted() throws IOException {
        JsonNode binding = binding(AGENTS);
        assertThat(binding.at("/paramRef/parameterNotFoundAction").asText()).isEqualTo("Deny");
        JsonNode settings = Manifests.read("settings.yaml", "ConfigMap").path("metadata");
        assertThat(List.of(binding.at("/paramRef/name"), binding.at("/paramRef/namespace")))
                .isEqualTo(List.of(settings.path("name"), settings.path("namespace")));
        JsonNode agents = Manifests.read("namespaces.yaml").get(1).at("/metadata/labels");
        policy(AGENTS)
                .at("/matchConstraints/namespaceSelector/matchLabels")
                .properties()
                .forEach(l -> assertThat(agents.path(l.getKey())).isEqualTo(l.getValue()));
    }
}
