package dev.sallyport.workspace;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// Changed build files in one line that a person can read, whatever a package manager has put
/// there: many files of one name below one directory are one entry. A file that stands alone is
/// always named, so none can be lost among others.
public final class PathGroups {
    /// Entries; and so many files are named without groups.
    private static final int SHOWN_MAX = 5;

    /// So many of one name below one directory stand alone.
    private static final int ALONE_MAX = 2;

    private static final Path HERE = Path.of("");

    private PathGroups() {}

    /// One entry.
    ///
    /// @param files how many it stands for
    private record Entry(String text, int files) {
        static Entry alone(Path path) {
            return new Entry(path.toString(), 1);
        }

        boolean isAlone() {
            return files == 1;
        }
    }

    /// A file by what it is grouped by. A directory such as `.mvn` stands for the files in it.
    ///
    /// @param directory in which there is something of this name
    private record Named(Path file, Path directory, String name) {
        static Named of(Path file) {
            for (int i = 0; i < file.getNameCount() - 1; i++) {
                if (TriggerNames.BUILD_DIRECTORIES.contains(file.getName(i).toString())) {
                    Path directory = i == 0 ? HERE : file.subpath(0, i);
                    return new Named(file, directory, file.getName(i) + "/**");
                }
            }
            Path parent = file.getParent();
            return new Named(file, parent == null ? HERE : parent, file.getFileName().toString());
        }

        /// The first directory on the way; empty for what is in the workspace itself.
        Path top() {
            return directory.getName(0);
        }
    }

    /// All of them, in a line.
    ///
    /// @param known relative paths of files that were there before; they are shown first, all of
    ///   them, and apart from new ones
    /// @param fresh of the others
    public static String text(Set<Path> known, Set<Path> fresh) {
        boolean few = known.size() + fresh.size() <= SHOWN_MAX;
        return text(few ? alone(known) : entries(known), few ? alone(fresh) : entries(fresh));
    }

    private static List<Entry> alone(Set<Path> files) {
        return files.stream().map(Entry::alone).toList();
    }

    /// Those of files that were there before are all shown.
    private static String text(List<Entry> known, List<Entry> fresh) {
        List<Entry> shown = new ArrayList<>(known);
        fresh.stream().filter(Entry::isAlone).forEach(shown::add);
        fresh.stream()
                .filter(entry -> !entry.isAlone())
                .limit(Math.max(0, SHOWN_MAX - shown.size()))
                .forEach(shown::add);
        int more = files(known) + files(fresh) - files(shown);
        return shown.stream().map(Entry::text).collect(Collectors.joining(", "))
                + (more > 0 ? " and " + more + " more" : "");
    }

    private static int files(List<Entry> entries) {
        return entries.stream().mapToInt(Entry::files).sum();
    }

    private static List<Entry> entries(Set<Path> files) {
        List<Entry> entries = new ArrayList<>();
        files.stream()
                .map(Named::of)
                .collect(Collectors.groupingBy(Named::name, TreeMap::new, Collectors.toList()))
                .forEach((_, named) -> entries.addAll(ofName(named)));
        return entries;
    }

    /// What is in the workspace itself, of each directory there, and of what is left of them.
    private static List<Entry> ofName(List<Named> files) {
        List<Entry> entries = new ArrayList<>();
        List<Named> rest = new ArrayList<>();
        Map<Path, List<Named>> tops =
                files.stream()
                        .collect(
                                Collectors.groupingBy(
                                        Named::top, TreeMap::new, Collectors.toList()));
        tops.forEach(
                (top, below) -> {
                    if (below.size() > ALONE_MAX || top.equals(HERE)) {
                        entries.addAll(together(below));
                    } else {
                        rest.addAll(below);
                    }
                });
        entries.addAll(together(rest));
        return entries;
    }

    private static List<Entry> together(List<Named> files) {
        if (files.size() <= ALONE_MAX) {
            return files.stream().map(named -> Entry.alone(named.file())).toList();
        }
        Path common = files.stream().map(Named::directory).reduce(PathGroups::common).orElse(HERE);
        boolean same = files.stream().allMatch(named -> named.directory().equals(common));
        Path pattern = common.resolve(same ? "" : "**").resolve(files.getFirst().name());
        return List.of(new Entry(pattern + " (" + files.size() + " files)", files.size()));
    }

    private static Path common(Path one, Path other) {
        int length = Math.min(one.getNameCount(), other.getNameCount());
        int same = 0;
        while (same < length && one.getName(same).equals(other.getName(same))) {
            same++;
        }
        return same == 0 ? HERE : one.subpath(0, same);
    }
}
