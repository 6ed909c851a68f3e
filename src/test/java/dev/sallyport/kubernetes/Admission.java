package dev.sallyport.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// `deploy/kubernetes/admission.yaml`, evaluated as an API server would: by an implementation of
/// CEL that is not ours. An expression that fails refuses, as `failurePolicy: Fail` says.
final class Admission {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Cel CEL =
            CelFactory.standardCelBuilder()
                    .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                    .addVar("object", SimpleType.DYN)
                    .addVar("oldObject", SimpleType.DYN)
                    .addVar("request", SimpleType.DYN)
                    .addVar("params", SimpleType.DYN)
                    .addVar("variables", SimpleType.DYN)
                    .build();

    private final List<CelAbstractSyntaxTree> conditions = new ArrayList<>();
    private final Map<String, CelAbstractSyntaxTree> variables = new LinkedHashMap<>();
    private final Map<String, CelAbstractSyntaxTree> validations = new LinkedHashMap<>();
    private final Object params;

    private Admission(JsonNode spec, JsonNode params) {
        this.params = value(params);
        spec.path("matchConditions").forEach(c -> conditions.add(compiled(c)));
        spec.path("variables").forEach(v -> variables.put(v.path("name").asText(), compiled(v)));
        spec.path("validations")
                .forEach(v -> validations.put(v.path("message").asText(), compiled(v)));
    }

    /// @param policy its name
    /// @param gateway what a cluster adds to the settings; nothing before that
    static Admission load(String policy, String gateway) throws IOException {
        JsonNode settings = Manifests.read("settings.yaml", "ConfigMap");
        if (!gateway.isEmpty()) {
            ((ObjectNode) settings.path("data")).put("gateway", gateway);
        }
        return new Admission(
                Manifests.read("admission.yaml", "ValidatingAdmissionPolicy", policy).path("spec"),
                settings);
    }

    List<String> messages() {
        return List.copyOf(validations.keySet());
    }

    List<CelAbstractSyntaxTree> expressions() {
        List<CelAbstractSyntaxTree> all = new ArrayList<>(variables.values());
        all.addAll(validations.values());
        return all;
    }

    /// The messages of all that a new object is refused for; none if it is admitted.
    List<String> refusals(JsonNode object) {
        return refusals("CREATE", object, JSON.createObjectNode());
    }

    /// The messages of all that a change is refused for; none if it is admitted.
    List<String> refusals(JsonNode old, JsonNode object) {
        return refusals("UPDATE", object, old);
    }

    private List<String> refusals(String operation, JsonNode object, JsonNode old) {
        Map<String, Object> named = new HashMap<>();
        Map<String, Object> around = new HashMap<>();
        around.put("object", value(object));
        around.put("oldObject", value(old));
        around.put("request", Map.of("operation", operation));
        around.put("params", params);
        around.put("variables", named);
        if (conditions.stream().anyMatch(c -> Boolean.FALSE.equals(evaluated(c, around)))) {
            return List.of();
        }
        variables.forEach((name, tree) -> named.put(name, evaluated(tree, around)));
        List<String> refusals = new ArrayList<>();
        validations.forEach(
                (message, tree) -> {
                    if (!Boolean.TRUE.equals(evaluated(tree, around))) {
                        refusals.add(message);
                    }
                });
        return refusals;
    }

    private static CelAbstractSyntaxTree compiled(JsonNode entry) {
        try {
            return CEL.compile(entry.path("expression").asText()).getAst();
        } catch (CelValidationException e) {
            throw new AssertionError(entry.path("expression").asText(), e);
        }
    }

    /// Nothing where it cannot be evaluated.
    private static Object evaluated(CelAbstractSyntaxTree tree, Map<String, Object> around) {
        try {
            return CEL.createProgram(tree).eval(around);
        } catch (CelEvaluationException e) {
            return List.of();
        }
    }

    /// Numbers as CEL has them.
    private static Object value(JsonNode node) {
        return switch (node.getNodeType()) {
            case OBJECT -> {
                Map<String, Object> map = new HashMap<>();
                node.properties()
                        .forEach(entry -> map.put(entry.getKey(), value(entry.getValue())));
                yield map;
            }
            case ARRAY -> {
                List<Object> list = new ArrayList<>();
                node.forEach(item -> list.add(value(item)));
                yield list;
            }
            case NUMBER -> node.asLong();
            default -> JSON.convertValue(node, Object.class);
        };
    }
}
