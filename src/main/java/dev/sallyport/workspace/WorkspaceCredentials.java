package dev.sallyport.workspace;

import java.util.List;
import java.util.regex.Pattern;

/// Finds credentials that a workspace carries in its own git configuration (I11). The sandbox could
/// read them, and nothing that the gateway does would help.
public final class WorkspaceCredentials {
    private static final Pattern WEB_USER = Pattern.compile("(?i)https?://[^/@\\s]+@.*");
    private static final Pattern PASSWORD =
            Pattern.compile("(?i)[a-z+]+://[^/@:\\s]*:[^/@\\s]+@.*");

    private WorkspaceCredentials() {}

    /// The configuration keys that hold one, without their values.
    public static List<String> keysIn(List<GitConfigText.Entry> entries) {
        return entries.stream()
                .filter(WorkspaceCredentials::holdsCredential)
                .map(WorkspaceCredentials::name)
                .distinct()
                .toList();
    }

    private static boolean holdsCredential(GitConfigText.Entry entry) {
        return entry.key().equals("extraheader")
                || isUrlWithCredential(entry.value())
                || isUrlWithCredential(entry.subsection());
    }

    private static boolean isUrlWithCredential(String text) {
        return WEB_USER.matcher(text).matches() || PASSWORD.matcher(text).matches();
    }

    /// The key, fit to be shown: a subsection can be a URL with a password.
    static String name(GitConfigText.Entry entry) {
        boolean secretive = isUrlWithCredential(entry.subsection());
        String subsection = secretive ? "(url)" : entry.subsection();
        return entry.section() + (subsection.isEmpty() ? "" : "." + subsection) + "." + entry.key();
    }
}
