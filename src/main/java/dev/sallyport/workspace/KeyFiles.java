package dev.sallyport.workspace;

import dev.sallyport.confine.HeldFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Finds files of a workspace that people keep credentials in, by their names, and by what they
/// begin with where the name says too little. Directories that tools fill are left out.
public final class KeyFiles extends SimpleFileVisitor<Path> {
    /// A file that seems to hold a key.
    ///
    /// @param path relative to the workspace
    /// @param names hard links to it, the file itself included
    public record KeyFile(Path path, int names) {}

    private static final int ENTRIES_MAX = 100_000;
    private static final Duration TIME_MAX = Duration.ofSeconds(2);
    private static final int FOUND_MAX = 100;
    private static final int HEAD_BYTES = 1 << 16;

    private static final Set<String> LEFT_OUT =
            Set.of(
                    ".git",
                    ".gradle",
                    ".tox",
                    ".venv",
                    "__pycache__",
                    "build",
                    "dist",
                    "node_modules",
                    "target",
                    "venv");

    private static final Pattern BY_NAME =
            Pattern.compile(
                    "(?i)\\.env(\\..+)?|id_(rsa|dsa|ecdsa|ed25519)|.*\\.(p12|pfx|jks|keystore)"
                            + "|credentials\\.json|service-account.*\\.json|\\.pypirc|[._]netrc"
                            + "|kubeconfig|terraform\\.tfstate(\\.backup)?|secrets\\.ya?ml"
                            + "|\\.git-credentials");

    /// What is meant to be copied and filled in.
    private static final Pattern HARMLESS =
            Pattern.compile("(?i)\\.env\\.(example|sample|template|dist|defaults)");

    private static final Pattern KEY_NAME = Pattern.compile("(?i).*\\.(pem|key)");
    private static final Pattern KEY_TEXT = Pattern.compile("-----BEGIN [A-Z ]*PRIVATE KEY");
    private static final Pattern NPM_TEXT = Pattern.compile("_(authToken|auth|password)\\s*=");

    private final Path workspace;
    private final long deadlineNanos = System.nanoTime() + TIME_MAX.toNanos();
    private final List<KeyFile> found = new ArrayList<>();
    private int entries;
    private boolean partial;

    private KeyFiles(Path workspace) {
        this.workspace = workspace;
    }

    public static KeyFiles in(Path workspace) {
        KeyFiles search = new KeyFiles(workspace);
        try {
            Files.walkFileTree(workspace, search);
        } catch (IOException e) {
            search.partial = true;
        }
        return search;
    }

    /// In one order on every file system.
    public List<KeyFile> found() {
        return found.stream().sorted(Comparator.comparing(KeyFile::path)).toList();
    }

    /// Whether something was not looked at.
    public boolean isPartial() {
        return partial;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
        Path name = directory.getFileName();
        return name != null && !directory.equals(workspace) && LEFT_OUT.contains(name.toString())
                ? FileVisitResult.SKIP_SUBTREE
                : next();
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
        if (attributes.isRegularFile() && isKeyFile(file)) {
            found.add(
                    new KeyFile(
                            workspace.relativize(file),
                            (int) Files.getAttribute(file, "unix:nlink")));
        }
        return next();
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
        partial = true;
        return next();
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
        partial |= e != null;
        return FileVisitResult.CONTINUE;
    }

    private FileVisitResult next() {
        if (++entries > ENTRIES_MAX
                || found.size() >= FOUND_MAX
                || System.nanoTime() - deadlineNanos > 0) {
            partial = true;
            return FileVisitResult.TERMINATE;
        }
        return FileVisitResult.CONTINUE;
    }

    private static boolean isKeyFile(Path file) {
        String name = file.getFileName().toString();
        if (BY_NAME.matcher(name).matches()) {
            return !HARMLESS.matcher(name).matches();
        }
        if (KEY_NAME.matcher(name).matches()) {
            return KEY_TEXT.matcher(head(file)).find();
        }
        return name.equals(".npmrc") && NPM_TEXT.matcher(head(file)).find();
    }

    /// What we cannot read, the sandbox cannot either.
    private static String head(Path file) {
        try (InputStream in = HeldFile.open(file)) {
            return new String(in.readNBytes(HEAD_BYTES), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
