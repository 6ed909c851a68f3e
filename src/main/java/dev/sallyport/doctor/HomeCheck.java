package dev.sallyport.doctor;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Whether Sallyport's own directory and what is in it belong to us alone.
record HomeCheck(Home home) implements Check {
    private static final int FINDINGS_MAX = 20;

    @Override
    public List<Finding> look() {
        if (home.lodging().isPresent()) {
            return List.of(lodged(home.lodging().get()));
        }
        if (!Files.exists(home.root(), LinkOption.NOFOLLOW_LINKS)) {
            return List.of(
                    Finding.ok(
                            "home",
                            home.root() + " does not exist yet; it is created when needed"));
        }
        List<Finding> bad = new ArrayList<>();
        require(bad, () -> Ownership.requireSafeAncestors(home.root()));
        for (Path directory : directories()) {
            if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
                require(bad, () -> Ownership.requirePrivateDirectory(directory));
            }
        }
        if (bad.isEmpty()) {
            files(bad);
        }
        return bad.isEmpty()
                ? List.of(Finding.ok("home", home.root() + " is open to you only"))
                : bad.subList(0, Math.min(bad.size(), FINDINGS_MAX));
    }

    /// What is in it is root's to look at.
    private static Finding lodged(Path lodging) {
        List<Finding> bad = new ArrayList<>();
        require(bad, () -> Ownership.requireSafeAncestors(lodging));
        require(bad, () -> Ownership.requireRootsDirectory(lodging));
        return bad.isEmpty()
                ? Finding.ok("home", lodging + " is kept by root for you")
                : bad.getFirst();
    }

    private List<Path> directories() {
        return List.of(
                home.root(),
                home.secrets(),
                home.authorities(),
                home.auditDirectory(),
                home.run(),
                home.nativeLibraries(),
                home.sandboxes());
    }

    private void files(List<Finding> bad) {
        List<Path> closed = new ArrayList<>();
        for (Path directory : List.of(home.secrets(), home.authorities(), home.auditDirectory())) {
            require(bad, () -> closed.addAll(regular(directory)));
        }
        closed.add(home.database());
        closed.add(home.wardenLog());
        for (Path file : closed) {
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
                require(bad, () -> Ownership.requirePrivateFile(file));
            }
        }
        if (Files.exists(home.policyFile(), LinkOption.NOFOLLOW_LINKS)) {
            require(bad, () -> Ownership.requireUnforgeableFile(home.policyFile()));
        }
    }

    private static List<Path> regular(Path directory) throws IOException {
        List<Path> files = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
                for (Path entry : entries) {
                    if (!Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                        files.add(entry);
                    }
                }
            }
        }
        return files;
    }

    private interface Requirement {
        void check() throws IOException;
    }

    private static void require(List<Finding> bad, Requirement requirement) {
        try {
            requirement.check();
        } catch (ConfigException e) {
            bad.add(Finding.fail("home", e.problem(), e.remedy()));
        } catch (IOException e) {
            bad.add(Finding.fail("home", "cannot be checked: " + e.getMessage(), "See: ls -la"));
        }
    }
}
