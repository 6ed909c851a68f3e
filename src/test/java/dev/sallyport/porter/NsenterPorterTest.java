package dev.sallyport.porter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NsenterPorterTest {
    @Test
    void theCacheIsUsedOnlyWhenThereIsOne(@TempDir Path directory) throws IOException {
        Path jar = directory.resolve("a.jar");
        assertThat(jvm(jar, "")).noneMatch(option -> option.contains("AOT"));
        Path cache = Files.writeString(directory.resolve("porter.aot"), "classes");
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(jvm(jar, ""))
                .startsWith("/jdk/bin/java")
                .contains("-XX:AOTCache=" + cache)
                .endsWith("-cp", jar.toString(), "dev.sallyport.cli.Sallyport", "internal-porter");
    }

    @Test
    void librariesAreUnpackedWhereTheWardenUnpacksItsOwn() {
        Path jar = Path.of("a.jar");
        assertThat(jvm(jar, "/d")).contains("-Dio.netty.native.workdir=/d");
        assertThat(jvm(jar, "")).noneMatch(option -> option.contains("workdir"));
    }

    private static List<String> jvm(Path jar, String libraries) {
        return NsenterPorter.jvmCommand(Path.of("/jdk"), jar.toString(), libraries);
    }

    @Test
    void interfacesAreReadFromTheKernelsTable() {
        List<String> table =
                List.of(
                        "Inter-|   Receive  |  Transmit",
                        " face |bytes |bytes",
                        "    lo:       0 0",
                        "  eth0: 1 2");

        assertThat(NetNamespace.interfaces(table)).containsExactly("lo", "eth0");
    }

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
        whileAlone("true", pid -> assertThat(NetNamespace.objection(pid, 1)).isEmpty());
        whileAlone(
                "true",
                pid ->
                        assertThat(NetNamespace.objection(pid, inode(pid)))
                                .contains("it is in the sandbox's network"));
        whileAlone(
                "ip link add wire0 type veth peer name wire1",
                pid -> assertThat(NetNamespace.objection(pid, 1)).get().asString().contains("wire0"));
        whileAlone(
                "ip link set lo up && ip route add 192.0.2.0/24 dev lo",
                pid -> assertThat(NetNamespace.objection(pid, 1)).get().asString().contains("route"));
        assertThat(NetNamespace.objection(ProcessHandle.current().pid(), 1))
                .contains("it is in the host's network");
        assertThat(NetNamespace.objection(Long.MAX_VALUE, 1)).as("nobody").isPresent();
    }

    private static long inode(long pid) throws IOException {
        return NetNamespace.inodeOf(Path.of("/proc/" + pid + "/ns/net"));
    }

    @Test
    void ourOwnNamespaceIsNeverForeign() throws IOException {
        long ours = NetNamespace.inodeOf(Path.of("/proc/self/ns/net"));

        assertThatThrownBy(() -> NetNamespace.requireForeign(ours)).isInstanceOf(IOException.class);
        NetNamespace.requireForeign(ours + 1);
    }
}
