package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import picocli.CommandLine.UnmatchedArgumentException;

/// Manifests and documents for Kubernetes name commands and options that exist.
class ManifestCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /// To the end of a command of the shell, or of a piece of code in a document. Not our
    /// namespace.
    private static final Pattern OURS = Pattern.compile("(?<!-n )\\bsallyport ([^;&|<>`\n]+)");

    private static List<String> ours(String text) {
        return OURS.matcher(text)
                .results()
                .map(found -> found.group(1).replace("\"", "").strip())
                .toList();
    }

    private static void parse(String command) {
        Commands.tree(Surroundings.ofThisProcess()).parseArgs(command.split(" +", -1));
    }

    @Test
    void theGatewaysContainersRunWhatExists() throws IOException {
        List<String> found = new ArrayList<>();
        String yaml = Files.readString(Path.of("deploy/kubernetes/gateway.yaml"));
        for (Object document : new Load(LoadSettings.builder().build()).loadAllFromString(yaml)) {
            for (JsonNode argv : JSON.<JsonNode>valueToTree(document).findValues("command")) {
                List<String> words = new ArrayList<>();
                argv.forEach(word -> words.add(word.asText()));
                found.addAll(ours(String.join(" ", words)));
            }
        }
        assertThat(found)
                .contains("internal-warden", "gateway --close")
                .containsSequence(
                        "status",
                        "secret set github",
                        "gateway --listen :8443 --address $POD_IP:8443");
        assertThat(Files.readString(Path.of("src/main/java/dev/sallyport/cli/Sallyport.java")))
                .contains("case \"internal-warden\" ->", "case \"internal-pod\" ->");
        found.remove("internal-warden");
        found.forEach(ManifestCommandsTest::parse);
    }

    @Test
    void theDocumentsNameWhatExists() throws IOException {
        List<String> found = new ArrayList<>();
        for (String file : List.of("docs/kubernetes.md", "deploy/kubernetes/README.md")) {
            String text = Files.readString(Path.of(file)).replace("\\\n", "");
            text.lines()
                    .flatMap(ManifestCommandsTest::code)
                    .forEach(code -> found.addAll(ours(code)));
        }
        found.removeIf(command -> command.startsWith("…"));
        assertThat(found)
                .contains("gateway authority", "audit show")
                .anyMatch(command -> command.startsWith("k8s render --gateway"));
        found.forEach(ManifestCommandsTest::parse);
    }

    /// An indented line, or what is between backquotes.
    private static Stream<String> code(String line) {
        if (line.startsWith("    ")) {
            return Stream.of(line);
        }
        List<String> parts = List.of(line.split("`", -1));
        return IntStream.range(0, parts.size()).filter(i -> i % 2 == 1).mapToObj(parts::get);
    }

    @Test
    void whatDoesNotExistIsNoticed() {
        assertThatThrownBy(() -> parse("gateway --listen :8443 --adress x"))
                .isInstanceOf(UnmatchedArgumentException.class);
    }
}
