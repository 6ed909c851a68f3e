package dev.sallyport.push;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SecretScan;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The judge agrees with plain git about random pushes of random histories under random rules.
///
/// `-Dsallyport.oracle.histories=1000` looks at more; `-Dsallyport.oracle.seed=N` looks at one.
class JudgeOracleTest {
    private static final int HISTORIES = Integer.getInteger("sallyport.oracle.histories", 20);
    private static final long SEED = Long.getLong("sallyport.oracle.seed", -1);
    private static final int PUSHES_PER_HISTORY = 8;

    @TempDir Path root;
    private final Map<Refusal, Integer> seen = new EnumMap<>(Refusal.class);
    private int accepted;

    @Test
    void agreesWithGit() throws Exception {
        long first = SEED >= 0 ? SEED : 1;
        long last = SEED >= 0 ? SEED : HISTORIES;
        for (long seed = first; seed <= last; seed++) {
            judgeHistory(seed);
        }
        assertThat(accepted).as("accepted, against " + seen).isPositive();
    }

    private void judgeHistory(long seed) throws Exception {
        Random random = new Random(seed);
        PushRig rig = new PushRig(Files.createDirectories(root.resolve("seed" + seed)));
        List<String> commits = new RandomHistory(random).make(rig, 8 + random.nextInt(16));
        if (random.nextInt(3) == 0) {
            rig.refsTrusted = List.of(RefPattern.parseFull("refs/changes/**"));
        }
        publish(rig, random, commits);
        GitOracle.Read read = new GitOracle.Read();
        for (int i = 0; i < PUSHES_PER_HISTORY; i++) {
            chooseRules(rig, random);
            List<RefUpdate> updates = updates(rig, random, commits, i);
            Set<String> pack = pack(rig, random, updates);
            compare(rig, updates, pack, new GitOracle(rig, read), "seed " + seed + " push " + i);
        }
    }

    private void compare(
            PushRig rig, List<RefUpdate> updates, Set<String> ids, GitOracle oracle, String where)
            throws Exception {
        boolean moves = updates.stream().anyMatch(u -> !u.isDelete());
        Optional<Path> pack = Optional.empty();
        if (moves) {
            pack = Optional.of(rig.packOf(List.copyOf(ids), "--delta-base-offset"));
        }
        Verdict verdict = rig.judge(updates, pack);
        Map<RefName, Set<Refusal>> expected = oracle.judge(updates, ids);
        Map<RefName, Set<Refusal>> actual = new HashMap<>();
        Map<RefName, Integer> counts = new HashMap<>();
        if (verdict instanceof Verdict.Refused refused) {
            for (Objection o : refused.objections()) {
                actual.computeIfAbsent(o.ref(), _ -> new TreeSet<>()).add(o.reason());
                counts.merge(o.ref(), 1, Integer::sum);
                seen.merge(o.reason(), 1, Integer::sum);
            }
        } else {
            accepted++;
        }
        counts.forEach(
                (ref, count) -> {
                    // Who gets ten objections is not told of all kinds of them.
                    if (count >= 10
                            && expected.getOrDefault(ref, Set.of()).containsAll(actual.get(ref))) {
                        actual.put(ref, expected.get(ref));
                    }
                });
        assertThat(actual)
                .as(where + " " + updates + " " + PushRig.details(verdict))
                .isEqualTo(expected);
    }

    private static void publish(PushRig rig, Random random, List<String> commits) {
        int branches = random.nextInt(4);
        List<String> refspecs = new ArrayList<>();
        for (int i = 0; i < branches; i++) {
            refspecs.add(commits.get(random.nextInt(commits.size())) + ":refs/heads/b" + i);
        }
        if (random.nextInt(3) == 0) {
            refspecs.add(commits.get(random.nextInt(commits.size())) + ":refs/tags/t0");
        }
        for (String foreign :
                List.of("refs/pull/1/head", "refs/pull/2/head", "refs/changes/01/1")) {
            if (random.nextInt(2) == 0) {
                refspecs.add(commits.get(random.nextInt(commits.size())) + ":" + foreign);
            }
        }
        boolean leftover = random.nextInt(3) == 0;
        if (leftover) {
            refspecs.add(commits.get(random.nextInt(commits.size())) + ":refs/heads/gone");
        }
        if (!refspecs.isEmpty()) {
            rig.publish(refspecs.toArray(String[]::new));
        }
        if (leftover) {
            rig.unpublish("refs/heads/gone");
        }
    }

    private static void chooseRules(PushRig rig, Random random) {
        List<String> denied = new ArrayList<>();
        for (String pattern : List.of("ci/**", "lib/*", "**/c")) {
            if (random.nextInt(4) == 0) {
                denied.add(pattern);
            }
        }
        Optional<List<String>> allowed =
                random.nextInt(4) == 0
                        ? Optional.of(List.of("a", "b/**", "ci/**", "top/**"))
                        : Optional.empty();
        rig.rules = PushRig.rules(denied, allowed);
        rig.content(
                random.nextInt(6) == 0 ? 12 : 1 << 20,
                random.nextInt(6) == 0 ? 3 : 1_000,
                random.nextInt(2) == 0 ? SecretScan.DENY : SecretScan.OFF,
                random.nextInt(4) == 0
                        ? new String[] {RandomHistory.ALLOWED_ADDRESS}
                        : new String[0]);
        rig.force(random.nextBoolean());
    }

    private static List<RefUpdate> updates(
            PushRig rig, Random random, List<String> commits, int number) {
        List<RefUpdate> updates = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            String ref = "refs/heads/b" + i;
            String after = commits.get(random.nextInt(commits.size()));
            int dice = random.nextInt(20);
            if (dice == 0 && rig.upstreamRefs().containsKey(new RefName(ref))) {
                after = "";
            } else if (dice < 4) {
                ref = "refs/tags/t" + i;
                String name = "made" + number + "." + i;
                String text = random.nextInt(4) == 0 ? "SECRET-tag" : "text";
                rig.git("tag", "-a", "-m", text, name, after);
                after = rig.git("rev-parse", "refs/tags/" + name);
            } else if (dice == 4) {
                after = rig.git("rev-parse", after + "^{tree}");
            }
            RefUpdate update = rig.update(ref, after);
            if (random.nextInt(25) == 0) {
                String lie = commits.get(random.nextInt(commits.size()));
                update = new RefUpdate(update.ref(), new ObjectName(lie), update.after());
            }
            updates.add(update);
        }
        return updates;
    }

    /// What git would send, sometimes with something more or less.
    private static Set<String> pack(PushRig rig, Random random, List<RefUpdate> updates) {
        List<String> argv = new ArrayList<>(List.of("rev-list", "--objects"));
        updates.stream().filter(u -> !u.isDelete()).forEach(u -> argv.add(u.after().hex()));
        if (argv.size() == 2) {
            return Set.of();
        }
        argv.add("--not");
        // Git leaves out what it was told of; a client that asks elsewhere leaves out more.
        boolean told = random.nextInt(8) > 0;
        (told ? rig.upstreamRefs() : rig.allRefs()).values().forEach(id -> argv.add(id.hex()));
        List<String> ids = new ArrayList<>();
        rig.git(argv.toArray(String[]::new)).lines().forEach(l -> ids.add(l.split(" ", -1)[0]));
        ids.removeIf(String::isEmpty);
        int dice = random.nextInt(12);
        if (dice == 0 && !ids.isEmpty()) {
            ids.remove(random.nextInt(ids.size()));
        } else if (dice == 1) {
            List<String> all =
                    rig.git("cat-file", "--batch-check=%(objectname)", "--batch-all-objects")
                            .lines()
                            .toList();
            ids.add(all.get(random.nextInt(all.size())));
        }
        return new HashSet<>(ids);
    }
}
