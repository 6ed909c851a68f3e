package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Packaged;
import dev.sallyport.fixture.PrivateDocker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The `.deb` in a bare Debian without Java: installed, used by an ordinary account, upgraded below
/// a running sandbox, and removed.
class PackageIT {
    private static final String EARLIER = "0.0.1";
    private static final String LATER = Packaged.VERSION;
    private static final String LIB = "/usr/lib/sallyport/";
    private static final long INSTALLED_BYTES_MAX = 90_000_000;

    /// What the package's programs wrote; dpkg keeps lists and logs of its own.
    private static final String FILES =
            "find / -xdev ( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /home"
                    + " -o -path /var/lib/dpkg -o -path /var/log -o -path /etc ) -prune -o -print";

    private static PrivateDocker docker;
    private static String container;

    @TempDir Path directory;

    @BeforeAll
    static void startMachine() {
        docker = PrivateDocker.start();
        // An ordinary account makes namespaces and mounts in it; see deploy/README.md. Removal asks
        // processes of others where their state is, which root may do outside of containers.
        container =
                docker.docker(
                                "run",
                                "-d",
                                "--init",
                                "--network=none",
                                "--cap-add=SYS_PTRACE",
                                "--security-opt=seccomp=unconfined",
                                "--security-opt=apparmor=unconfined",
                                "--security-opt=systempaths=unconfined",
                                PrivateDocker.IMAGE,
                                "sleep",
                                "infinity")
                        .run()
                        .ok();
        root("useradd", "-m", "ann").ok();
        root("install", "-d", "-o", "ann", "/home/ann/work").ok();
    }

    @AfterAll
    static void stopMachine() {
        docker.close();
    }

    private static Command.Result root(String... argv) {
        return in(List.of("exec", container), argv);
    }

    private static Command.Result ann(String... argv) {
        return in(List.of("exec", "-u", "ann", "-w", "/home/ann/work", container), argv);
    }

    private static Command.Result in(List<String> docker, String... argv) {
        String[] all = Stream.concat(docker.stream(), Stream.of(argv)).toArray(String[]::new);
        return PackageIT.docker.docker(all).within(Duration.ofMinutes(5)).run();
    }

    private static void install(String version) {
        String deb = Packaged.deb(version).toString();
        docker.docker("cp", deb, container + ":/tmp/sallyport.deb").run().ok();
        root("dpkg", "-i", "/tmp/sallyport.deb").ok();
    }

    @Test
    void installsRunsUpgradesAndLeavesNothing() {
        List<String> before = files();
        assertThat(root("sh", "-c", "command -v java").exit()).isNotZero();
        install(EARLIER);
        assertThat(installedBytes()).isLessThan(INSTALLED_BYTES_MAX);
        for (String cache : List.of("cli", "warden", "gateway", "porter")) {
            root("test", "-s", LIB + EARLIER + "/" + cache + ".aot").ok();
        }
        assertThat(root("test", "-e", "/var/lib/sallyport").exit()).isNotZero();

        Command.Result demo = ann("sallyport", "demo");
        assertThat(demo.exit()).as(demo.all()).isZero();
        assertThat(demo.out()).contains("✓").doesNotContain("✗");
        assertThat(ann("sallyport", "run", "--no-repo", "--", "id", "-un").ok()).isEqualTo("ann");
        assertThat(ann("sallyport", "--version").ok()).startsWith("sallyport ");

        upgradeBelowASandbox();

        root("dpkg", "--remove", "sallyport").ok();
        assertThat(processes()).isEmpty();
        root("dpkg", "--purge", "sallyport").ok();
        assertThat(files()).isEqualTo(before);
    }

    private static void upgradeBelowASandbox() {
        ann("sallyport", "new", "--name=work", "--no-repo").ok();
        ann("sallyport", "exec", "work", "--", "sh", "-c", "sleep 900 >/dev/null 2>&1 &").ok();
        String inside = inside("cat /proc/[0-9]*/cmdline | tr '\\0' ' '");
        assertThat(inside).contains("sleep 900");

        install(LATER);

        assertThat(root("readlink", LIB + "app").ok()).isEqualTo(LATER);
        assertThat(inside("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")).contains("sleep 900");
        assertThat(inside(healthz())).contains("200 OK");
        assertThat(wardens()).as("the daemon was not disturbed").containsOnly(EARLIER);
        ann("sallyport", "run", "--no-repo", "--", "true").ok();

        ann("sallyport", "down", "--keep-sandboxes").ok();
        assertThat(inside("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")).contains("sleep 900");
        assertThat(inside(healthz())).contains("200 OK");
        assertThat(wardens()).containsOnly(LATER);
    }

    private static String inside(String script) {
        return ann("sallyport", "exec", "work", "--", "bash", "-c", script).ok();
    }

    private static String healthz() {
        return "exec 3<>/dev/tcp/127.0.0.1/80 && printf 'GET /healthz HTTP/1.1\\r\\nHost:"
                + " gateway.sallyport\\r\\nConnection: close\\r\\n\\r\\n' >&3 && cat <&3";
    }

    private static List<String> files() {
        return root(FILES.split(" ", -1)).ok().lines().sorted().toList();
    }

    /// From which versions wardens run.
    private static List<String> wardens() {
        return processes().stream()
                .filter(line -> line.contains("internal-warden"))
                .map(line -> line.replaceFirst("^" + LIB + "([^/]*)/.*", "$1"))
                .toList();
    }

    private static List<String> processes() {
        String list =
                "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline; echo; done 2>/dev/null | grep ^"
                        + LIB;
        return root("sh", "-c", list + " || true").ok().lines().toList();
    }

    private static long installedBytes() {
        String sum = "dpkg -L sallyport | while read -r f; do [ -L \"$f\" ] || [ -d \"$f\" ] ||";
        String bytes = root("sh", "-c", sum + " stat -c %s \"$f\"; done").ok();
        return bytes.lines().mapToLong(Long::parseLong).sum();
    }

    @Test
    void twoBuildsDifferInNothingButTheVersion() throws IOException {
        Path earlier = unpacked(EARLIER);
        Path later = unpacked(LATER);
        Command.of("mv", later + LIB + LATER, later + LIB + EARLIER).run().ok();
        for (String file : List.of("usr/lib/sallyport/app", "usr/share/doc/sallyport/copyright")) {
            Files.delete(earlier.resolve(file));
            Files.delete(later.resolve(file));
        }
        assertThat(Command.of("diff", "-r", earlier.toString(), later.toString()).run().ok())
                .isEmpty();
        assertThat(listing(LATER)).isEqualTo(listing(EARLIER));
    }

    private Path unpacked(String version) {
        Path root = directory.resolve(version);
        Command.of("dpkg-deb", "-x", Packaged.deb(version).toString(), root.toString()).run().ok();
        return root;
    }

    /// Order, owners, modes and times, of files that are named by the version, too.
    private static List<String> listing(String version) {
        List<String> lines = new ArrayList<>();
        String listed = Command.of("dpkg-deb", "-c", Packaged.deb(version).toString()).run().ok();
        listed.lines().forEach(line -> lines.add(line.replace(version, "VERSION")));
        return lines;
    }

    @Test
    void everyFileIsInTheChecksumsAndTheLibrariesAreListed() throws IOException {
        Path deb = Packaged.deb(LATER);
        String stem = String.valueOf(deb.getFileName()).replaceFirst("\\.deb$", "");
        assertThat(
                        Command.of("sha256sum", "--check", stem + ".SHA256SUMS")
                                .in(deb.getParent())
                                .run()
                                .ok()
                                .lines())
                .hasSize(3)
                .allMatch(line -> line.endsWith(": OK"));
        assertThat(Files.readString(deb.resolveSibling(stem + ".cdx.json")))
                .contains("\"bomFormat\" : \"CycloneDX\"", "netty-handler", "picocli")
                .doesNotContain("junit");
    }
}
