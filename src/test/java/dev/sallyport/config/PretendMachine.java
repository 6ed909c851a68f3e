package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.Inspection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/// A directory that stands for a machine: `home`, `etc`, and a policy file.
final class PretendMachine {
    /// Stands for every credential in its files, and appears in no rule and no warning.
    static final String HUSH = "hush" + "hush";

    private final Path root;
    private final List<PolicyFile> loaded = new ArrayList<>();

    PretendMachine(Path root) throws IOException {
        this.root = root;
        Files.createDirectories(root.resolve("home"));
        Files.createDirectories(root.resolve("etc"));
    }

    Path path(String path) {
        return root.resolve(path);
    }

    Path write(String path, String text) throws IOException {
        Path file = path(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        return file;
    }

    PolicyFile load(String policy) throws IOException {
        Path file = write("policy.yaml", policy);
        PolicyFile result = PolicyFile.load(file, new Machine(path("home"), path("etc")));
        loaded.add(result);
        return result;
    }

    PolicyFile preset(String name) throws IOException {
        return load("egress: [{preset: " + name + "}]");
    }

    /// Of all that was loaded.
    void assertThatNoCredentialCameAlong() {
        for (PolicyFile file : loaded) {
            assertThat(file.toString()).doesNotContain(HUSH);
            for (EgressRule rule : file.egress().rules()) {
                assertThat(EgressText.of(rule).toString()).doesNotContain(HUSH);
            }
        }
    }

    static List<String> hosts(PolicyFile file) {
        return file.egress().rules().stream()
                .map(rule -> rule.host() + " " + rule.ports())
                .toList();
    }

    static EgressRule rule(PolicyFile file, String host) {
        return file.egress().rules().stream()
                .filter(rule -> rule.host().toString().equals(host))
                .findFirst()
                .orElseThrow();
    }

    /// The paths of a host that may only be read from.
    static String paths(PolicyFile file, String host) {
        Inspection inspection = rule(file, host).inspection().orElseThrow();
        assertThat(inspection.methods().orElseThrow()).containsExactly("GET", "HEAD");
        return inspection.paths().orElseThrow().toString();
    }
}
