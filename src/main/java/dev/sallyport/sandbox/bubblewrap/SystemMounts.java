package dev.sallyport.sandbox.bubblewrap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// What a sandbox sees of the host's system: programs and libraries, read-only, and of `/etc` only
/// what is listed here. `/opt` and the home directory are not there; tools must lie in `/usr`.
final class SystemMounts {
    private static final List<String> ROOTS =
            List.of("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32");

    /// Harmless configuration that programs in `/usr` need. A list of what is allowed, because what
    /// is secret in `/etc` differs from system to system.
    private static final List<String> ETC =
            List.of(
                    "alternatives",
                    "bash.bashrc",
                    "ca-certificates",
                    "ca-certificates.conf",
                    "crypto-policies",
                    "debian_version",
                    "fonts",
                    "gitattributes",
                    "inputrc",
                    "java-17-openjdk",
                    "java-21-openjdk",
                    "java-25-openjdk",
                    "ld.so.cache",
                    "ld.so.conf",
                    "ld.so.conf.d",
                    "localtime",
                    "locale.alias",
                    "lsb-release",
                    "magic",
                    "maven",
                    "mime.types",
                    "os-release",
                    "perl",
                    "pki/ca-trust/extracted",
                    "pki/tls/cert.pem",
                    "pki/tls/certs",
                    "pki/tls/openssl.cnf",
                    "profile",
                    "protocols",
                    "python3",
                    "python3.9",
                    "python3.10",
                    "python3.11",
                    "python3.12",
                    "python3.13",
                    "redhat-release",
                    "services",
                    "shells",
                    "skel",
                    "ssl/certs",
                    "ssl/openssl.cnf",
                    "terminfo",
                    "timezone",
                    "vim");

    /// Parts of `/proc` that the host's root may write without any capability, such as
    /// `/proc/sys/kernel/core_pattern`: through them a sandbox of root's could run programs on the
    /// host. The list is Docker's.
    private static final List<String> PROC_READ_ONLY =
            List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");

    private static final List<String> PROC_HIDDEN_FILES =
            List.of(
                    "/proc/kcore",
                    "/proc/keys",
                    "/proc/key-users",
                    "/proc/latency_stats",
                    "/proc/sched_debug",
                    "/proc/timer_list",
                    "/proc/timer_stats");

    private static final List<String> PROC_HIDDEN_DIRECTORIES =
            List.of("/proc/acpi", "/proc/asound", "/proc/scsi");

    static List<String> programs() throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--ro-bind", "/usr", "/usr"));
        for (String root : ROOTS) {
            Path path = Path.of(root);
            if (Files.isSymbolicLink(path)) {
                String target = Files.readSymbolicLink(path).toString();
                arguments.addAll(List.of("--symlink", target, root));
            } else if (Files.isDirectory(path)) {
                arguments.addAll(List.of("--ro-bind", root, root));
            }
        }
        return arguments;
    }

    static List<String> etc() {
        List<String> arguments = new ArrayList<>(List.of("--tmpfs", "/etc"));
        for (String name : ETC) {
            String path = "/etc/" + name;
            arguments.addAll(List.of("--ro-bind-try", path, path));
        }
        return arguments;
    }

    /// Whether the host's own file is what a sandbox sees at this path.
    static boolean show(Path path) {
        return path.startsWith("/usr")
                || ETC.stream()
                        .map(name -> Path.of("/etc", name))
                        .anyMatch(shown -> path.startsWith(shown) && Files.exists(shown));
    }

    static List<String> kernel() {
        List<String> arguments = new ArrayList<>(List.of("--proc", "/proc", "--dev", "/dev"));
        for (String path : existing(PROC_READ_ONLY)) {
            arguments.addAll(List.of("--ro-bind", path, path));
        }
        for (String path : existing(PROC_HIDDEN_FILES)) {
            arguments.addAll(List.of("--ro-bind", "/dev/null", path));
        }
        for (String path : existing(PROC_HIDDEN_DIRECTORIES)) {
            arguments.addAll(List.of("--tmpfs", path, "--remount-ro", path));
        }
        return arguments;
    }

    private static List<String> existing(List<String> paths) {
        return paths.stream().filter(path -> Files.exists(Path.of(path))).toList();
    }
}
