package dev.sallyport.sandbox.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.sandbox.Hardening;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxBench;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxUser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Whom a container runs as.
class ContainerUserTest {
    @TempDir Path workspace;

    private String user(String asked, String imageUser, EngineUsers users) throws Exception {
        var spec =
                SandboxBench.with(
                        SandboxBench.spec(
                                RuntimeKind.DOCKER, new Installation(workspace), workspace),
                        new Hardening(SandboxUser.parse(asked), Optional.empty(), false));
        return ContainerUser.of(spec, imageUser, users)
                .numbers()
                .map(SandboxUser::label)
                .orElse("image");
    }

    @ParameterizedTest
    @CsvSource({"image, '', 0", "image, node:users, node", "image, 5:6, 5", "7:8, node, 7"})
    void itsAccountIsFoundByNameOrNumber(String asked, String imageUser, String account)
            throws Exception {
        var spec =
                SandboxBench.with(
                        SandboxBench.spec(
                                RuntimeKind.DOCKER, new Installation(workspace), workspace),
                        new Hardening(SandboxUser.parse(asked), Optional.empty(), false));
        EngineUsers users = engine("name=seccomp", "/var/lib/docker");
        assertThat(ContainerUser.of(spec, imageUser, users).label()).isEqualTo(account);
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
        assertThat(user(asked, imageUser, engine("name=seccomp", "/var/lib/docker")))
                .isEqualTo(expected.replace("owner", owner));
    }

    /// Its root is the person outside, and any other number somebody who owns nothing.
    @Test
    void theOwnerIsRootOfAnEngineOfTheirOwn() throws Exception {
        assertThat(user("usual", "", engine("name=rootless", "/h/d"))).isEqualTo("0:0");
        assertThat(user("usual", "node", engine("name=rootless", "/h/d"))).isEqualTo("image");
    }

    private static EngineUsers engine(String option, String data) throws SandboxException {
        return EngineUsers.of(List.of(option), data);
    }

    @Test
    void anEngineThatShiftsNumbersHasTheOwnerUnderAnotherOne() throws Exception {
        EngineUsers users = engine("name=userns", "/var/lib/docker/200000.300000");
        assertThat(users.isPrivate()).isTrue();
        assertThat(users.inside(new SandboxUser.Numbers(201_000, 300_007)).label())
                .isEqualTo("1000:7");
        for (long uid : List.of(0L, 1_000L, 199_999L, 265_536L)) {
            assertThatThrownBy(() -> users.inside(new SandboxUser.Numbers(uid, 300_000)))
                    .hasMessageContaining("chown -R 201000:301000");
        }
        assertThatThrownBy(() -> engine("name=userns", "/var/lib/docker"))
                .isInstanceOf(SandboxException.class);
        assertThatThrownBy(() -> engine("name=seccomp", "/d/1.1").requirePrivate())
                .hasMessageContaining("userns-remap");
    }
}
