package dev.sallyport.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/// Finds credentials that a workspace carries in its own `.git/config` (I11). The sandbox could
/// read them, and nothing that the gateway does would help.
final class WorkspaceCredentials {
    private static final Pattern WEB_USER = Pattern.compile("(?i)https?://[^/@\\s]+@.*");
    private static final Pattern PASSWORD =
            Pattern.compile("(?i)[a-z+]+://[^/@:\\s]*:[^/@\\s]+@.*");

    private WorkspaceCredentials() {}

    /// The configuration keys that hold one, without their values.
    static List<String> keysIn(Path workspace) {
        Path config = workspace.resolve(".git").resolve("config");
        try {
            if (!Files.isRegularFile(config, LinkOption.NOFOLLOW_LINKS)
                    || Files.size(config) > Origin.CONFIG_BYTES_MAX) {
                return List.of();
            }
            return keysIn(new String(Files.readAllBytes(config), StandardCharsets.UTF_8));
        } catch (IOException e) {
            return List.of();
        }
    }

    static List<String> keysIn(String config) {
        try {
            return GitConfigText.parse(config).stream()
                    .filter(WorkspaceCredentials::holdsCredential)
                    .map(WorkspaceCredentials::name)
                    .distinct()
                    .toList();
        } catch (GitConfigText.MalformedException e) {
            return List.of();
        }
    }

    private static boolean holdsCredential(GitConfigText.Entry entry) {
        return entry.key().equals("extraheader")
                || isUrlWithCredential(entry.value())
                || isUrlWithCredential(entry.subsection());
    }

    private static boolean isUrlWithCredential(String text) {
        return WEB_USER.matcher(text).matches() || PASSWORD.matcher(text).matches();
    }

    private static String name(GitConfigText.Entry entry) {
        boolean secretive = isUrlWithCredential(entry.subsection());
        String subsection = secretive ? "(url)" : entry.subsection();
        return entry.section() + (subsection.isEmpty() ? "" : "." + subsection) + "." + entry.key();
    }
}
