package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which pushes count against a session's cap.
class PushCountTest {
    @TempDir Path dir;

    @Test
    void onlyAPushThatUpstreamTookCounts() throws Exception {
        try (BoundaryRig rig = BoundaryRig.standard(dir)) {
            rig.commit("a.txt", "a\n");
            assertThat(rig.push("HEAD:main").exit()).isNotZero();
            assertThat(rig.door.pushes).as("refused here").hasValue(0);
            assertThat(rig.push("HEAD:agent/x").exit()).isZero();
            assertThat(rig.door.pushes).hasValue(1);

            Path hook = rig.bare.resolve("hooks/update");
            Files.createDirectories(hook.getParent());
            Files.writeString(hook, "#!/bin/sh\nexit 1\n");
            Files.setPosixFilePermissions(hook, PosixFilePermissions.fromString("rwxr-xr-x"));
            rig.commit("b.txt", "b\n");
            assertThat(rig.push("HEAD:agent/x").exit()).isNotZero();
            assertThat(rig.door.pushes).as("refused upstream").hasValue(1);
        }
    }
}
