package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Installation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Homes that last, as a person meets them.
class HomesIT {
    private static final String LOOK = "cat ~/login 2>/dev/null || echo none";

    @TempDir Path root;
    @TempDir Path other;

    private static String run(Installation installation, String script, String... options) {
        List<String> words = new ArrayList<>(List.of("run", "--runtime", "bubblewrap"));
        words.add("--no-repo");
        words.addAll(List.of(options));
        words.addAll(List.of("--", "sh", "-c", script));
        return installation.sallyport(words.toArray(String[]::new)).run().ok();
    }

    /// For the next command there, and for no other project's.
    @Test
    void aProjectKeepsItsHomeUnlessAskedNotTo() throws Exception {
        try (Installation installation = Installation.bare(root.resolve("i")).onlyProcesses()) {
            run(installation, "echo token > ~/login");
            assertThat(run(installation, LOOK)).isEqualTo("token");
            assertThat(run(installation, LOOK, "--ephemeral-home")).isEqualTo("none");
            assertThat(run(installation, LOOK, "--workspace", other.toString())).isEqualTo("none");
            String project = installation.workspace().toRealPath().toString();
            assertThat(installation.sallyport("homes").run().ok())
                    .contains(project, other.toRealPath().toString());
            installation.sallyport("homes", "remove", project).run().ok();
            assertThat(run(installation, LOOK)).isEqualTo("none");
        }
    }
}
