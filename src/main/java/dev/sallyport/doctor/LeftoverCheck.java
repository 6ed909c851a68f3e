package dev.sallyport.doctor;

import dev.sallyport.config.Home;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What a crash may have left on this host, and that no session owns.
///
/// @param running by kind of resource (process, namespace, container), the ids of sessions that
///   they are marked with; or their own names, where they belong to none
/// @param sessions what the warden knows; empty when none runs, and then everything found waits for
///   the next one
record LeftoverCheck(
        Home home, Map<String, Supplier<Set<String>>> running, Optional<Set<String>> sessions)
        implements Check {
    private static final String REMEDY =
            "Restart the daemon to remove them: sallyport down, sallyport up";

    @Override
    public List<Finding> look() {
        Map<String, Set<String>> left = new LinkedHashMap<>();
        running.forEach((kind, ids) -> left.put(kind, unowned(ids.get())));
        if (sessions.isPresent()) {
            // Those of stopped sandboxes stay, and only the warden knows which these are.
            left.put("directory", unowned(namesIn(home.sandboxes())));
            left.put("authority", unowned(stemsIn(home.authorities())));
        }
        left.put("mount", mounts());
        left.put("socket", staleSocket());
        List<Finding> findings = new ArrayList<>();
        left.forEach((kind, found) -> finding(kind, found).ifPresent(findings::add));
        return findings.isEmpty() ? List.of(Finding.ok("leftovers", "none")) : findings;
    }

    private Optional<Finding> finding(String kind, Set<String> found) {
        if (found.isEmpty()) {
            return Optional.empty();
        }
        String which = found.size() + " (" + String.join(" ", found) + ")";
        return Optional.of(
                sessions.isPresent()
                        ? Finding.warn("leftovers: " + kind, which + " without a session", REMEDY)
                        : Finding.warn(
                                "leftovers: " + kind,
                                which + " while no daemon runs",
                                "Start the daemon to adopt or remove them: sallyport up"));
    }

    private Set<String> unowned(Set<String> found) {
        Set<String> left = new TreeSet<>(found);
        sessions.ifPresent(left::removeAll);
        return left;
    }

    private static Set<String> namesIn(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(path -> path.getFileName().toString()).collect(Collectors.toSet());
        } catch (IOException e) {
            return Set.of();
        }
    }

    private static Set<String> stemsIn(Path directory) {
        return namesIn(directory).stream()
                .map(name -> name.contains(".") ? name.substring(0, name.indexOf('.')) : name)
                .collect(Collectors.toSet());
    }

    /// Mounts of ours live in the namespaces of sandboxes; on the host there are none.
    private Set<String> mounts() {
        try {
            byte[] table = Files.readAllBytes(Path.of("/proc/self/mountinfo"));
            return new String(table, StandardCharsets.ISO_8859_1)
                    .lines()
                    .map(line -> line.split(" ", -1))
                    .filter(columns -> columns.length > 4)
                    .map(columns -> columns[4])
                    .filter(point -> point.startsWith(home.root() + "/"))
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            return Set.of();
        }
    }

    private Set<String> staleSocket() {
        Path socket = home.controlSocket();
        return sessions.isEmpty() && Files.exists(socket, LinkOption.NOFOLLOW_LINKS)
                ? Set.of(socket.toString())
                : Set.of();
    }
}
