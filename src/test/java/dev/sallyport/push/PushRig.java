package dev.sallyport.push;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.Slices;
import dev.sallyport.mirror.IsolatedGit;
import dev.sallyport.policy.AddressPattern;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.PathPattern;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SecretScan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/// A sandbox's repository, upstream's, and the judge between them.
final class PushRig {
    final Path root;
    final Path work;
    final Path upstream;

    /// What the gateway has copied: what refs of upstream reach, or reached once, that vouch.
    final Path mirror;

    /// Where refs were that are no longer there.
    final List<String> left = new ArrayList<>();

    List<RefPattern> refsTrusted = List.of();
    PushRules rules = rules(List.of(".github/workflows/**", ".gitlab-ci.yml"), Optional.empty());
    Limits.Push limits = Limits.standard().push();
    SecretFinder finder = new FakeFinder();
    Slice slice = Slices.whole();
    boolean judgesTwice = true;
    private int pushes;
    private Optional<Map<RefName, ObjectName>> knownRefs = Optional.empty();

    PushRig(Path root) throws IOException {
        IsolatedGit.install();
        this.root = root;
        this.work = Files.createDirectories(root.resolve("work"));
        this.upstream = root.resolve("upstream.git");
        git("init", "-q", ".");
        this.mirror = root.resolve("mirror.git");
        git("init", "-q", "--bare", upstream.toString());
        git("init", "-q", "--bare", mirror.toString());
    }

    static PushRules rules(List<String> denied, Optional<List<String>> allowed) {
        PushRules standard = PushRules.standard();
        return new PushRules(
                standard.branches(),
                false,
                true,
                true,
                standard.packBytesMax(),
                new ContentRules(
                        patterns(denied),
                        allowed.map(PushRig::patterns),
                        100L << 20,
                        10_000,
                        SecretScan.DENY,
                        Optional.empty()));
    }

    private static List<PathPattern> patterns(List<String> texts) {
        List<PathPattern> patterns = new ArrayList<>();
        for (String text : texts) {
            try {
                patterns.add(PathPattern.parse(text));
            } catch (MalformedNameException e) {
                throw new AssertionError(e);
            }
        }
        return patterns;
    }

    void force(boolean force) {
        rules =
                new PushRules(
                        rules.branches(), force, true, true, rules.packBytesMax(), rules.content());
    }

    void content(long fileBytesMax, int commitsMax, SecretScan secrets, String... authors) {
        ContentRules old = rules.content();
        Optional<List<AddressPattern>> addresses =
                authors.length == 0
                        ? Optional.empty()
                        : Optional.of(Arrays.stream(authors).map(AddressPattern::new).toList());
        rules =
                new PushRules(
                        rules.branches(),
                        rules.force(),
                        true,
                        true,
                        rules.packBytesMax(),
                        new ContentRules(
                                old.pathsDenied(),
                                old.pathsAllowed(),
                                fileBytesMax,
                                commitsMax,
                                secrets,
                                addresses));
    }

    String git(String... arguments) {
        return gitWith("", arguments);
    }

    String gitWith(String input, String... arguments) {
        return run(input, arguments).ok();
    }

    Command.Result run(String input, String... arguments) {
        List<String> argv =
                new ArrayList<>(
                        List.of(
                                "git",
                                "-c",
                                "user.name=Test",
                                "-c",
                                "user.email=test@test.example",
                                "-c",
                                "init.defaultBranch=main",
                                "-c",
                                "gc.auto=0",
                                "-c",
                                "core.protectNTFS=false"));
        argv.addAll(List.of(arguments));
        return Command.of(argv)
                .in(work)
                .with("GIT_CONFIG_GLOBAL", "/dev/null")
                .with("GIT_CONFIG_NOSYSTEM", "1")
                .input(input)
                .within(Duration.ofSeconds(90))
                .run();
    }

    Path write(String path, String content) {
        try {
            Path file = work.resolve(path);
            Files.createDirectories(file.getParent());
            return Files.writeString(file, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Commits these files (path, content, path, content ...) on the branch that is checked out.
    String commit(String... files) {
        for (int i = 0; i < files.length; i += 2) {
            write(files[i], files[i + 1]);
        }
        git("add", "-A", "-f");
        // As in "[main 0123...] a change".
        String told = git("-c", "core.abbrev=no", "commit", "--allow-empty", "-m", "a change");
        return told.lines().findFirst().orElseThrow().replaceFirst(".* ([0-9a-f]{40})\\].*", "$1");
    }

    /// Makes a tree (lines as `git mktree` takes them) into a commit upon parents.
    String commitTree(String tree, String... parents) {
        List<String> argv = new ArrayList<>(List.of("commit-tree", tree, "-m", "by hand"));
        for (String parent : parents) {
            argv.addAll(List.of("-p", parent));
        }
        return git(argv.toArray(String[]::new));
    }

    /// Stores bytes as an object of that type, whatever they are.
    String object(String type, byte[] raw) throws IOException {
        Path file = Files.write(root.resolve("object.bin"), raw);
        return git("hash-object", "-t", type, "--literally", "-w", file.toString());
    }

    /// Makes upstream have these refs, as somebody with all rights would.
    void publish(String... refspecs) {
        List<String> argv = new ArrayList<>(List.of("push", "-q", "-f", upstream.toString()));
        argv.addAll(List.of(refspecs));
        git(argv.toArray(String[]::new));
        knownRefs = Optional.empty();
        copy();
    }

    private void copy() {
        List<String> argv =
                new ArrayList<>(List.of("--git-dir=" + mirror, "fetch", "-q", "--no-tags"));
        argv.add(upstream.toString());
        upstreamRefs().keySet().forEach(ref -> argv.add("+" + ref + ":" + ref));
        if (!upstreamRefs().isEmpty()) {
            git(argv.toArray(String[]::new));
        }
    }

    /// Leaves what it pointed to in the copy.
    void unpublish(String ref) {
        left.add(git("--git-dir=" + upstream, "rev-parse", ref));
        git("--git-dir=" + upstream, "update-ref", "-d", ref);
        knownRefs = Optional.empty();
    }

    /// Those that a push is judged by and is told of.
    Map<RefName, ObjectName> upstreamRefs() {
        Map<RefName, ObjectName> refs = new HashMap<>(allRefs());
        refs.keySet().removeIf(ref -> !RefVisibility.all().trusted(refsTrusted).shows(ref));
        return refs;
    }

    Map<RefName, ObjectName> allRefs() {
        if (knownRefs.isEmpty()) {
            knownRefs = Optional.of(readRefs());
        }
        return knownRefs.get();
    }

    private Map<RefName, ObjectName> readRefs() {
        Map<RefName, ObjectName> refs = new HashMap<>();
        String all =
                git("--git-dir=" + upstream, "for-each-ref", "--format=%(objectname) %(refname)");
        all.lines()
                .map(line -> line.split(" ", -1))
                .forEach(w -> refs.put(new RefName(w[1]), new ObjectName(w[0])));
        return refs;
    }

    RefUpdate update(String ref, String after) {
        RefName name = new RefName(ref);
        return new RefUpdate(
                name,
                upstreamRefs().getOrDefault(name, ObjectName.ZERO),
                new ObjectName(after.isEmpty() ? ObjectName.ZERO.hex() : after));
    }

    /// The pack that git would send for these.
    Path pack(List<RefUpdate> updates, String... options) {
        StringBuilder revisions = new StringBuilder();
        updates.stream()
                .filter(u -> !u.isDelete())
                .forEach(u -> revisions.append(u.after()).append('\n'));
        upstreamRefs().values().forEach(id -> revisions.append('^').append(id).append('\n'));
        List<String> argv = new ArrayList<>(List.of("pack-objects", "-q", "--revs"));
        argv.addAll(List.of(options));
        return packed(argv, revisions.toString());
    }

    /// A pack of exactly these objects.
    Path packOf(List<String> ids, String... options) {
        List<String> argv = new ArrayList<>(List.of("pack-objects", "-q"));
        argv.addAll(List.of(options));
        return packed(argv, ids.isEmpty() ? "" : String.join("\n", ids) + "\n");
    }

    private Path packed(List<String> argv, String input) {
        List<String> all = new ArrayList<>(argv);
        Path base = root.resolve("sent" + ++pushes);
        all.add(base.toString());
        String hash = gitWith(input, all.toArray(String[]::new));
        return root.resolve(base.getFileName() + "-" + hash + ".pack");
    }

    /// A pack that was read while it arrived is judged like one that was not. Which of several
    /// faults of an object is named may differ.
    Verdict judge(List<RefUpdate> updates, Optional<Path> pack) throws Exception {
        Verdict verdict = judge(updates, pack, false);
        if (pack.isPresent() && judgesTwice && finder instanceof FakeFinder) {
            Verdict again = judge(updates, pack, true);
            assertThat(again).hasSameClassAs(verdict);
            assertThat(reasons(again)).isEqualTo(reasons(verdict));
        }
        return verdict;
    }

    private Verdict judge(List<RefUpdate> updates, Optional<Path> pack, boolean early)
            throws Exception {
        Path quarantine = Files.createDirectories(root.resolve("quarantine" + ++pushes));
        PushCase push =
                new PushCase(
                        trusting(),
                        updates,
                        upstreamRefs(),
                        Set.of(),
                        mirror.resolve("objects"),
                        pack,
                        quarantine);
        Judge judge = new Judge(limits, finder);
        if (!early) {
            return judge.judge(push, slice);
        }
        try (PackReading reading = judge.reading(push.rules(), pack.orElseThrow())) {
            arrive(reading, Files.size(pack.orElseThrow()));
            return judge.judge(push, reading, slice);
        }
    }

    /// In pieces of any length, and perhaps not all of it.
    private void arrive(PackReading reading, long bytes) throws Exception {
        Random random = new Random(bytes);
        for (long at = 0; at < bytes; at += 1 + random.nextLong(bytes / 3 + 1)) {
            reading.readSome(at, slice);
        }
    }

    private PushRules trusting() {
        return new PushRules(
                rules.branches(),
                rules.force(),
                rules.delete(),
                rules.tags(),
                rules.packBytesMax(),
                rules.content(),
                refsTrusted);
    }

    Verdict push(String ref, String after) throws Exception {
        List<RefUpdate> updates = List.of(update(ref, after));
        return judge(updates, after.isEmpty() ? Optional.empty() : Optional.of(pack(updates)));
    }

    Verdict pushBytes(String ref, String after, byte[] pack) throws Exception {
        Path file = Files.write(root.resolve("bytes" + ++pushes + ".pack"), pack);
        return judge(List.of(update(ref, after)), Optional.of(file));
    }

    static List<Refusal> reasons(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Accepted _ -> List.of();
            case Verdict.Refused refused ->
                    refused.objections().stream().map(Objection::reason).distinct().toList();
        };
    }

    static String details(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Accepted accepted -> String.join("\n", accepted.warnings());
            case Verdict.Refused refused ->
                    String.join(
                            "\n", refused.objections().stream().map(Objection::detail).toList());
        };
    }
}
