package dev.sallyport.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Presets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which registries a project is thought to need.
class ProjectRegistriesTest {
    @TempDir Path workspace;

    @Test
    void aProjectWithoutPackagesNeedsNone() throws IOException {
        Files.createDirectory(workspace.resolve("package.json"));
        assertThat(ProjectRegistries.presets(workspace)).isEmpty();
    }

    @Test
    void eachKindOfProjectNeedsItsOwn() throws IOException {
        for (String name : new String[] {"package-lock.json", "pom.xml", "go.mod"}) {
            Files.createFile(workspace.resolve(name));
        }
        assertThat(ProjectRegistries.presets(workspace))
                .containsExactly("npm", "maven", "go")
                .isSubsetOf(Presets.names());
    }
}
