package dev.sallyport.warden;

import dev.sallyport.confine.Confinement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Which files a gateway can open, whoever it runs as: the system's programs and settings, its own
/// program, its own directory and its mirrors. Not the person's home, the session store, the audit
/// log or another process's memory.
final class GatewayFiles {
    /// The resolver's settings are often a link into `/run`.
    private static final List<Path> SYSTEM =
            Stream.of(
                            "/usr",
                            "/bin",
                            "/sbin",
                            "/lib",
                            "/lib32",
                            "/lib64",
                            "/etc",
                            "/proc",
                            "/sys/fs/cgroup",
                            "/sys/devices/system",
                            "/sys/kernel/mm",
                            "/dev/null",
                            "/dev/zero",
                            "/dev/random",
                            "/dev/urandom",
                            "/run/systemd/resolve",
                            "/run/resolvconf",
                            "/run/NetworkManager")
                    .map(Path::of)
                    .toList();

    private GatewayFiles() {}

    /// @param directory the channel's directory of this process
    static Confinement of(GatewayCommand command, Path directory, Path log) {
        List<Path> read = new ArrayList<>(SYSTEM);
        read.add(Path.of(command.javaHome()));
        read.add(command.program().jar());
        command.program().aotCache().ifPresent(read::add);
        return Confinement.toFiles(
                read,
                List.of(
                        directory,
                        command.account().mirrors(),
                        command.account().lent(),
                        log,
                        Path.of("/dev/null")));
    }
}
