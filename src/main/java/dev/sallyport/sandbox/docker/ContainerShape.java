package dev.sallyport.sandbox.docker;

import com.github.dockerjava.api.model.Capability;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.LogConfig;
import com.github.dockerjava.api.model.Mount;
import com.github.dockerjava.api.model.MountType;
import com.github.dockerjava.api.model.RestartPolicy;
import com.github.dockerjava.api.model.Ulimit;
import dev.sallyport.confine.SyscallFilter;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.HostMount;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.Resources;
import dev.sallyport.sandbox.SandboxFiles;
import dev.sallyport.sandbox.SandboxHome;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.SandboxTrust;
import dev.sallyport.sandbox.Seeding;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How every container of ours is made, whatever its image: no network, no capability, no way to
/// gain one, our own seccomp profile, and bounds on memory and processes.
record ContainerShape(Installation installation) {
    static final String NETWORK = "none";

    /// Not the engine's own profile, which lets calls through that lead out of every namespace:
    /// older ones `AF_VSOCK` and `io_uring`.
    static final String FILTER = "seccomp=" + SyscallFilter.ofContainer();

    private static final String SESSION_LABEL = "dev.sallyport.session";
    private static final String HOME_LABEL = "dev.sallyport.home";
    private static final long NANOS_PER_MILLI = 1_000_000;

    /// Idle: does nothing until it is killed. Under the engine's `init`, which collects orphans.
    static final List<String> IDLE = List.of("sleep", "2147483647");

    /// Where the tools that write a distribution's bundle look for further certificates (Debian and
    /// Alpine, Fedora); for the bundle itself see `DockerRuntime.ContainerTrust`.
    private static final List<String> ANCHORS =
            List.of(
                    "/usr/local/share/ca-certificates/sallyport-sandbox.crt",
                    "/etc/pki/ca-trust/source/anchors/sallyport-sandbox.crt");

    /// @param home directory of the host that is its home
    HostConfig hostConfig(SandboxSpec spec, Optional<Path> home) throws IOException {
        Resources resources = spec.resources();
        long memory = resources.memoryBytes().orElse(Resources.halfOfMemory());
        HostConfig config =
                HostConfig.newHostConfig()
                        .withNetworkMode(NETWORK)
                        .withCapDrop(Capability.ALL)
                        .withSecurityOpts(List.of("no-new-privileges:true", FILTER))
                        .withPidsLimit(resources.processes().orElse(Resources.PROCESSES))
                        .withMemory(memory)
                        .withMemorySwap(memory)
                        .withUlimits(limits(resources))
                        .withInit(true)
                        .withIpcMode("private")
                        .withRestartPolicy(RestartPolicy.noRestart())
                        .withLogConfig(new LogConfig(LogConfig.LoggingType.NONE))
                        .withMounts(mounts(spec, home));
        resources.milliCpus().ifPresent(cpus -> config.withNanoCPUs(cpus * NANOS_PER_MILLI));
        spec.hardening().runtimeClass().ifPresent(config::withRuntime);
        return config;
    }

    /// No core files: they would hold what was in memory, and lie in the workspace. Open files are
    /// left to the engine, which cannot go above its own limit.
    private static List<Ulimit> limits(Resources resources) {
        return List.of(
                new Ulimit("core", 0L, 0L),
                new Ulimit("fsize", resources.fileBytes(), resources.fileBytes()));
    }

    Map<String, String> labels(SessionId id) {
        return Map.of(SESSION_LABEL, id.value(), HOME_LABEL, installation.tag());
    }

    Map<String, String> labelsOfAll() {
        return Map.of(HOME_LABEL, installation.tag());
    }

    static String sessionOf(Map<String, String> labels) {
        return labels.getOrDefault(SESSION_LABEL, "");
    }

    static String containerName(SandboxSpec spec) {
        return "sallyport-" + spec.id();
    }

    static boolean isNamed(Container container, SandboxSpec spec) {
        return Arrays.asList(container.getNames()).contains("/" + containerName(spec));
    }

    private static List<Mount> mounts(SandboxSpec spec, Optional<Path> home) {
        List<Mount> mounts = new ArrayList<>();
        mounts.add(ownFile(spec, SandboxFiles.GITCONFIG));
        mounts.add(ownFile(spec, SandboxFiles.RESOLV_CONF));
        mounts.add(ownFile(spec, SandboxFiles.HOSTS));
        mounts.addAll(trust(spec));
        if (Seeding.isNeeded(spec)) {
            mounts.add(file(spec, Seeding.SCRIPT, Seeding.PLACE));
        }
        home.ifPresent(
                path -> mounts.add(bind(path.toString(), SandboxHome.PLACE.toString(), false)));
        spec.mounts().around(spec.workspace()).forEach(mount -> mounts.add(bind(mount)));
        mounts.add(bind(spec.workspace().toString(), spec.workspace().toString(), false));
        spec.mounts().besides(spec.workspace()).forEach(mount -> mounts.add(bind(mount)));
        String empty = SandboxFiles.empty(spec).toString();
        spec.mounts().hidden().forEach(file -> mounts.add(bind(empty, file.toString(), true)));
        return mounts;
    }

    private static Mount bind(HostMount mount) {
        return bind(mount.path().toString(), mount.path().toString(), !mount.writable());
    }

    private static List<Mount> trust(SandboxSpec spec) {
        List<Mount> mounts = new ArrayList<>();
        for (String name : SandboxTrust.files(spec)) {
            mounts.add(file(spec, name, SandboxTrust.DIRECTORY.resolve(name).toString()));
        }
        if (spec.caPem().isPresent()) {
            ANCHORS.forEach(place -> mounts.add(file(spec, SandboxTrust.CERTIFICATE, place)));
        }
        return mounts;
    }

    private static Mount file(SandboxSpec spec, String name, String target) {
        return bind(spec.files().resolve(name).toString(), target, true);
    }

    private static Mount ownFile(SandboxSpec spec, String name) {
        return file(spec, name, "/etc/" + name);
    }

    private static Mount bind(String source, String target, boolean readOnly) {
        return new Mount()
                .withType(MountType.BIND)
                .withSource(source)
                .withTarget(target)
                .withReadOnly(readOnly);
    }
}
