package dev.sallyport.bench;

import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;

/// Where the gateway's time goes during a clone, requests for `info/refs`, and a push: flame graphs
/// from JFR. The gateway takes no options from outside, so it is started by a JDK whose `java` adds
/// the recording.
public final class ProfileBench {
    private static final String BEGIN = "<!-- bench/run profile: begin -->\n";
    private static final String END = "<!-- bench/run profile: end -->";
    private static final Path DOCUMENT = Path.of("docs/profile.md");
    private static final int REPEATS = Run.sized(5, 1);

    /// The first that a frame begins with counts.
    private static final Map<String, List<String>> AREAS = areas();

    private final Run run;
    private final Map<String, String> environment;
    private final StringBuilder text = new StringBuilder();

    private ProfileBench(Run run) throws IOException {
        this.run = run;
        this.environment = Map.of("SALLYPORT_JAVA_HOME", recordingJdk(run).toString());
    }

    public static void main(String[] args) throws IOException {
        Run.bench("profile", run -> new ProfileBench(run).measure());
    }

    private static Map<String, List<String>> areas() {
        Map<String, List<String>> areas = new LinkedHashMap<>();
        areas.put(
                "TLS", List.of("netty.internal.tcnative", "netty.handler.ssl", "sun.security.ssl"));
        areas.put(
                "kernel: sockets and waiting",
                List.of("netty.channel.epoll.Native", "netty.channel.unix"));
        areas.put("search for the secret", List.of("credential."));
        areas.put("records", List.of("audit.", "channel."));
        areas.put("judging a push", List.of("push.", "org.eclipse.jgit"));
        areas.put("copies of repositories", List.of("mirror."));
        areas.put("HTTP", List.of("http.", "netty.handler.codec"));
        areas.put("git door", List.of("git."));
        areas.put("way upstream", List.of("upstream."));
        areas.put("policy and routes", List.of("policy.", "gateway."));
        areas.put("Netty's pipeline and buffers", List.of("netty."));
        areas.put("other", List.of());
        return areas;
    }

    /// A copy of the JDK, because it finds its home by its own path.
    private static Path recordingJdk(Run run) throws IOException {
        Path home = run.root().resolve("jdk");
        Command.of("cp", "-a", System.getProperty("java.home", ""), home.toString()).run().ok();
        Path java = home.resolve("bin/java");
        Files.move(java, home.resolve("bin/java.real"));
        Files.copy(Path.of("bench/recording-java"), java);
        Command.of("chmod", "755", java.toString()).run().ok();
        return home;
    }

    private void measure() throws Exception {
        GitWays git = new GitWays(run, environment);
        Path large = git.repository("large");
        PushBench.fastImport(
                large, new PushBench.History(1, Run.sized(300, 30), 1_000_000), "refs/heads/main");
        List<String> names = new ArrayList<>(List.of("large"));
        git.repository("base");
        for (int i = 0; i <= REPEATS; i++) {
            git.repository("target" + i);
            names.add("target" + i);
        }
        git.newSandbox(
                "git:\n  - {repo: \"%s/acme/large\", access: read, mirror: off}\n"
                        .formatted(GitServer.HOST),
                names);
        Path work = git.workspace().resolve("many");
        GitServer.git(run.root(), "clone", "-q", git.bare("base").toString(), work.toString());
        PushBench.fastImport(work, Run.sized(1_000, 100), 100_000, "refs/heads/main");
        profile(
                git.sallyport(),
                "clone",
                "clones of 300 MB",
                i -> git.inside("rm -rf c\n--\n@GIT@ clone -q --bare @URL@/large.git c"));
        profile(
                git.sallyport(),
                "push",
                "pushes of 100 MB in 1,000 commits",
                i ->
                        git.inside(
                                "cd many\n--\n@GIT@ push -q @URL@/target%d.git main:refs/heads/agent/bench"
                                        .formatted(i)));
        InfoRefsBench refs = new InfoRefsBench(run, environment);
        refs.start();
        profile(refs.sallyport(), "info-refs", "info/refs, 64 clients", i -> refs.through(64));
        write();
    }

    private interface Job {
        Object repeated(int i) throws Exception;
    }

    /// Not while it warms up.
    private void profile(Installation sallyport, String id, String title, Job job)
            throws Exception {
        job.repeated(0);
        Instant from = Instant.now();
        for (int i = 1; i <= REPEATS; i++) {
            job.repeated(i);
        }
        FlameGraph graph = read(sallyport, from, Instant.now());
        if (graph.samples() == 0) {
            throw new AssertionError("no samples of " + title);
        }
        Path charts = Files.createDirectories(Path.of("docs/charts"));
        Files.writeString(charts.resolve("flame-" + id + ".svg"), graph.svg("Gateway, " + title));
        text.append(
                "\n## %s\n\n| | share of %,d samples |\n|---|---|\n"
                        .formatted(title, graph.samples()));
        graph.shares(AREAS)
                .forEach(
                        (area, share) -> {
                            if (share >= 0.005) {
                                text.append(
                                        String.format(
                                                Locale.ROOT,
                                                "| %s | %.1f %% |\n",
                                                area,
                                                share * 100));
                            }
                        });
        text.append("\n![flame graph](charts/flame-%s.svg)\n".formatted(id));
    }

    /// Samples are read from the recordings of the gateways while they live.
    private static FlameGraph read(Installation sallyport, Instant from, Instant to)
            throws IOException {
        FlameGraph graph = new FlameGraph();
        for (Path recording : recordings(sallyport)) {
            try (EventStream events = EventStream.openRepository(recording)) {
                events.setStartTime(from);
                events.setEndTime(to);
                events.onEvent("jdk.CPUTimeSample", event -> add(graph, event));
                events.onEvent("jdk.ExecutionSample", event -> add(graph, event));
                events.start();
            }
        }
        return graph;
    }

    /// They are where the gateway may write.
    private static List<Path> recordings(Installation sallyport) throws IOException {
        List<Path> recordings = new ArrayList<>();
        for (long process : Usage.processesOf(sallyport)) {
            Path work = Path.of(Usage.property(process, "java.io.tmpdir"));
            if (!Files.isDirectory(work)) {
                continue; // the warden records nothing
            }
            try (Stream<Path> files = Files.walk(work)) {
                files.filter(file -> file.toString().endsWith(".jfr"))
                        .map(Path::getParent)
                        .distinct()
                        .forEach(recordings::add);
            }
        }
        return recordings;
    }

    private static void add(FlameGraph graph, RecordedEvent event) {
        if (event.getStackTrace() != null) {
            List<RecordedFrame> frames = event.getStackTrace().getFrames();
            graph.add(frames.reversed().stream().map(ProfileBench::name).toList());
        }
    }

    private static String name(RecordedFrame frame) {
        String type = frame.getMethod().getType().getName();
        String shorter =
                type.replaceFirst("^dev\\.sallyport\\.", "")
                        .replaceFirst("^io\\.netty\\.", "netty.");
        return shorter.replaceAll("\\$\\$.*|/0x.*", "") + "." + frame.getMethod().getName();
    }

    private void write() throws IOException {
        String document = Files.readString(DOCUMENT);
        int begin = document.indexOf(BEGIN) + BEGIN.length();
        Files.writeString(
                DOCUMENT,
                document.substring(0, begin)
                        + Report.origin(run.results())
                        + text
                        + document.substring(document.indexOf(END)));
    }
}
