package dev.sallyport.porter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class NsenterPorterTest {
    @Test
    void theCacheIsUsedOnlyWhenThereIsOne() {
        assertThat(NsenterPorter.jvmCommand("/jdk", "a.jar", "")).noneMatch(o -> o.contains("AOT"));
        assertThat(NsenterPorter.jvmCommand("/jdk", "a.jar", "/c/x.aot"))
                .startsWith("/jdk/bin/java")
                .contains("-XX:AOTCache=/c/x.aot")
                .endsWith("-cp", "a.jar", "dev.sallyport.cli.Sallyport", "internal-porter");
    }

    @Test
    void librariesAreUnpackedWhereTheWardenUnpacksItsOwn() {
        assertThat(NsenterPorter.libraries("/d")).containsExactly("-Dio.netty.native.workdir=/d");
        assertThat(NsenterPorter.libraries("")).isEmpty();
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
