package dev.sallyport.warden;

import dev.sallyport.config.Home;
import dev.sallyport.sandbox.CommandLines;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// The working directories of an installation's gateways, with the sockets in them.
public final class GatewayDirectories {
    private GatewayDirectories() {}

    /// How their names begin where those of several installations lie side by side.
    static String prefix(String tag) {
        return "gateway-" + tag + "-";
    }

    /// Those that no gateway works in; empty when they cannot be listed.
    public static Set<String> abandoned(Home home) {
        return abandoned(GatewayAccount.of(Patron.own(home)));
    }

    static Set<String> abandoned(GatewayAccount account) {
        Set<String> found = new TreeSet<>();
        try {
            all(account.parent(), account.prefix()).forEach(path -> found.add(path.toString()));
            if (!found.isEmpty()) {
                found.removeAll(inUse(account.parent()));
            }
            return found;
        } catch (IOException e) {
            return Set.of();
        }
    }

    /// Removes what the gateways of a tag have left, unless one of them still works.
    ///
    /// @return whether nothing is left
    static boolean remove(Path parent, String tag) throws IOException {
        List<Path> left = all(parent, prefix(tag));
        Set<String> inUse = left.isEmpty() ? Set.of() : inUse(parent);
        if (left.stream().anyMatch(directory -> inUse.contains(directory.toString()))) {
            return false;
        }
        for (Path directory : left) {
            SecureRemoval.remove(directory);
        }
        return true;
    }

    static List<Path> all(Path parent, String prefix) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(parent, prefix + "????")) {
            for (Path directory : all) {
                if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                    found.add(directory);
                }
            }
        }
        return found;
    }

    /// Every gateway is told its directory on its command line.
    private static Set<String> inUse(Path parent) throws IOException {
        Set<String> used = new TreeSet<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
            for (Path process : all) {
                words(process).stream()
                        .filter(word -> word.startsWith(parent + "/"))
                        .forEach(used::add);
            }
        }
        return used;
    }

    private static List<String> words(Path process) {
        try {
            return CommandLines.of(process);
        } catch (IOException e) {
            return List.of();
        }
    }
}
