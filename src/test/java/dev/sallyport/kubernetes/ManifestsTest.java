package dev.sallyport.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The manifests say what Kubernetes understands: its types, made from its own description, know
/// every field. No API server runs here.
class ManifestsTest {
    private static final Map<String, Class<?>> KINDS =
            Map.ofEntries(
                    Map.entry("v1/Pod", Pod.class),
                    Map.entry("v1/Namespace", Namespace.class),
                    Map.entry("v1/ConfigMap", ConfigMap.class),
                    Map.entry("v1/Service", Service.class),
                    Map.entry("v1/ServiceAccount", ServiceAccount.class),
                    Map.entry("apps/v1/StatefulSet", StatefulSet.class),
                    Map.entry("policy/v1/PodDisruptionBudget", PodDisruptionBudget.class),
                    Map.entry("rbac.authorization.k8s.io/v1/Role", Role.class),
                    Map.entry("rbac.authorization.k8s.io/v1/RoleBinding", RoleBinding.class),
                    Map.entry("rbac.authorization.k8s.io/v1/ClusterRole", ClusterRole.class),
                    Map.entry(
                            "rbac.authorization.k8s.io/v1/ClusterRoleBinding",
                            ClusterRoleBinding.class),
                    Map.entry("networking.k8s.io/v1/NetworkPolicy", NetworkPolicy.class),
                    Map.entry(
                            "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy",
                            ValidatingAdmissionPolicy.class),
                    Map.entry(
                            "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding",
                            ValidatingAdmissionPolicyBinding.class));

    private static final ObjectMapper STRICT =
            JsonMapper.builder()
                    .annotationIntrospector(new NoOtherProperties())
                    .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .build();

    /// The types keep fields that they do not know; here those are mistakes.
    private static final class NoOtherProperties extends JacksonAnnotationIntrospector {
        private static final long serialVersionUID = 1L;

        @Override
        public Boolean hasAnySetter(Annotated member) {
            return Boolean.FALSE;
        }
    }

    private static Object typed(JsonNode document) throws IOException {
        String kind = document.path("apiVersion").asText() + "/" + document.path("kind").asText();
        assertThat(KINDS).containsKey(kind);
        return STRICT.treeToValue(document, KINDS.get(kind));
    }

    @Test
    void kubernetesKnowsEveryFieldOfTheManifests() throws IOException {
        List<String> found = new ArrayList<>();
        for (JsonNode file : Manifests.read("kustomization.yaml").getFirst().path("resources")) {
            for (JsonNode document : Manifests.read(file.asText())) {
                typed(document);
                found.add(document.path("kind").asText());
            }
        }
        assertThat(found).hasSizeGreaterThan(12).contains("StatefulSet", "NetworkPolicy");
    }

    @Test
    void kubernetesKnowsEveryFieldOfARenderedPod() throws IOException {
        ObjectNode pod = Manifests.pod();
        assertThat(typed(pod)).isInstanceOf(Pod.class);
        ((ObjectNode) pod.at("/spec/initContainers/1/securityContext")).put("runAsUsr", 1);
        assertThatThrownBy(() -> typed(pod)).isInstanceOf(UnrecognizedPropertyException.class);
    }

    @Test
    void everyManifestIsListed() throws IOException {
        JsonNode kustomization = Manifests.read("kustomization.yaml").getFirst();
        List<String> listed = new ArrayList<>();
        kustomization.path("resources").forEach(file -> listed.add(file.asText()));
        try (Stream<Path> files = Files.list(Manifests.DIRECTORY)) {
            List<String> there =
                    files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".yaml"))
                            .filter(name -> !name.equals("kustomization.yaml"))
                            .toList();
            assertThat(listed).containsExactlyInAnyOrderElementsOf(there);
        }
    }

    /// Nothing in the repository could be taken for a secret that is in use.
    @Test
    void secretsComeFromFilesThatAreNotHere() throws IOException {
        JsonNode kustomization = Manifests.read("kustomization.yaml").getFirst();
        List<String> files = new ArrayList<>();
        for (String generator : List.of("configMapGenerator", "secretGenerator")) {
            kustomization
                    .path(generator)
                    .forEach(entry -> entry.path("files").forEach(f -> files.add(f.asText())));
        }
        assertThat(files).hasSize(4).allMatch(file -> file.startsWith("config/"));
        assertThat(Files.readString(Path.of(".gitignore"))).contains("/deploy/kubernetes/config/");
    }

    @Test
    void theGatewayMayOnlyReviewTokens() throws IOException {
        JsonNode rules = Manifests.read("access.yaml", "ClusterRole").path("rules");
        assertThat(rules.toString())
                .isEqualTo(
                        "[{\"apiGroups\":[\"authentication.k8s.io\"],\"resources\":[\"tokenreviews\"],\"verbs\":[\"create\"]}]");
    }

    /// Whoever could write ConfigMaps, NetworkPolicies or tokens there could open the pods.
    @Test
    void peopleMayOnlyUsePods() throws IOException {
        for (JsonNode document : Manifests.read("example/people.yaml")) {
            typed(document);
            assertThat(document.at("/metadata/namespace").asText()).isEqualTo("agents");
        }
        List<String> rights = new ArrayList<>();
        JsonNode role = Manifests.read("example/people.yaml", "Role");
        for (JsonNode rule : role.path("rules")) {
            assertThat(rule.path("apiGroups").toString()).isEqualTo("[\"\"]");
            rights.add(rule.path("resources") + " " + rule.path("verbs"));
        }
        assertThat(rights)
                .containsExactly(
                        "[\"pods\"] [\"create\",\"get\",\"list\",\"watch\",\"delete\"]",
                        "[\"pods/log\"] [\"get\"]",
                        "[\"pods/exec\"] [\"create\",\"get\"]");
        JsonNode binding = Manifests.read("example/people.yaml", "RoleBinding");
        assertThat(binding.at("/roleRef/name")).isEqualTo(role.at("/metadata/name"));
    }

    /// What the rules, the service, the policy and the settings call the same must be the same.
    @Test
    void thePartsAgree() throws IOException {
        JsonNode settings = Manifests.read("settings.yaml", "ConfigMap").path("data");
        String port = settings.path("port").asText();
        JsonNode service = Manifests.read("gateway.yaml", "Service").path("spec");
        assertThat(service.at("/ports/0/port").asText()).isEqualTo(port);
        JsonNode gateway = Manifests.read("gateway.yaml", "StatefulSet").at("/spec/template");
        assertThat(gateway.at("/spec/containers/0/ports/0/containerPort").asText()).isEqualTo(port);
        assertThat(gateway.at("/metadata/labels")).isEqualTo(service.path("selector"));
        for (JsonNode policy : Manifests.read("network.yaml")) {
            assertThat(policy.at("/spec/policyTypes").toString()).contains("Egress");
        }
        JsonNode egress = Manifests.read("network.yaml").get(1).at("/spec/egress/0");
        assertThat(egress.at("/to/0/podSelector/matchLabels")).isEqualTo(service.path("selector"));
        assertThat(egress.at("/ports/0/port").asText()).isEqualTo(port);
        JsonNode account = Manifests.read("agents.yaml", "ServiceAccount").path("metadata");
        assertThat(Files.readString(Manifests.DIRECTORY.resolve("example/policy.yaml")))
                .contains(account.path("namespace").asText() + "/" + account.path("name").asText());
    }
}
