package dev.sallyport.audit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Where the parts of a log are: `audit.jsonl` is written, `audit-<first seq>.jsonl` are full,
/// `audit.head` remembers where the log begins and how far it went, `audit.reserve` keeps room for
/// the last words.
record AuditFiles(Path current) {
    private static final Pattern ROTATED = Pattern.compile("audit-([1-9][0-9]{0,17})\\.jsonl");
    private static final Pattern TORN = Pattern.compile("audit\\.jsonl\\.torn-([1-9][0-9]{0,17})");

    Path head() {
        return current.resolveSibling("audit.head");
    }

    Path reserve() {
        return current.resolveSibling("audit.reserve");
    }

    Path rotated(long firstSeq) {
        return current.resolveSibling("audit-" + firstSeq + ".jsonl");
    }

    Path torn(long seq) {
        return current.resolveSibling(current.getFileName() + ".torn-" + seq);
    }

    /// The full files, oldest first.
    List<Path> rotated() throws IOException {
        Path directory = current.toAbsolutePath().getParent();
        if (directory == null || !Files.isDirectory(directory)) {
            return List.of();
        }
        List<Path> found = new ArrayList<>();
        try (Stream<Path> entries = Files.list(directory)) {
            entries.filter(entry -> firstSeq(entry) > 0).forEach(found::add);
        }
        found.sort(Comparator.comparingLong(AuditFiles::firstSeq));
        return found;
    }

    /// All files that exist, in the order of their lines.
    List<Path> all() throws IOException {
        List<Path> files = new ArrayList<>(rotated());
        if (Files.exists(current)) {
            files.add(current);
        }
        return files;
    }

    /// The files of a log that begins with this line.
    List<Path> from(long seq) throws IOException {
        return all().stream().filter(file -> !isBefore(file, seq)).toList();
    }

    /// Removes what a log that begins with this line has no more.
    void removeBefore(long seq) throws IOException {
        List<Path> old;
        try (Stream<Path> entries = Files.list(current.resolveSibling("."))) {
            old = entries.filter(entry -> isBefore(entry, seq)).toList();
        }
        for (Path file : old) {
            Files.deleteIfExists(file);
        }
    }

    private static boolean isBefore(Path file, long seq) {
        long first = Math.max(firstSeq(file), number(TORN, file));
        return first > 0 && first < seq;
    }

    private static long firstSeq(Path file) {
        return number(ROTATED, file);
    }

    private static long number(Pattern name, Path file) {
        Matcher matcher = name.matcher(String.valueOf(file.getFileName()));
        return matcher.matches() ? Long.parseLong(matcher.group(1)) : 0;
    }
}
