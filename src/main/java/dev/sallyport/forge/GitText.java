package dev.sallyport.forge;

import dev.sallyport.policy.Parsing;
import dev.sallyport.policy.RefName;
import java.util.Optional;
import java.util.regex.Pattern;

/// Names of branches, tags and commits as they stand in calls.
final class GitText {
    private static final Pattern OBJECT = Pattern.compile("[0-9a-f]{40}([0-9a-f]{24})?");

    /// What git takes for the beginning of an object's name, also at the end of `git describe`.
    private static final Pattern ABBREVIATED =
            Pattern.compile("(?i)([0-9a-f]{4,64}|.*-g[0-9a-f]{4,64})");

    private GitText() {}

    /// A branch by its short name. What begins with `refs/` or `heads/`, or looks like the name of
    /// an object, could be read as something else than the branch that was judged.
    static Optional<RefName> branch(String text) {
        boolean clear =
                !text.startsWith("refs/")
                        && !text.startsWith("heads/")
                        && !OBJECT.matcher(text).matches();
        return clear ? ref("refs/heads/" + text) : Optional.empty();
    }

    static boolean isObject(String text) {
        return OBJECT.matcher(text).matches();
    }

    /// A branch, tag or commit that is read. An object has its whole name: every object of all
    /// forks can be read by its name, also of those that are private or deleted, and a beginning
    /// could be guessed. Whole names can be fetched with git as well.
    static boolean isRevision(String text) {
        if (text.equals("HEAD") || isObject(text)) {
            return true;
        }
        return !ABBREVIATED.matcher(text).matches()
                && ref(text.startsWith("refs/") ? text : "refs/heads/" + text).isPresent();
    }

    static boolean isTag(String text) {
        return ref("refs/tags/" + text).isPresent();
    }

    /// A ref without `refs/`.
    static boolean isRef(String text) {
        return ref("refs/" + text).isPresent();
    }

    private static Optional<RefName> ref(String full) {
        return Parsing.attempt(full, RefName::parse);
    }
}
