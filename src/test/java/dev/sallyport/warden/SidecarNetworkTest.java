package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// When a sidecar may do without a network namespace of its own: never because of trouble.
class SidecarNetworkTest {
    private static final boolean ROOT = true;
    private static final String REFUSED = "unshare: unshare failed: Operation not permitted";

    @TempDir Path directory;

    private static SidecarNetwork saying(String what, int exitCode) {
        return new SidecarNetwork(
                List.of("sh", "-c", "echo \"$1\" >&2; exit $2", "sh", what, "" + exitCode));
    }

    @Test
    void whoIsRefusedByTheKernelDoesWithout() throws Exception {
        assertThat(new SidecarNetwork(List.of("true")).isCutOff(!ROOT)).isTrue();
        assertThat(saying(REFUSED, 1).isCutOff(!ROOT)).isFalse();
        assertThat(saying("unshare: unshare failed: Permission denied", 1).isCutOff(!ROOT))
                .isFalse();
    }

    @Test
    void rootNeverDoesWithout() throws Exception {
        assertThat(saying(REFUSED, 1).isCutOff(ROOT)).isTrue();
    }

    @Test
    void troubleIsNoRefusal() {
        for (SidecarNetwork troubled :
                List.of(
                        new SidecarNetwork(List.of(directory.resolve("unshare").toString())),
                        new SidecarNetwork(List.of("sh", "-c", "kill -9 $$")),
                        saying("unshare: unshare failed: No space left on device", 1),
                        saying("unshare: fork failed: Resource temporarily unavailable", 1),
                        saying("unshare: failed to execute true: Permission denied", 126),
                        saying("", 1))) {
            assertThatThrownBy(() -> troubled.isCutOff(!ROOT))
                    .isInstanceOfSatisfying(
                            OperationException.class,
                            e ->
                                    assertThat(e.problem().code())
                                            .isEqualTo(OperationException.Fault.FAILED.code()))
                    .hasMessageContaining("no network namespace could be made");
        }
    }

    @Test
    void aRefusalIsNotRemembered() throws Exception {
        Path allowed = directory.resolve("allowed");
        SidecarNetwork network =
                new SidecarNetwork(
                        List.of(
                                "sh",
                                "-c",
                                "test -e \"$1\" || { echo \"$2\"; exit 1; }",
                                "sh",
                                allowed.toString(),
                                REFUSED));
        assertThat(network.isCutOff(!ROOT)).isFalse();
        Files.createFile(allowed);
        assertThat(network.isCutOff(!ROOT)).isTrue();
        Files.delete(allowed);
        assertThat(network.isCutOff(!ROOT)).as("kept once it is known").isTrue();
    }
}
