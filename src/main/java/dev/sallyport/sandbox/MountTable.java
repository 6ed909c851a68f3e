package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The kernel's table of mounts as one process sees it: which part of which file system is really
/// at a path, however many names it has.
record MountTable(List<Entry> entries) {
    /// Columns of `/proc/PID/mountinfo`; see proc(5). Optional ones stand before a `-`.
    private static final int DEVICE = 2;

    private static final int ROOT = 3;
    private static final int POINT = 4;
    private static final int OPTIONAL = 6;

    private static final Pattern ESCAPE = Pattern.compile("\\\\([0-7]{3})");

    /// @param root what of the file system is mounted
    /// @param point where
    /// @param type of the file system
    record Entry(String device, String root, String point, String type) {}

    /// A file by its device and its path in that device's file system.
    record Location(String device, String path) {
        boolean isWithin(Location other) {
            return device.equals(other.device) && isIn(path, other.path);
        }
    }

    /// @param process a number, or `self`
    static MountTable of(String process) throws IOException {
        // Names of other mounts need not be UTF-8.
        byte[] table = Files.readAllBytes(Path.of("/proc", process, "mountinfo"));
        return parse(new String(table, StandardCharsets.UTF_8));
    }

    static MountTable parse(String table) {
        return new MountTable(table.lines().map(MountTable::entry).toList());
    }

    private static Entry entry(String line) {
        String[] column = line.split(" ", -1);
        int end = Arrays.asList(column).subList(OPTIONAL, column.length).indexOf("-") + OPTIONAL;
        return new Entry(
                column[DEVICE], unescaped(column[ROOT]), unescaped(column[POINT]), column[end + 1]);
    }

    /// What is mounted at exactly this path.
    Optional<Location> at(Path point) {
        return entries.stream()
                .filter(entry -> entry.point.equals(point.toString()))
                .reduce((_, last) -> last)
                .map(entry -> new Location(entry.device, entry.root));
    }

    /// Where a path lies that exists, by the innermost mount that it is in.
    Optional<Location> locate(Path path) {
        return innermost(path)
                .map(entry -> new Location(entry.device, below(entry, path.toString())));
    }

    Optional<Entry> innermost(Path path) {
        return entries.stream()
                .filter(entry -> isIn(path.toString(), entry.point))
                .reduce((a, b) -> b.point.length() >= a.point.length() ? b : a);
    }

    /// Mounts that come along when a directory is mounted elsewhere.
    List<Path> pointsIn(Path directory) {
        return entries.stream()
                .map(Entry::point)
                .filter(point -> isIn(point, directory.toString()))
                .distinct()
                .map(Path::of)
                .toList();
    }

    private static boolean isIn(String path, String directory) {
        return directory.equals("/") || path.equals(directory) || path.startsWith(directory + "/");
    }

    private static String below(Entry entry, String path) {
        String rest = entry.point.equals("/") ? path : path.substring(entry.point.length());
        return entry.root.equals("/") && !rest.isEmpty() ? rest : entry.root + rest;
    }

    /// Blanks and backslashes are written as three octal digits.
    private static String unescaped(String column) {
        return ESCAPE.matcher(column)
                .replaceAll(
                        match ->
                                Matcher.quoteReplacement(
                                        Character.toString(Integer.parseInt(match.group(1), 8))));
    }
}
