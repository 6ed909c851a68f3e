package dev.sallyport.policy;

import java.util.Locale;
import java.util.regex.Pattern;

/// A repository as `host/owner/name`, without the `.git` suffix. Equality ignores case, as hosting
/// services do; the spelling is kept because a plain server's file system does not.
public record RepoName(HostName host, String owner, String name) {
    private static final Pattern OWNER =
            Pattern.compile("[A-Za-z0-9]([A-Za-z0-9-_.]{0,98}[A-Za-z0-9-_])?");

    /// A leading dot is taken because hosting services give `.github` a meaning.
    private static final Pattern NAME = Pattern.compile("\\.?[A-Za-z0-9_-][A-Za-z0-9-_.]{0,99}");

    private static final int LENGTH_MAX = 100;

    public RepoName {
        try {
            check(owner, name);
        } catch (MalformedNameException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /// Parses `host/owner/name`; a trailing `.git` is refused so that each repository has one name.
    public static RepoName parse(String text) throws MalformedNameException {
        String[] parts = text.split("/", -1);
        if (parts.length != 3) {
            throw new MalformedNameException("a repository is written host/owner/name");
        }
        return of(HostName.parse(parts[0]), parts[1], parts[2]);
    }

    public static RepoName of(HostName host, String owner, String name)
            throws MalformedNameException {
        check(owner, name);
        return new RepoName(host, owner, name);
    }

    private static void check(String owner, String name) throws MalformedNameException {
        if (!isOwner(owner)) {
            throw new MalformedNameException(
                    "an owner is made of letters, digits, hyphens, dots and underscores");
        }
        if (!isName(name)) {
            throw new MalformedNameException(
                    "a repository name is made of letters, digits, hyphens, dots and underscores, and does not end in .git");
        }
    }

    static boolean isOwner(String owner) {
        return OWNER.matcher(owner).matches()
                && !owner.contains("..")
                && !endsLikeGitInternals(owner);
    }

    static boolean isName(String name) {
        return name.length() <= LENGTH_MAX
                && NAME.matcher(name).matches()
                && !name.contains("..")
                && !endsLikeGitInternals(name);
    }

    private static boolean endsLikeGitInternals(String segment) {
        String lower = segment.toLowerCase(Locale.ROOT);
        return lower.endsWith(".git") || lower.endsWith(".lock") || lower.endsWith(".");
    }

    /// What equality is judged by, and what records show.
    public String key() {
        return (host.value() + "/" + owner + "/" + name).toLowerCase(Locale.ROOT);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RepoName that && key().equals(that.key());
    }

    @Override
    public int hashCode() {
        return key().hashCode();
    }

    @Override
    public String toString() {
        return key();
    }
}
