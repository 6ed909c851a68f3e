package dev.sallyport.workspace;

import dev.sallyport.confine.HeldFile;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.RepoName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a workspace says about the repository it is a clone of. The person is shown it before it is
/// used, because the workspace may have been written by an agent (I7).
public sealed interface Origin {
    /// Not a clone, or a clone without `origin`.
    record None() implements Origin {}

    /// There is an `origin`, and it cannot be used.
    ///
    /// @param why the rest of a sentence that begins with "the origin of this workspace"; never
    ///   holds the URL, which may hold a password
    record Unusable(String why) implements Origin {}

    record Found(RepoName repo) implements Origin {}

    int CONFIG_BYTES_MAX = 1 << 20;

    static Origin of(Path workspace) {
        Path dotGit = workspace.resolve(".git");
        if (!Files.exists(dotGit, LinkOption.NOFOLLOW_LINKS)) {
            return new None();
        }
        if (!Files.isDirectory(dotGit, LinkOption.NOFOLLOW_LINKS)) {
            return new Unusable("is outside it (a linked worktree or a submodule)");
        }
        return read(dotGit.resolve("config"));
    }

    private static Origin read(Path config) {
        if (!Files.isRegularFile(config, LinkOption.NOFOLLOW_LINKS)) {
            return new None();
        }
        try {
            BasicFileAttributes is =
                    Files.readAttributes(
                            config, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            try (InputStream in = HeldFile.open(config, is.fileKey())) {
                byte[] bytes = in.readNBytes(CONFIG_BYTES_MAX + 1);
                return bytes.length > CONFIG_BYTES_MAX
                        ? new Unusable("cannot be read: .git/config is larger than 1 MiB")
                        : parse(new String(bytes, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            return new Unusable("cannot be read: .git/config is not readable");
        }
    }

    /// What a URL would name as an origin.
    static Origin ofUrl(String url) {
        return OriginUrl.parse(url);
    }

    static Origin parse(String config) {
        try {
            List<String> urls =
                    GitConfigText.parse(config).stream()
                            .filter(Origin::isOriginUrl)
                            .map(GitConfigText.Entry::value)
                            .distinct()
                            .toList();
            return switch (urls.size()) {
                case 0 -> new None();
                case 1 -> OriginUrl.parse(urls.getFirst());
                default -> new Unusable("has more than one URL");
            };
        } catch (GitConfigText.MalformedException e) {
            return new Unusable("cannot be read: in .git/config, " + e.getMessage());
        }
    }

    private static boolean isOriginUrl(GitConfigText.Entry entry) {
        return entry.section().equals("remote")
                && entry.subsection().equals("origin")
                && entry.key().equals("url");
    }
}

/// The spellings of a remote that name a repository on a git host.
final class OriginUrl {
    private static final Pattern HTTPS =
            Pattern.compile(
                    "https://(?<user>[A-Za-z0-9._~%:+=-]*@)?(?<host>[^/:@]+)(:443)?/(?<path>.*)");
    private static final Pattern SSH =
            Pattern.compile(
                    "ssh://(?<user>[A-Za-z0-9._~%:+=-]*@)?(?<host>[^/:@]+)(:22)?/(?<path>.*)");
    private static final Pattern SCP =
            Pattern.compile("(?<user>[A-Za-z0-9._-]*@)?(?<host>[^/:@]+):(?!/?/)/?(?<path>.*)");

    static Origin parse(String url) {
        for (Pattern form : List.of(HTTPS, SSH, SCP)) {
            Matcher matcher = form.matcher(url);
            if (matcher.matches()) {
                return repo(matcher.group("host"), matcher.group("path"));
            }
        }
        return new Origin.Unusable("is not an https or ssh URL of a git host on the default port");
    }

    private static Origin repo(String host, String path) {
        String trimmed = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        String bare =
                trimmed.endsWith(".git") ? trimmed.substring(0, trimmed.length() - 4) : trimmed;
        int slash = bare.lastIndexOf('/');
        try {
            if (slash < 0) {
                return new Origin.Unusable("is not of the form host/owner/name");
            }
            HostName name = HostName.parse(host.toLowerCase(Locale.ROOT));
            return new Origin.Found(
                    RepoName.of(name, bare.substring(0, slash), bare.substring(slash + 1)));
        } catch (MalformedNameException e) {
            return new Origin.Unusable("has an unusual name: " + e.getMessage());
        }
    }
}
