package dev.sallyport.warden;

import dev.sallyport.config.Home;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// The working directories of an installation's gateways, with the sockets in them.
public final class GatewayDirectories {
    private GatewayDirectories() {}

    /// Those that no gateway works in; empty when they cannot be listed.
    public static Set<String> abandoned(Home home) {
        return abandoned(GatewayAccount.of(Patron.own(home)));
    }

    static Set<String> abandoned(GatewayAccount account) {
        Set<String> found = new TreeSet<>();
        try (DirectoryStream<Path> all =
                Files.newDirectoryStream(account.parent(), account.prefix() + "????")) {
            all.forEach(directory -> found.add(directory.toString()));
        } catch (IOException e) {
            return Set.of();
        }
        if (!found.isEmpty()) {
            found.removeAll(inUse());
        }
        return found;
    }

    /// Every gateway is told its directory on its command line.
    private static Set<String> inUse() {
        Set<String> words = new TreeSet<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
            for (Path process : all) {
                words.addAll(words(process));
            }
        } catch (IOException e) {
            return words;
        }
        return words;
    }

    private static List<String> words(Path process) {
        try {
            byte[] line = Files.readAllBytes(process.resolve("cmdline"));
            return List.of(new String(line, StandardCharsets.UTF_8).split("\0", -1));
        } catch (IOException e) {
            return List.of();
        }
    }
}
