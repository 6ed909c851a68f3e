package dev.sallyport.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// The documents in `deploy/kubernetes`, and a rendered pod.
final class Manifests {
    static final Path DIRECTORY = Path.of("deploy/kubernetes");
    static final String IMAGE = "sallyport:latest";
    static final String GATEWAY = "10.96.0.20:8443";
    private static final ObjectMapper JSON = new ObjectMapper();

    private Manifests() {}

    static List<JsonNode> read(String file) throws IOException {
        return parse(Files.readString(DIRECTORY.resolve(file)));
    }

    static List<JsonNode> parse(String yaml) {
        List<JsonNode> documents = new ArrayList<>();
        for (Object document : new Load(LoadSettings.builder().build()).loadAllFromString(yaml)) {
            documents.add(JSON.valueToTree(document));
        }
        return documents;
    }

    /// The one of a kind.
    static JsonNode read(String file, String kind) throws IOException {
        return one(read(file).stream().filter(document -> is(document, kind)));
    }

    /// The one of a kind and a name.
    static JsonNode read(String file, String kind, String name) throws IOException {
        return one(
                read(file).stream()
                        .filter(document -> is(document, kind))
                        .filter(document -> document.at("/metadata/name").asText().equals(name)));
    }

    private static boolean is(JsonNode document, String kind) {
        return document.path("kind").asText().equals(kind);
    }

    private static JsonNode one(Stream<JsonNode> documents) {
        return documents
                .reduce(
                        (a, b) -> {
                            throw new AssertionError("two of " + a.path("kind"));
                        })
                .orElseThrow();
    }

    /// What the cluster would get, read back from the text.
    static ObjectNode pod() {
        AgentPod pod =
                new AgentPod(
                        new AgentPod.Place("fix", "agents", "agent"),
                        new AgentPod.Sidecar(IMAGE, GATEWAY, 8443, "{}"),
                        new AgentPod.Agent(
                                "node:24",
                                List.of("npm", "test"),
                                new TreeMap<>(Map.of("HOME", "/workspace"))));
        return (ObjectNode) parse(pod.yaml()).getFirst();
    }
}
