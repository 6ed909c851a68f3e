package dev.sallyport.push;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/// A history without rhyme or reason: branches, orphans, merges of every kind, files that turn into
/// directories, links and submodules, old content that comes back.
final class RandomHistory {
    static final String ALLOWED_ADDRESS = "a@test.example";

    private static final List<String> PATHS =
            List.of(
                    "a",
                    "b/c",
                    "b/d",
                    "ci",
                    "ci/x",
                    "ci/y",
                    "CI/z",
                    "ci/deep/er",
                    "lib",
                    "lib/c",
                    "top/b/c",
                    "ünï/c");
    private static final List<String> MODES =
            List.of("100644", "100644", "100644", "100755", "120000", "160000");
    private static final int CONTENTS = 14;

    private final Random random;
    private final StringBuilder stream = new StringBuilder();
    private final List<Map<String, String>> trees = new ArrayList<>();

    RandomHistory(Random random) {
        this.random = random;
    }

    /// Makes the history in the rig's repository; returns its commits, oldest first.
    List<String> make(PushRig rig, int commits) {
        for (int i = 0; i < CONTENTS; i++) {
            String text = "content " + i + (i % 5 == 4 ? "\nSECRET-" + i % 2 : "");
            stream.append("blob\nmark :").append(1_000 + i).append("\n").append(data(text));
        }
        for (int i = 0; i < commits; i++) {
            addCommit(i);
        }
        rig.gitWith(
                stream.toString(),
                "fast-import",
                "--quiet",
                "--force",
                "--export-marks=" + rig.root.resolve("marks"));
        Map<Integer, String> marks = new HashMap<>();
        read(rig)
                .lines()
                .map(line -> line.split(" ", -1))
                .forEach(w -> marks.put(Integer.valueOf(w[0].substring(1)), w[1]));
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < commits; i++) {
            ids.add(marks.getOrDefault(i + 1, ""));
        }
        return ids;
    }

    private static String read(PushRig rig) {
        try {
            return Files.readString(rig.root.resolve("marks"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void addCommit(int number) {
        List<Integer> parents = parents(number);
        Map<String, String> tree = new TreeMap<>();
        if (!parents.isEmpty()) {
            tree.putAll(trees.get(parents.get(random.nextInt(parents.size()))));
        }
        for (int parent : parents) {
            merge(tree, trees.get(parent));
        }
        int changes = parents.size() > 1 ? random.nextInt(2) : 1 + random.nextInt(3);
        for (int i = 0; i < changes; i++) {
            change(tree);
        }
        trees.add(tree);
        write(number, parents, tree);
    }

    private List<Integer> parents(int number) {
        List<Integer> parents = new ArrayList<>();
        int dice = random.nextInt(100);
        int count = number == 0 || dice < 7 ? 0 : dice < 65 ? 1 : dice < 94 ? 2 : 3;
        for (int i = 0; i < count; i++) {
            int parent = Math.max(0, number - 1 - random.nextInt(6));
            if (!parents.contains(parent)) {
                parents.add(parent);
            }
        }
        return parents;
    }

    /// Takes some of another parent's files, as merges do, or do not.
    private void merge(Map<String, String> tree, Map<String, String> other) {
        int appetite = random.nextInt(3);
        for (Map.Entry<String, String> entry : other.entrySet()) {
            if (random.nextInt(2) < appetite) {
                put(tree, entry.getKey(), entry.getValue());
            }
        }
    }

    private void change(Map<String, String> tree) {
        String path = PATHS.get(random.nextInt(PATHS.size()));
        if (random.nextInt(4) == 0) {
            tree.remove(path);
            return;
        }
        if (random.nextInt(6) == 0 && !trees.isEmpty()) {
            String old = trees.get(random.nextInt(trees.size())).get(path);
            if (old != null) {
                put(tree, path, old);
            }
            return;
        }
        String mode = MODES.get(random.nextInt(MODES.size()));
        String target =
                mode.equals("160000")
                        ? String.format("%040x", 1 + random.nextInt(3))
                        : ":" + (1_000 + random.nextInt(CONTENTS));
        put(tree, path, mode + " " + target);
    }

    /// A file takes the place of a directory and the other way round.
    private static void put(Map<String, String> tree, String path, String entry) {
        tree.keySet().removeIf(p -> p.startsWith(path + "/") || path.startsWith(p + "/"));
        tree.put(path, entry);
    }

    private void write(int number, List<Integer> parents, Map<String, String> tree) {
        String address = random.nextInt(5) == 0 ? "b@test.example" : ALLOWED_ADDRESS;
        String message = "number " + number + (random.nextInt(12) == 0 ? " SECRET-m" : "");
        stream.append("commit refs/heads/made")
                .append(number)
                .append("\nmark :")
                .append(number + 1);
        stream.append("\nauthor A <").append(address).append("> ").append(1_700_000_000 + number);
        stream.append(" +0000\ncommitter C <").append(ALLOWED_ADDRESS).append("> ");
        stream.append(1_700_000_000 + number).append(" +0000\n").append(data(message));
        for (int i = 0; i < parents.size(); i++) {
            stream.append(i == 0 ? "from :" : "merge :").append(parents.get(i) + 1).append('\n');
        }
        stream.append("deleteall\n");
        tree.forEach((path, entry) -> stream.append("M " + entry + " " + path + "\n"));
        stream.append('\n');
    }

    private static String data(String text) {
        return "data " + text.length() + "\n" + text + "\n";
    }
}
