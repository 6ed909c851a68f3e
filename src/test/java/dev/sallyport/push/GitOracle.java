package dev.sallyport.push;

import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.ObjectName;
import dev.sallyport.policy.PathPattern;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SecretScan;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Says what the judge must say, slowly and obviously, by asking git about a repository that has
/// everything.
final class GitOracle {
    private static final Pattern SECRET = Pattern.compile("SECRET-[a-z0-9]+");

    private final PushRig rig;
    private final Set<String> mirror;
    private final Map<String, String> types;
    private final Read read;

    /// What git said about objects, by their ids, so it stays true.
    record Read(
            Map<String, Map<String, String>> files,
            Map<String, String> texts,
            Map<String, String> bases) {
        Read() {
            this(new HashMap<>(), new HashMap<>(), new HashMap<>());
        }
    }

    GitOracle(PushRig rig, Read read) {
        this.rig = rig;
        this.read = read;
        this.mirror = reached();
        this.types = objects("--no-pager");
    }

    /// What refs that vouch reach, or reached before they went.
    private Set<String> reached() {
        List<String> argv = new ArrayList<>(List.of("rev-list", "--objects"));
        argv.addAll(vouching());
        argv.addAll(rig.left);
        Set<String> ids = new HashSet<>();
        if (argv.size() > 2) {
            rig.git(argv.toArray(String[]::new)).lines().forEach(l -> ids.add(l.split(" ", -1)[0]));
        }
        ids.removeIf(String::isEmpty);
        return ids;
    }

    /// Tips of branches, tags, and whatever else is trusted: never of a stranger's refs.
    private List<String> vouching() {
        List<String> tips = new ArrayList<>();
        rig.allRefs()
                .forEach(
                        (ref, id) -> {
                            String name = ref.value();
                            if (name.startsWith("refs/heads/")
                                    || name.startsWith("refs/tags/")
                                    || (name.startsWith("refs/changes/")
                                            && !rig.refsTrusted.isEmpty())) {
                                tips.add(id.hex());
                            }
                        });
        return tips;
    }

    private Map<String, String> objects(String where) {
        Map<String, String> all = new HashMap<>();
        rig.git(where, "cat-file", "--batch-check", "--batch-all-objects")
                .lines()
                .map(line -> line.split(" ", -1))
                .forEach(w -> all.put(w[0], w[1]));
        return all;
    }

    boolean isInMirror(String id) {
        return mirror.contains(id);
    }

    /// What is wrong with each ref; empty when the push may pass.
    Map<RefName, Set<Refusal>> judge(List<RefUpdate> updates, Set<String> pack) {
        Map<RefName, Set<Refusal>> wrong = new LinkedHashMap<>();
        for (RefUpdate u : updates) {
            ObjectName now = rig.upstreamRefs().getOrDefault(u.ref(), ObjectName.ZERO);
            if (!now.equals(u.before())) {
                object(wrong, u, Refusal.STALE_REF);
            }
        }
        List<RefUpdate> moves = updates.stream().filter(u -> !u.isDelete()).toList();
        if (wrong.isEmpty() && !moves.isEmpty()) {
            judgePack(moves, pack, wrong);
        }
        if (wrong.isEmpty()) {
            judgeMoves(moves, wrong);
        }
        if (wrong.isEmpty()) {
            moves.forEach(u -> judgeContent(u, wrong));
        }
        return wrong;
    }

    private static void object(Map<RefName, Set<Refusal>> wrong, RefUpdate update, Refusal reason) {
        wrong.computeIfAbsent(update.ref(), _ -> new TreeSet<>()).add(reason);
    }

    private void judgePack(
            List<RefUpdate> moves, Set<String> pack, Map<RefName, Set<Refusal>> wrong) {
        Set<String> met = new HashSet<>();
        Deque<String> open = new ArrayDeque<>();
        moves.forEach(u -> open.add(u.after().hex()));
        boolean missing = false;
        while (!open.isEmpty()) {
            String id = open.pop();
            if (!pack.contains(id)) {
                missing |= !mirror.contains(id);
            } else if (met.add(id)) {
                open.addAll(named(id));
            }
        }
        Set<String> hidden = new HashSet<>(pack);
        hidden.removeAll(met);
        for (RefUpdate u : moves) {
            if (missing) {
                object(wrong, u, Refusal.MISSING_OBJECTS);
            } else if (!hidden.isEmpty()) {
                object(wrong, u, Refusal.HIDDEN_OBJECTS);
            }
        }
    }

    private List<String> named(String id) {
        return switch (types.getOrDefault(id, "")) {
            case "commit", "tag" ->
                    text(id).lines()
                            .takeWhile(line -> !line.isEmpty())
                            .filter(line -> line.matches("(tree|parent|object) .*"))
                            .map(line -> line.split(" ", -1)[1])
                            .toList();
            case "tree" ->
                    text(id).lines()
                            .filter(line -> !line.startsWith("160000"))
                            .map(line -> line.split("[ \t]", -1)[2])
                            .toList();
            default -> List.of();
        };
    }

    private String text(String id) {
        return read.texts.computeIfAbsent(id, i -> rig.git("cat-file", "-p", i));
    }

    private void judgeMoves(List<RefUpdate> moves, Map<RefName, Set<Refusal>> wrong) {
        List<RefUpdate> fit = new ArrayList<>();
        for (RefUpdate u : moves) {
            String type = types.getOrDefault(u.after().hex(), "");
            boolean commit = type.equals("commit") || (type.equals("tag") && u.ref().isTag());
            if (commit) {
                fit.add(u);
            } else {
                object(wrong, u, Refusal.NOT_A_COMMIT);
            }
        }
        List<String> all = fit.stream().map(u -> u.after().hex()).toList();
        if (!fit.isEmpty() && fresh(all).size() > rig.rules.content().commitsMax()) {
            wrong.clear();
            moves.forEach(u -> object(wrong, u, Refusal.TOO_MANY_COMMITS));
            return;
        }
        for (RefUpdate u : fit) {
            if (!u.isCreate() && !rig.rules.force() && !u.before().equals(u.after())) {
                boolean forward =
                        !u.ref().isTag()
                                && rig.run(
                                                        "",
                                                        "merge-base",
                                                        "--is-ancestor",
                                                        u.before().hex(),
                                                        u.after().hex())
                                                .exit()
                                        == 0;
                if (!forward) {
                    object(wrong, u, Refusal.FORCE_NOT_ALLOWED);
                }
            }
        }
    }

    private List<String> fresh(List<String> tips) {
        List<String> argv = new ArrayList<>(List.of("rev-list"));
        argv.addAll(tips);
        argv.add("--not");
        argv.addAll(vouching());
        return rig.git(argv.toArray(String[]::new)).lines().filter(l -> !l.isEmpty()).toList();
    }

    private void judgeContent(RefUpdate update, Map<RefName, Set<Refusal>> wrong) {
        ContentRules rules = rig.rules.content();
        String after = update.after().hex();
        Set<Refusal> found = new TreeSet<>();
        if (types.getOrDefault(after, "").equals("tag")
                && !mirror.contains(after)
                && rules.secrets() == SecretScan.DENY
                && !secrets(text(after)).isEmpty()) {
            found.add(Refusal.SECRET_FOUND);
        }
        for (String commit : fresh(List.of(after))) {
            judgeCommit(commit, rules, found);
        }
        if (!found.isEmpty()) {
            wrong.put(update.ref(), found);
        }
    }

    private void judgeCommit(String commit, ContentRules rules, Set<Refusal> found) {
        String text = text(commit);
        if (rules.authors().isPresent()
                && text.lines().anyMatch(l -> l.startsWith("author ") && l.contains("<b@"))) {
            found.add(Refusal.AUTHOR_NOT_ALLOWED);
        }
        boolean scan = rules.secrets() == SecretScan.DENY;
        if (scan && !secrets(text).isEmpty()) {
            found.add(Refusal.SECRET_FOUND);
        }
        List<String> parents =
                text.lines()
                        .takeWhile(line -> !line.isEmpty())
                        .filter(line -> line.startsWith("parent "))
                        .map(line -> line.substring(7))
                        .toList();
        Map<String, String> result = files(commit);
        Set<String> paths = new TreeSet<>(result.keySet());
        parents.forEach(p -> paths.addAll(files(p).keySet()));
        for (String path : paths) {
            String now = result.getOrDefault(path, "");
            List<String> before =
                    parents.stream().map(p -> files(p).getOrDefault(path, "")).toList();
            if (isObjectionable(path, now, rules) && isChanged(path, now, parents, before)) {
                found.add(Refusal.PATH_NOT_ALLOWED);
            }
            if (!now.isEmpty() && !now.startsWith("160000") && !before.contains(now)) {
                judgeBlob(now.split(" ", -1)[1], before, rules, found);
            }
        }
    }

    private void judgeBlob(
            String blob, List<String> before, ContentRules rules, Set<Refusal> found) {
        if (mirror.contains(blob)) {
            return;
        }
        if (text(blob).length() > rules.fileBytesMax()) {
            found.add(Refusal.FILE_TOO_LARGE);
        }
        Set<String> added = secrets(text(blob));
        before.stream()
                .filter(e -> !e.isEmpty() && !e.startsWith("160000"))
                .forEach(e -> added.removeAll(secrets(text(e.split(" ", -1)[1]))));
        if (rules.secrets() == SecretScan.DENY && !added.isEmpty()) {
            found.add(Refusal.SECRET_FOUND);
        }
    }

    private boolean isChanged(String path, String now, List<String> parents, List<String> before) {
        if (parents.size() < 2) {
            return !now.equals(before.isEmpty() ? "" : before.getFirst());
        }
        for (int p = 0; p < parents.size(); p++) {
            boolean clean = now.equals(before.get(p));
            for (int q = 0; q < parents.size() && clean; q++) {
                clean =
                        before.get(q).equals(now)
                                || isUntouched(path, before.get(q), parents.get(p), parents.get(q));
            }
            if (clean) {
                return false;
            }
        }
        return true;
    }

    private boolean isUntouched(String path, String entry, String one, String other) {
        String bases =
                read.bases.computeIfAbsent(
                        one + " " + other,
                        _ -> rig.run("", "merge-base", "--all", one, other).out().strip());
        return bases.isEmpty()
                ? entry.isEmpty()
                : bases.lines().allMatch(b -> files(b).getOrDefault(path, "").equals(entry));
    }

    private static boolean isObjectionable(String path, String now, ContentRules rules) {
        boolean leads = now.startsWith("120000") || now.startsWith("160000");
        for (PathPattern denied : rules.pathsDenied()) {
            if (denied.matchesLoosely(path) || (leads && denied.leadsThrough(path))) {
                return true;
            }
        }
        return rules.pathsAllowed().isPresent()
                && rules.pathsAllowed().get().stream().noneMatch(p -> p.matches(path));
    }

    private Map<String, String> files(String commit) {
        return read.files.computeIfAbsent(
                commit,
                c -> {
                    Map<String, String> found = new HashMap<>();
                    String all = rig.git("ls-tree", "-r", "-z", "--full-tree", c);
                    Arrays.stream(all.split("\0", -1))
                            .filter(line -> !line.isEmpty())
                            .map(line -> line.split("[ \t]", -1))
                            .forEach(w -> found.put(w[3], w[0] + " " + w[2]));
                    return found;
                });
    }

    private static Set<String> secrets(String text) {
        Set<String> found = new HashSet<>();
        Matcher matcher = SECRET.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group());
        }
        return found;
    }
}
