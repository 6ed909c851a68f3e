package dev.sallyport.porter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.Ownership;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SidecarProcessTest {
    private interface Look {
        void at(long pid) throws IOException;
    }

    /// A process in a network namespace of its own, after this was done there.
    private static void whileAlone(String first, Look look) throws IOException {
        Process alone =
                new ProcessBuilder(
                                "unshare",
                                "--user",
                                "--map-root-user",
                                "--net",
                                "--",
                                "sh",
                                "-c",
                                first + " && echo ready && exec cat")
                        .start();
        try (BufferedReader said = alone.inputReader()) {
            assertThat(said.readLine()).isEqualTo("ready");
            look.at(alone.pid());
        } finally {
            alone.destroyForcibly();
        }
    }

    @Test
    void aProcessWithoutANetworkIsToldFromOneThatHasAny() throws IOException {
        whileAlone("true", pid -> assertThat(objection(pid, 1)).isEmpty());
        whileAlone(
                "true",
                pid ->
                        assertThat(objection(pid, inode(pid)))
                                .contains("it is in the sandbox's network"));
        whileAlone(
                "ip link add wire0 type veth peer name wire1",
                pid -> assertThat(objection(pid, 1)).get().asString().contains("wire0"));
        whileAlone(
                "ip link set lo up && ip route add 192.0.2.0/24 dev lo",
                pid -> assertThat(objection(pid, 1)).get().asString().contains("route"));
        assertThat(objection(ProcessHandle.current().pid(), 1))
                .contains("it is in the host's network");
        assertThatThrownBy(() -> objection(Long.MAX_VALUE, 1)).isInstanceOf(IOException.class);
    }

    private static Optional<String> objection(long pid, long sandbox) throws IOException {
        return new SidecarProcess(pid, "00000000000000aa").objection(sandbox);
    }

    private static long inode(long pid) throws IOException {
        return NetNamespace.inodeOf(Path.of("/proc/" + pid + "/ns/net"));
    }

    @Test
    void sidecarsAreFoundByTheirCommandLine() throws IOException {
        Process one =
                new ProcessBuilder(
                                "sh", "-c", "echo ready; read _", SidecarProcess.ROLE, "/d", "00aa")
                        .start();
        Process other = new ProcessBuilder("sh", "-c", "read _", "internal-gateway", "/d").start();
        try (BufferedReader said = one.inputReader()) {
            assertThat(said.readLine()).isEqualTo("ready");
            assertThat(SidecarProcess.of(ProcessHandle.current().pid()))
                    .containsExactly(new SidecarProcess(one.pid(), "00aa"));
            assertThat(new SidecarProcess(one.pid(), "00aa").isOf(Ownership.ownUid())).isTrue();
            assertThat(new SidecarProcess(one.pid(), "00aa").isOf(1_234_567)).isFalse();
        } finally {
            one.destroyForcibly();
            other.destroyForcibly();
        }
    }
}
