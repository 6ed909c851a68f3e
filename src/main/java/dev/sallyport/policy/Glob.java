package dev.sallyport.policy;

import java.util.List;
import java.util.function.BiPredicate;

/// Matching of names made of components, in time proportional to pattern times name, whatever the
/// name: a sandbox chooses it, so there is no regular expression to lead astray.
///
/// `*` stands for any characters within one component, `**` for `anyMin` or more components.
final class Glob {
    private static final String ANY_COMPONENTS = "**";

    static void requireForm(List<String> pattern) throws MalformedNameException {
        for (String component : pattern) {
            if (component.contains(ANY_COMPONENTS) && !component.equals(ANY_COMPONENTS)) {
                throw new MalformedNameException("** stands alone between slashes");
            }
        }
    }

    /// Whether the pattern covers the whole name.
    static boolean covers(List<String> pattern, List<String> name, int anyMin) {
        return covers(pattern, name, anyMin, Glob::covers);
    }

    /// @param test whether one component of the pattern, other than `**`, covers one of the name
    static boolean covers(
            List<String> pattern, List<String> name, int anyMin, BiPredicate<String, String> test) {
        boolean[] reached = start(name);
        for (String component : pattern) {
            reached = step(reached, component, name, anyMin, test);
        }
        return reached[name.size()];
    }

    /// Whether some beginning of the pattern covers the whole name: the name is covered, or what is
    /// below it can be.
    static boolean leadsThrough(List<String> pattern, List<String> name, int anyMin) {
        return leadsThrough(pattern, name, anyMin, Glob::covers);
    }

    static boolean leadsThrough(
            List<String> pattern, List<String> name, int anyMin, BiPredicate<String, String> test) {
        boolean[] reached = start(name);
        for (String component : pattern) {
            reached = step(reached, component, name, anyMin, test);
            if (reached[name.size()]) {
                return true;
            }
        }
        return false;
    }

    private static boolean[] start(List<String> name) {
        boolean[] reached = new boolean[name.size() + 1];
        reached[0] = true;
        return reached;
    }

    /// `reached[j]` says whether the components of the pattern so far can cover the first `j`
    /// components of the name; this adds one component to the pattern.
    private static boolean[] step(
            boolean[] reached,
            String component,
            List<String> name,
            int anyMin,
            BiPredicate<String, String> test) {
        boolean[] next = new boolean[reached.length];
        boolean any = component.equals(ANY_COMPONENTS);
        boolean none = any && anyMin == 0;
        next[0] = none && reached[0];
        for (int j = 1; j < next.length; j++) {
            next[j] =
                    any
                            ? reached[j - 1] || next[j - 1] || (none && reached[j])
                            : reached[j - 1] && test.test(component, name.get(j - 1));
        }
        return next;
    }

    /// One component: on a mismatch only the last `*` needs to take one character more.
    static boolean covers(String glob, String word) {
        int g = 0;
        int star = -1;
        int retry = 0;
        int w = 0;
        while (w < word.length()) {
            if (g < glob.length() && glob.charAt(g) == '*') {
                star = g++;
                retry = w;
            } else if (g < glob.length() && glob.charAt(g) == word.charAt(w)) {
                g++;
                w++;
            } else if (star >= 0) {
                g = star + 1;
                w = ++retry;
            } else {
                return false;
            }
        }
        while (g < glob.length() && glob.charAt(g) == '*') {
            g++;
        }
        return g == glob.length();
    }
}
