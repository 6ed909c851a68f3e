package dev.sallyport.policy;

import java.util.List;
import java.util.Locale;

/// The paths of git's smart HTTP and of its large files. They are served by the git door and by no
/// other, for no host, so that what is judged there cannot be had here (G15, G16).
final class GitEndpoint {
    private static final String INFO = "info";

    private GitEndpoint() {}

    /// Whether some server could take it for one, ignoring case, parameters and a last slash.
    static boolean is(UrlPath path) {
        List<String> words =
                path.segments().stream()
                        .map(segment -> segment.split(";", 2)[0].toLowerCase(Locale.ROOT))
                        .filter(word -> !word.isEmpty())
                        .toList();
        if (words.isEmpty()) {
            return false;
        }
        for (int i = 0; i + 1 < words.size(); i++) {
            if (words.get(i).equals(INFO) && words.get(i + 1).equals("lfs")) {
                return true;
            }
        }
        return switch (words.getLast()) {
            case "git-upload-pack", "git-receive-pack", "git-upload-archive" -> true;
            case "refs" -> words.size() > 1 && words.get(words.size() - 2).equals(INFO);
            default -> false;
        };
    }
}
