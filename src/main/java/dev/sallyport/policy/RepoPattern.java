package dev.sallyport.policy;

import java.util.Locale;
import java.util.Optional;

/// What a grant names: one repository, or every repository of one owner (`host/owner/*`), but none
/// in a group below it. There is no wider form.
public record RepoPattern(HostName host, String owner, Optional<String> name) {

    public RepoPattern {
        boolean sound =
                name.isPresent()
                        ? RepoName.isOwner(owner) && RepoName.isName(name.get())
                        : RepoName.isOwner(owner);
        if (!sound) {
            throw new IllegalArgumentException("a grant names host/owner/name or host/owner/*");
        }
    }

    public static RepoPattern parse(String text) throws MalformedNameException {
        if (!text.endsWith("/*")) {
            RepoName repo = RepoName.parse(text);
            return new RepoPattern(repo.host(), repo.owner(), Optional.of(repo.name()));
        }
        String all = text.substring(0, text.length() - 2);
        int host = all.indexOf('/');
        if (host < 0 || !RepoName.isOwner(all.substring(host + 1))) {
            throw new MalformedNameException("a wildcard is written host/owner/*");
        }
        return new RepoPattern(
                HostName.parse(all.substring(0, host)), all.substring(host + 1), Optional.empty());
    }

    /// In the spelling of the person who granted it; [#parse] reads it back. For records and other
    /// processes, where [#toString] would lose the spelling that goes upstream.
    public String text() {
        return host.value() + "/" + owner + "/" + name.orElse("*");
    }

    /// Whether every repository that the other names is one that this names.
    public boolean covers(RepoPattern other) {
        return host.equals(other.host)
                && owner.equalsIgnoreCase(other.owner)
                && (name.isEmpty()
                        || other.name.map(n -> n.equalsIgnoreCase(name.get())).orElse(false));
    }

    /// Whether the owner is a group in a group.
    public boolean isNested() {
        return owner.indexOf('/') >= 0;
    }

    /// Whether this is every repository of one owner.
    public boolean isWildcard() {
        return name.isEmpty();
    }

    /// The repository that is meant, in the spelling of the person who granted it; empty when this
    /// pattern does not cover it.
    Optional<RepoName> match(RepoName asked) {
        boolean covered =
                host.equals(asked.host())
                        && owner.equalsIgnoreCase(asked.owner())
                        && name.map(n -> n.equalsIgnoreCase(asked.name())).orElse(true);
        if (!covered) {
            return Optional.empty();
        }
        String granted = name.orElse(asked.name());
        boolean alike = owner.equals(asked.owner()) && granted.equals(asked.name());
        return Optional.of(alike ? asked : new RepoName(host, owner, granted));
    }

    @Override
    public String toString() {
        return text().toLowerCase(Locale.ROOT);
    }
}
