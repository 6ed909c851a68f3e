package dev.sallyport.confine;

import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The JVM of each of our processes: how much memory it takes, what it must not do, and the class
/// cache that it starts from (ADR 14). The launcher has the options of [#COMMAND] once more, in
/// bash.
public enum Jvm {
    /// Has to start fast, and ends before most of what is compiled, or generated for the sake of
    /// reflection, would pay.
    COMMAND(
            "cli.aot",
            "-Xmx256m",
            "-Xms24m",
            "-Xmn16m",
            "-XX:TieredStopAtLevel=1",
            "-XX:CompileThresholdScaling=8",
            "-Djdk.reflect.useNativeAccessorOnly=true"),

    /// Small while it is idle: young objects get more room when there are many old ones, and what
    /// runs now and then is not compiled. Its work is short: the fast compiler is good enough for
    /// it, and is there sooner.
    WARDEN(
            "warden.aot",
            "-Xmx512m",
            "-Xms12m",
            "-XX:NewSize=4m",
            "-XX:MaxNewSize=32m",
            "-XX:MaxDirectMemorySize=128m",
            "-XX:MinHeapFreeRatio=10",
            "-XX:MaxHeapFreeRatio=20",
            "-XX:ReservedCodeCacheSize=48m",
            "-XX:TieredStopAtLevel=1",
            "-XX:CompileThresholdScaling=2",
            "-XX:TrimNativeHeapInterval=30000",
            "-Dio.netty.jfr.enabled=false",
            "-Dio.netty.leakDetection.level=disabled"),

    GATEWAY(
            "gateway.aot",
            "-Xmx256m",
            "-Xms16m",
            // What a clone holds for a moment has room with the young, because what gets old is
            // not collected before the heap is as large as it may be.
            "-XX:NewSize=8m",
            "-XX:MaxNewSize=48m",
            "-XX:SurvivorRatio=2",
            "-XX:MaxDirectMemorySize=256m",
            "-XX:MinHeapFreeRatio=10",
            "-XX:MaxHeapFreeRatio=20",
            "-XX:ReservedCodeCacheSize=64m",
            "-XX:CompileThresholdScaling=8",
            // Requests come in bursts, and their code is not run before: for it the fast compiler
            // needs a quarter of the calls. The slow one needs as many as before, four quarters:
            // it would take the processor from whoever asks.
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=CompileThresholdScaling,io.netty.*::*,0.25",
            "-XX:CompileCommand=CompileThresholdScaling,dev.sallyport.*::*,0.25",
            "-XX:Tier4InvocationThreshold=20000",
            "-XX:Tier4MinInvocationThreshold=2400",
            "-XX:Tier4CompileThreshold=60000",
            "-XX:Tier4BackEdgeThreshold=160000",
            "-XX:TrimNativeHeapInterval=30000",
            "-XX:+ExitOnOutOfMemoryError",
            "-Dio.netty.jfr.enabled=false",
            // Would take a stack trace for one buffer in 128.
            "-Dio.netty.leakDetection.level=disabled",
            // A resumed session would skip the look at the name in the hello.
            "-Djdk.tls.server.enableSessionTicketExtension=false"),

    /// One for each sandbox whose gateway is on another machine, so as small as it can be. It
    /// passes bytes on, which the native TLS and the kernel do.
    SIDECAR(
            "gateway.aot",
            "-Xmx40m",
            "-Xms6m",
            "-XX:NewSize=2m",
            "-XX:MaxNewSize=12m",
            "-XX:MaxDirectMemorySize=48m",
            "-XX:MinHeapFreeRatio=10",
            "-XX:MaxHeapFreeRatio=20",
            "-XX:ReservedCodeCacheSize=24m",
            "-XX:TieredStopAtLevel=1",
            "-XX:CompileThresholdScaling=8",
            "-XX:TrimNativeHeapInterval=30000",
            "-XX:+ExitOnOutOfMemoryError",
            "-Dio.netty.jfr.enabled=false",
            "-Dio.netty.leakDetection.level=disabled"),

    /// Lives a fraction of a second.
    PORTER(
            "porter.aot",
            "-Xmx64m",
            "-Xms8m",
            "-XX:TieredStopAtLevel=1",
            "-Dio.netty.jfr.enabled=false");

    /// glibc gives every thread a heap of its own and keeps what is freed; for JVMs with few busy
    /// threads two are enough.
    public static final String ARENAS = "MALLOC_ARENA_MAX";

    /// See [#ARENAS].
    public static final String ARENAS_MAX = "2";

    private static final String MAIN = "dev.sallyport.cli.Sallyport";

    /// Nothing writes the memory of the process to a file, and nobody attaches to it.
    private static final List<String> COMMON =
            List.of(
                    "-XX:+UseSerialGC",
                    "-XX:+UseCompactObjectHeaders",
                    "-Xlog:disable",
                    "-XX:-HeapDumpOnOutOfMemoryError",
                    "-XX:-CreateCoredumpOnCrash",
                    "-XX:ErrorFile=/dev/null",
                    "-XX:+DisableAttachMechanism",
                    "-XX:-UsePerfData",
                    "--enable-native-access=ALL-UNNAMED");

    private final String cacheName;

    @SuppressWarnings("ImmutableEnumChecker") // List.of makes one that cannot be changed
    private final List<String> own;

    Jvm(String cacheName, String... own) {
        this.cacheName = cacheName;
        this.own = List.of(own);
    }

    /// What the cache is called that [#cache] looks for.
    public String cacheName() {
        return cacheName;
    }

    /// All options but those that name files.
    public List<String> options() {
        return Stream.concat(COMMON.stream(), own.stream()).toList();
    }

    /// The class cache beside the jar. A missing one, and one that somebody else could have
    /// written, means a slower start and nothing else; so does one that the JVM finds to be damaged
    /// or of another JDK or jar.
    public Optional<Path> cache(Path jar) {
        Path cache = jar.resolveSibling(cacheName);
        try {
            if (!Files.isReadable(cache)) {
                return Optional.empty();
            }
            Ownership.requireUnforgeableFile(cache);
            return Optional.of(cache);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// Maps the cache where it was made for, so that processes share its pages. Where that is was
    /// drawn when it was made, see ADR 14.
    private static List<String> using(Path cache) {
        return List.of(
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:ArchiveRelocationMode=0",
                "-XX:AOTCache=" + cache);
    }

    /// The command line of this JVM with our program in this role.
    ///
    /// @param extra further options
    public List<String> command(
            Path javaHome,
            String classPath,
            Optional<Path> cache,
            List<String> extra,
            String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(javaHome.resolve("bin").resolve("java").toString());
        command.addAll(options());
        cache.ifPresent(file -> command.addAll(using(file)));
        command.addAll(extra);
        command.addAll(List.of("-cp", classPath, MAIN));
        command.addAll(Arrays.asList(arguments));
        return command;
    }

    /// Where the JDK of this process is.
    public static Path ownHome() {
        return Path.of(System.getProperty("java.home", ""));
    }

    /// What daemons inherit: nothing that could change what they do, but which engine is meant.
    public static Map<String, String> daemonEnvironment(Map<String, String> own) {
        Map<String, String> kept = new TreeMap<>();
        kept.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        kept.put("LANG", "C.UTF-8");
        kept.put(ARENAS, ARENAS_MAX);
        // Where a person's own, rootless engine listens; never an engine on the network.
        String docker = own.getOrDefault("DOCKER_HOST", "");
        if (docker.startsWith("unix:///")) {
            kept.put("DOCKER_HOST", docker);
        }
        return kept;
    }
}
