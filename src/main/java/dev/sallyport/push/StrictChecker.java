package dev.sallyport.push;

import dev.sallyport.policy.PathPattern;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.regex.Pattern;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectChecker;
import org.jspecify.annotations.Nullable;

/// JGit's own rules for objects, and three more for the names in trees: none is longer than file
/// systems take, which also keeps the search for duplicates short; none is `.git` to any file
/// system; and none leads out of its directory where a backslash separates.
final class StrictChecker extends ObjectChecker {
    private static final int NAME_BYTES_MAX = 255;
    private static final PathPattern DOT_GIT = PathPattern.of("**/.git/**");
    private static final Pattern CLIMBS =
            Pattern.compile("(.*[/\\\\])?\\.\\. *([/\\\\].*)?", Pattern.DOTALL);

    @Override
    public void checkTree(@Nullable AnyObjectId id, byte[] raw) throws CorruptObjectException {
        TreeCursor entries = new TreeCursor(raw);
        while (entries.next()) {
            int length = entries.nameLength();
            if (length > NAME_BYTES_MAX) {
                throw PushRefusedException.limit(
                        "a file name of "
                                + length
                                + " bytes; at most "
                                + NAME_BYTES_MAX
                                + " are allowed");
            }
            if (!isPlain(raw, entries.nameStart(), length)) {
                checkName(new String(raw, entries.nameStart(), length, StandardCharsets.UTF_8));
            }
        }
        super.checkTree(id, raw);
    }

    /// Whether a name is one of the many that no file system takes for another one that matters
    /// here: ASCII that does not begin like `.git` or `git~1` and separates nothing.
    private static boolean isPlain(byte[] raw, int start, int length) {
        if (raw[start] == '.' || (raw[start] | 0x20) == 'g') {
            return false;
        }
        for (int i = start; i < start + length; i++) {
            if (raw[i] < 0 || raw[i] == '\\' || raw[i] == ':') {
                return false;
            }
        }
        return true;
    }

    private static void checkName(String name) {
        if (DOT_GIT.matchesLoosely(name)) {
            throw PushRefusedException.malformed("a tree with an entry named .git");
        }
        if (CLIMBS.matcher(Normalizer.normalize(name, Normalizer.Form.NFKD)).matches()) {
            throw PushRefusedException.malformed("a tree with a name that leads out of it");
        }
    }
}
