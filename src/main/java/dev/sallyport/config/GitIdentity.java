package dev.sallyport.config;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Under whose name a sandbox commits, and the name of a new repository's first branch. It is not a
/// boundary: a process in the sandbox can commit under any name, and `push: author:` decides which
/// names may be pushed.
public record GitIdentity(
        Optional<String> name, Optional<String> email, Optional<String> defaultBranch) {
    public static final GitIdentity NONE =
            new GitIdentity(Optional.empty(), Optional.empty(), Optional.empty());

    private static final int CHARACTERS_MAX = 200;

    /// One line of text. A line break would begin another setting of git's configuration.
    private static final Pattern FIT = Pattern.compile("[^\\p{Cntrl}\\p{Zl}\\p{Zp}]+");

    private static final String NAME = "name";
    private static final String EMAIL = "email";
    private static final String DEFAULT_BRANCH = "default-branch";

    public GitIdentity {
        if (!List.of(name, email, defaultBranch).stream()
                .flatMap(Optional::stream)
                .allMatch(GitIdentity::isFit)) {
            throw new IllegalArgumentException("a git identity is one line of text");
        }
    }

    /// Whether git's configuration can hold it as a value.
    public static boolean isFit(String text) {
        return text.length() <= CHARACTERS_MAX && FIT.matcher(text).matches();
    }

    static GitIdentity read(YamlMapping mapping) throws ConfigException {
        mapping.requireOnly(List.of(NAME, EMAIL, DEFAULT_BRANCH));
        return new GitIdentity(
                fit(mapping, NAME), fit(mapping, EMAIL), fit(mapping, DEFAULT_BRANCH));
    }

    private static Optional<String> fit(YamlMapping mapping, String key) throws ConfigException {
        String remedy = "Write up to " + CHARACTERS_MAX + " characters.";
        return mapping.text(key, GitIdentity::isFit, "is not one line of text.", remedy);
    }

    /// What the other one says replaces what this one says.
    GitIdentity replacedBy(GitIdentity other) {
        return new GitIdentity(
                other.name.or(() -> name),
                other.email.or(() -> email),
                other.defaultBranch.or(() -> defaultBranch));
    }
}
