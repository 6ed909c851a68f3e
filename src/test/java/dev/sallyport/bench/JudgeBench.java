package dev.sallyport.bench;

import com.sun.management.OperatingSystemMXBean;
import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Slices;
import dev.sallyport.mirror.IsolatedGit;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.push.Judge;
import dev.sallyport.push.PushCase;
import dev.sallyport.push.SecretScanner;
import dev.sallyport.push.Verdict;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// How fast the judge alone is: 100 MB in 1,000 commits. It is started with a heap of 72 MiB, and
/// dies if that is not enough.
public final class JudgeBench {
    private static final int COMMITS = 1_000;
    private static final int FILE_BYTES = 100_000;
    private static final int RUNS = 4;

    private JudgeBench() {}

    public static void main(String[] args) throws Exception {
        IsolatedGit.install();
        Path root = Files.createTempDirectory("sp-judge");
        try {
            run(root);
        } finally {
            Command.of("rm", "-rf", root.toString()).run();
        }
    }

    private static void run(Path root) throws Exception {
        Path work = Files.createDirectory(root.resolve("work"));
        GitServer.git(work, "init", "-q", "-b", "main");
        GitServer.git(work, "commit", "-q", "--allow-empty", "-m", "first");
        Path bare = root.resolve("bare.git");
        GitServer.git(root, "clone", "-q", "--bare", work.toString(), bare.toString());
        ObjectName base = new ObjectName(GitServer.git(work, "rev-parse", "main"));
        PushBench.fastImport(work, COMMITS, FILE_BYTES, "refs/heads/main");
        ObjectName tip = new ObjectName(GitServer.git(work, "rev-parse", "main"));
        Path pack = root.resolve("pack");
        Command.of(
                        "bash",
                        "-c",
                        "git pack-objects --revs --stdout -q --delta-base-offset > " + pack)
                .in(work)
                .input(tip + "\n^" + base + "\n")
                .run()
                .ok();
        double megabytes = Files.size(pack) / 1e6;
        for (int i = 1; i <= RUNS; i++) {
            PushCase push =
                    new PushCase(
                            PushRules.standard(),
                            List.of(update(tip)),
                            Map.of(new RefName("refs/heads/main"), base),
                            Set.of(),
                            bare.resolve("objects"),
                            Optional.of(pack),
                            Files.createDirectory(root.resolve("quarantine" + i)));
            long start = System.nanoTime();
            long cpu = cpuNanos();
            Verdict verdict =
                    new Judge(Limits.standard().push(), SecretScanner.standard())
                            .judge(push, Slices.whole());
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    "judging %.0f MB in %d commits, run %d%s: %.2f s, %.2f s of CPU, %.1f MB/s, %s, heap at most %d MiB%n",
                    megabytes,
                    COMMITS,
                    i,
                    i == 1 ? " (cold)" : "",
                    seconds,
                    (cpuNanos() - cpu) / 1e9,
                    megabytes / seconds,
                    verdict instanceof Verdict.Accepted ? "accepted" : verdict,
                    Runtime.getRuntime().maxMemory() >> 20);
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    private static RefUpdate update(ObjectName tip) {
        return new RefUpdate(new RefName("refs/heads/agent/x"), ObjectName.ZERO, tip);
    }
}
