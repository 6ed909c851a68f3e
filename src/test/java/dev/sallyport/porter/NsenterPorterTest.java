package dev.sallyport.porter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    @Test
    void ourOwnNamespaceIsNeverForeign() throws IOException {
        long ours = NetNamespace.inodeOf(Path.of("/proc/self/ns/net"));

        assertThatThrownBy(() -> NetNamespace.requireForeign(ours)).isInstanceOf(IOException.class);
        NetNamespace.requireForeign(ours + 1);
    }
}
