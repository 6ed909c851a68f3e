package dev.sallyport.sandbox.docker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.Hardening;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxBench;
import dev.sallyport.sandbox.SandboxUser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Whom a container runs as.
class ContainerUserTest {
    @TempDir Path workspace;

    private String user(String asked, String imageUser, boolean rootless) throws Exception {
        var spec =
                SandboxBench.with(
                        SandboxBench.spec(
                                RuntimeKind.DOCKER, new Installation(workspace), workspace),
                        new Hardening(SandboxUser.parse(asked), Optional.empty()));
        return ContainerUser.of(spec, imageUser, rootless)
                .numbers()
                .map(SandboxUser::label)
                .orElse("image");
    }

    @ParameterizedTest
    @CsvSource({
        "usual, '', owner",
        "usual, 0, owner",
        "usual, root, owner",
        "usual, 0:0, owner",
        "usual, root:users, owner",
        "usual, node, image",
        "usual, 1000:0, image",
        "usual, rooty, image",
        "image, '', image",
        "image, root, image",
        "owner, node, owner",
        "0:0, node, 0:0",
        "5:6, '', 5:6"
    })
    void rootIsAvoidedUnlessAskedFor(String asked, String imageUser, String expected)
            throws Exception {
        String owner =
                Files.getAttribute(workspace, "unix:uid")
                        + ":"
                        + Files.getAttribute(workspace, "unix:gid");
        assertThat(user(asked, imageUser, false)).isEqualTo(expected.replace("owner", owner));
    }

    /// Its root is the person outside, and any other number somebody who owns nothing.
    @Test
    void theOwnerIsRootOfAnEngineOfTheirOwn() throws Exception {
        assertThat(user("usual", "", true)).isEqualTo("0:0");
        assertThat(user("usual", "node", true)).isEqualTo("image");
    }
}
