package dev.sallyport.agent;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The secret of the client that an agent is to its vendor's login. A program that everybody can
/// install cannot keep one; still the endpoint wants it. It is read from the program, so that it is
/// the one of that program, and no vendor's value stands in ours.
public final class PublishedClient {
    private static final int FILES_MAX = 10_000;
    private static final int DEPTH_MAX = 16;
    private static final int FILE_BYTES_MAX = 64 << 20;

    private PublishedClient() {}

    /// Empty when it is not there, or when there are several and nobody knows which.
    ///
    /// @param form what it looks like
    public static Optional<String> secret(FoundProgram program, Pattern form) throws IOException {
        Set<String> found = new HashSet<>();
        for (Path script : scripts(packageOf(program.file()))) {
            Matcher match = form.matcher(text(script));
            while (match.find()) {
                found.add(match.group());
            }
        }
        return found.size() == 1 ? found.stream().findFirst() : Optional.empty();
    }

    /// Of npm, else the program itself.
    private static Path packageOf(Path file) {
        return Stream.iterate(file.getParent(), Objects::nonNull, Path::getParent)
                .filter(directory -> Files.isRegularFile(directory.resolve("package.json")))
                .findFirst()
                .orElse(file);
    }

    private static List<Path> scripts(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root, DEPTH_MAX)) {
            return files.filter(file -> file.toString().endsWith(".js"))
                    .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .limit(FILES_MAX)
                    .toList();
        }
    }

    private static String text(Path script) throws IOException {
        try (InputStream in = Files.newInputStream(script)) {
            return new String(in.readNBytes(FILE_BYTES_MAX), StandardCharsets.ISO_8859_1);
        }
    }
}
