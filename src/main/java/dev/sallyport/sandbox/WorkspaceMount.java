package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a sandbox was really given as its workspace.
///
/// A path is checked, and mounted a moment later by another program. Whoever can write a directory
/// above it, as a sandbox can whose own workspace contains this one, could put a symbolic link
/// there in between. The kernel's table of mounts names the directory that was mounted, whatever
/// its path leads to by now.
public final class WorkspaceMount {
    /// Columns of `/proc/PID/mountinfo`; see proc(5).
    private static final int DEVICE = 2;

    private static final int ROOT = 3;
    private static final int POINT = 4;

    private static final Pattern ESCAPE = Pattern.compile("\\\\([0-7]{3})");

    private record Mount(String device, String root, String point) {}

    private WorkspaceMount() {}

    /// Refuses a sandbox whose workspace is another directory than the one of that name.
    public static void require(long pid, Path workspace) throws SandboxException {
        String path = workspace.toString();
        try {
            Optional<Mount> inside =
                    mounts(Long.toString(pid)).stream()
                            .filter(mount -> mount.point.equals(path))
                            .reduce((_, last) -> last);
            if (!inside.equals(expected(mounts("self"), path))) {
                throw new SandboxException(
                        "the directory "
                                + workspace
                                + " was replaced while it was mounted. See what else writes there, and try again.");
            }
        } catch (IOException e) {
            throw new SandboxException("the mounts of the sandbox cannot be read.", e);
        }
    }

    private static Optional<Mount> expected(List<Mount> ours, String path) {
        return ours.stream()
                .filter(mount -> isIn(path, mount.point))
                .reduce((a, b) -> b.point.length() >= a.point.length() ? b : a)
                .map(mount -> new Mount(mount.device, below(mount, path), path));
    }

    private static boolean isIn(String path, String point) {
        return point.equals("/") || path.equals(point) || path.startsWith(point + "/");
    }

    private static String below(Mount mount, String path) {
        String rest = mount.point.equals("/") ? path : path.substring(mount.point.length());
        return mount.root.equals("/") && !rest.isEmpty() ? rest : mount.root + rest;
    }

    private static List<Mount> mounts(String process) throws IOException {
        Path table = Path.of("/proc", process, "mountinfo");
        // Names of other mounts need not be UTF-8.
        return new String(Files.readAllBytes(table), StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.split(" ", -1))
                .map(
                        column ->
                                new Mount(
                                        column[DEVICE],
                                        unescaped(column[ROOT]),
                                        unescaped(column[POINT])))
                .toList();
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
