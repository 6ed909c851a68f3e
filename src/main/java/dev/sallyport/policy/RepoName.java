package dev.sallyport.policy;

import java.util.Locale;

/// A repository as `host/owner/name`, without the `.git` suffix. Where a host has groups in groups,
/// the owner is all of them: `group/sub`. Equality ignores case, as hosting services do; the
/// spelling is kept because a plain server's file system does not.
public final class RepoName {
    private static final int LENGTH_MAX = 100;
    private static final int GROUPS_MAX = 20;
    private static final int OWNER_CHARACTERS_MAX = 255;

    private final HostName host;
    private final String owner;
    private final String name;
    private final String key;

    public RepoName(HostName host, String owner, String name) {
        if (!isOwner(owner)) {
            throw new IllegalArgumentException(
                    "an owner is made of letters, digits, hyphens, dots and underscores");
        }
        if (!isName(name)) {
            throw new IllegalArgumentException(
                    "a repository name is made of letters, digits, hyphens, dots and underscores, and does not end in .git");
        }
        this.host = host;
        this.owner = owner;
        this.name = name;
        this.key = (host.value() + "/" + owner + "/" + name).toLowerCase(Locale.ROOT);
    }

    /// Parses `host/owner/name`; a trailing `.git` is refused so that each repository has one name.
    public static RepoName parse(String text) throws MalformedNameException {
        int host = text.indexOf('/');
        int name = text.lastIndexOf('/');
        if (host == name) {
            throw new MalformedNameException("a repository is written host/owner/name");
        }
        return of(
                HostName.parse(text.substring(0, host)),
                text.substring(host + 1, name),
                text.substring(name + 1));
    }

    public static RepoName of(HostName host, String owner, String name)
            throws MalformedNameException {
        try {
            return new RepoName(host, owner, name);
        } catch (IllegalArgumentException e) {
            throw new MalformedNameException(String.valueOf(e.getMessage()));
        }
    }

    static boolean isOwner(String owner) {
        int groups = 1;
        int from = 0;
        for (int slash = owner.indexOf('/'); slash >= 0; slash = owner.indexOf('/', from)) {
            if (!isGroup(owner.substring(from, slash))) {
                return false;
            }
            groups++;
            from = slash + 1;
        }
        return groups <= GROUPS_MAX
                && owner.length() <= OWNER_CHARACTERS_MAX
                && isGroup(from == 0 ? owner : owner.substring(from));
    }

    private static boolean isGroup(String group) {
        return !group.isEmpty() && isAlphanumeric(group.charAt(0)) && isSegment(group);
    }

    /// A leading dot is taken because hosting services give `.github` a meaning.
    static boolean isName(String name) {
        return !name.isEmpty() && !name.equals(".") && isSegment(name);
    }

    private static boolean isSegment(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isAlphanumeric(c) && c != '-' && c != '_' && c != '.') {
                return false;
            }
        }
        return text.length() <= LENGTH_MAX && !text.contains("..") && !endsLikeGitInternals(text);
    }

    private static boolean isAlphanumeric(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    private static boolean endsLikeGitInternals(String segment) {
        return ends(segment, ".git") || ends(segment, ".lock") || segment.endsWith(".");
    }

    private static boolean ends(String segment, String suffix) {
        int from = segment.length() - suffix.length();
        return segment.regionMatches(true, from, suffix, 0, suffix.length());
    }

    public HostName host() {
        return host;
    }

    public String owner() {
        return owner;
    }

    public String name() {
        return name;
    }

    /// `owner/name`, as hosts name it.
    public String path() {
        return owner + "/" + name;
    }

    /// What equality is judged by, and what records show.
    public String key() {
        return key;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RepoName that && key.equals(that.key);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }

    @Override
    public String toString() {
        return key;
    }
}
