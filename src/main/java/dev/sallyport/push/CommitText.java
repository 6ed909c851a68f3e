package dev.sallyport.push;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.errors.InvalidObjectIdException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;

/// The parts of a commit that decide something.
///
/// @param addresses of author and committer; empty where none can be made out
/// @param textStart where the part begins that people wrote
record CommitText(
        ObjectId tree, List<ObjectId> parents, List<Optional<String>> addresses, int textStart) {
    private static final int PARENTS_MAX = 100;

    /// Of an address that rules can cover. What is longer is not kept: a sandbox could have
    /// thousands of commits with megabytes each.
    private static final int ADDRESS_BYTES_MAX = 320;

    private static final int HEX = Constants.OBJECT_ID_STRING_LENGTH;

    static CommitText parse(byte[] raw) {
        ObjectId tree = id(raw, 0, "tree ");
        int at = "tree ".length() + HEX + 1;
        List<ObjectId> parents = new ArrayList<>();
        while (startsWith(raw, at, "parent ")) {
            if (parents.size() == PARENTS_MAX) {
                throw PushRefusedException.limit(
                        "a commit with more than " + PARENTS_MAX + " parents");
            }
            parents.add(id(raw, at, "parent "));
            at += "parent ".length() + HEX + 1;
        }
        int committer = lineEnd(raw, at) + 1;
        return new CommitText(
                tree,
                List.copyOf(parents),
                List.of(address(raw, at, "author "), address(raw, committer, "committer ")),
                at);
    }

    /// The id in a line of which nothing else is known to be right.
    static ObjectId id(byte[] raw, int at, String keyword) {
        int start = at + keyword.length();
        if (!startsWith(raw, at, keyword)
                || start + HEX >= raw.length
                || raw[start + HEX] != '\n') {
            throw PushRefusedException.malformed("an object without its line " + keyword);
        }
        try {
            return ObjectId.fromString(raw, start);
        } catch (InvalidObjectIdException e) {
            throw PushRefusedException.malformed("an object without its line " + keyword);
        }
    }

    /// What is between the first `<` and the first `>` behind it.
    private static Optional<String> address(byte[] raw, int at, String keyword) {
        if (!startsWith(raw, at, keyword)) {
            return Optional.empty();
        }
        int end = lineEnd(raw, at);
        String line = new String(raw, at, end - at, StandardCharsets.ISO_8859_1);
        int open = line.indexOf('<');
        int close = line.indexOf('>', open + 1);
        if (open < 0
                || close < 0
                || close - open > ADDRESS_BYTES_MAX
                || line.chars().anyMatch(c -> c < 0x20)) {
            return Optional.empty();
        }
        return Optional.of(line.substring(open + 1, close));
    }

    private static int lineEnd(byte[] raw, int from) {
        int at = Math.min(from, raw.length);
        while (at < raw.length && raw[at] != '\n') {
            at++;
        }
        return at;
    }

    private static boolean startsWith(byte[] raw, int at, String keyword) {
        if (at + keyword.length() > raw.length) {
            return false;
        }
        for (int i = 0; i < keyword.length(); i++) {
            if (raw[at + i] != keyword.charAt(i)) {
                return false;
            }
        }
        return true;
    }
}
