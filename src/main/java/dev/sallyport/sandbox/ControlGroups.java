package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Where on this machine we may make groups of processes that the kernel holds to limits together
/// (cgroups(7)), one place for each controller.
///
/// Root uses the top of a hierarchy, as container engines do, so that a group does not depend on
/// where the warden was started. Anybody else has what was delegated to them: their own group or
/// one above it. Both versions are known, and machines that mix them.
public record ControlGroups(Map<Controller, Place> places) {
    /// What limits one thing.
    public enum Controller {
        MEMORY,
        CPU,
        PIDS;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// @param directory in which groups are made
    /// @param unified whether it is version 2
    record Place(Path directory, boolean unified) {}

    /// A mounted hierarchy.
    ///
    /// @param root which of its groups is at the top
    private record Hierarchy(Path root, Path point, boolean unified, Set<String> options) {}

    /// Columns of `/proc/PID/mountinfo` as [MountTable] counts them.
    private static final int ROOT = 3;

    private static final int POINT = 4;

    static final String PROCESSES = "cgroup.procs";
    private static final String CONTROLLERS = "cgroup.controllers";
    private static final String ENABLED = "cgroup.subtree_control";
    private static final String TYPE = "cgroup.type";

    public ControlGroups {
        places = Map.copyOf(places);
    }

    /// Empty when not all three limits can be held here. Changes nothing.
    public static Optional<ControlGroups> find() {
        try {
            return of(read("/proc/self/mountinfo"), read("/proc/self/cgroup"));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// Names of other mounts need not be UTF-8.
    private static String read(String file) throws IOException {
        return new String(Files.readAllBytes(Path.of(file)), StandardCharsets.ISO_8859_1);
    }

    /// @param membership as in `/proc/PID/cgroup`
    static Optional<ControlGroups> of(String mounts, String membership) {
        List<Hierarchy> hierarchies =
                mounts.lines().map(ControlGroups::hierarchy).flatMap(Optional::stream).toList();
        Map<Controller, Place> places = new EnumMap<>(Controller.class);
        for (Controller controller : EnumSet.allOf(Controller.class)) {
            hierarchies.stream()
                    .filter(one -> has(one, controller))
                    .flatMap(one -> candidates(one, controller, membership).stream())
                    .filter(place -> isUsable(place, controller))
                    .findFirst()
                    .ifPresent(place -> places.put(controller, place));
        }
        return places.size() == Controller.values().length
                ? Optional.of(new ControlGroups(places))
                : Optional.empty();
    }

    private static Optional<Hierarchy> hierarchy(String line) {
        String[] halves = line.split(" - ", 2);
        String[] mount = halves[0].split(" ", -1);
        if (halves.length < 2 || !halves[1].startsWith("cgroup")) {
            return Optional.empty();
        }
        String[] type = halves[1].split(" ", -1);
        return Optional.of(
                new Hierarchy(
                        Path.of(mount[ROOT]),
                        Path.of(mount[POINT]),
                        type[0].equals("cgroup2"),
                        Set.copyOf(List.of(type[type.length - 1].split(",", -1)))));
    }

    /// The unified hierarchy has what no other has taken; its files say what that is.
    private static boolean has(Hierarchy hierarchy, Controller controller) {
        return hierarchy.unified
                ? words(hierarchy.point.resolve(CONTROLLERS)).contains(controller.label())
                : hierarchy.options.contains(controller.label());
    }

    private static List<Place> candidates(
            Hierarchy hierarchy, Controller controller, String membership) {
        List<Place> places = new ArrayList<>();
        places.add(new Place(hierarchy.point, hierarchy.unified));
        Path own = hierarchy.root.relativize(own(hierarchy, controller, membership)).normalize();
        for (Path path = own; path != null && !path.startsWith(".."); path = path.getParent()) {
            places.add(new Place(hierarchy.point.resolve(path), hierarchy.unified));
        }
        return places;
    }

    private static Path own(Hierarchy hierarchy, Controller controller, String membership) {
        return membership
                .lines()
                .map(line -> line.split(":", 3))
                .filter(field -> field.length == 3)
                .filter(
                        field ->
                                hierarchy.unified
                                        ? field[0].equals("0")
                                        : List.of(field[1].split(",", -1))
                                                .contains(controller.label()))
                // Outside of the namespace that is shown, and out of reach.
                .filter(field -> !field[2].contains(".."))
                .map(field -> Path.of(field[2]))
                .findFirst()
                .orElse(hierarchy.root);
    }

    /// A process may be moved into a group below this one by whoever may write its list.
    private static boolean isUsable(Place place, Controller controller) {
        return Files.isWritable(place.directory)
                && Files.isWritable(place.directory.resolve(PROCESSES))
                && (!place.unified
                        || isEnabled(place.directory, controller)
                        || canEnable(place.directory, controller));
    }

    private static boolean isEnabled(Path directory, Controller controller) {
        return words(directory.resolve(ENABLED)).contains(controller.label());
    }

    /// The kernel refuses it for a group that has processes of its own, except the one at the top
    /// of the machine, which alone has no type.
    private static boolean canEnable(Path directory, Controller controller) {
        return words(directory.resolve(CONTROLLERS)).contains(controller.label())
                && Files.isWritable(directory.resolve(ENABLED))
                && (!Files.exists(directory.resolve(TYPE)) || isEmpty(directory));
    }

    private static boolean isEmpty(Path directory) {
        try {
            return Files.readString(directory.resolve(PROCESSES)).isEmpty();
        } catch (IOException e) {
            return false;
        }
    }

    /// Version 2 gives controllers to groups below only when told.
    void enable() throws IOException {
        Map<Controller, Place> missing = new EnumMap<>(Controller.class);
        places.forEach(
                (controller, place) -> {
                    if (place.unified && !isEnabled(place.directory, controller)) {
                        missing.put(controller, place);
                    }
                });
        for (var entry : missing.entrySet()) {
            Path enabled = entry.getValue().directory.resolve(ENABLED);
            Files.writeString(enabled, "+" + entry.getKey().label());
        }
    }

    private static Set<String> words(Path file) {
        try {
            return Arrays.stream(Files.readString(file).strip().split("\\s+", -1))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            return Set.of();
        }
    }
}
