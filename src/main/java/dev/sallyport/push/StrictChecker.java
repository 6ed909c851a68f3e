package dev.sallyport.push;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.ObjectChecker;
import org.jspecify.annotations.Nullable;

/// JGit's own rules for objects, and two more for the names in trees: none is longer than file
/// systems take, which also keeps the search for duplicates short, and none is `.git` to a file
/// system that ignores case, invisible characters or what follows.
final class StrictChecker extends ObjectChecker {
    private static final int NAME_BYTES_MAX = 255;
    private static final int DOT_GIT_BYTES_MAX = 64;

    /// What HFS+ does not see in a name.
    private static final Pattern INVISIBLE =
            Pattern.compile("[\\u200C-\\u200F\\u202A-\\u202E\\u206A-\\u206F\\uFEFF]");

    /// What NTFS takes for `.git`: its short name, streams of it, dots and spaces behind it.
    private static final Pattern DOT_GIT = Pattern.compile("(\\.git|git~1)[. ]*(:.*)?");

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
            if (length <= DOT_GIT_BYTES_MAX && isDotGit(raw, entries.nameStart(), length)) {
                throw PushRefusedException.malformed("a tree with an entry named .git");
            }
        }
        super.checkTree(id, raw);
    }

    private static boolean isDotGit(byte[] raw, int start, int length) {
        int first = raw[start];
        if (first != '.' && (first | 0x20) != 'g' && first >= 0) {
            return false;
        }
        String name = new String(raw, start, length, StandardCharsets.UTF_8);
        String seen = INVISIBLE.matcher(name).replaceAll("").toLowerCase(Locale.ROOT);
        return DOT_GIT.matcher(seen).matches();
    }
}
