package dev.sallyport.credential;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.stream.Collectors;

/// The spellings of one secret as a matching machine (Aho and Corasick, 1975): one table lookup per
/// byte, however many spellings there are.
///
/// Looked for is every [Spelling], Base64 at all three alignments, so that the secret is found
/// inside `Authorization: Basic` whatever the user name is. Of a long one its beginning is enough.
final class Needles {
    /// A shorter spelling occurs in packs by chance.
    private static final int LENGTH_MIN = 8;

    /// Longer than what two tokens of one issuer have in common, short enough for a small table.
    static final int LENGTH_MAX = 512;

    private static final int BYTE_VALUES = 256;

    /// Column of each byte. All bytes that are in no spelling share the first.
    private final int[] columns = new int[BYTE_VALUES];

    private final int width;

    /// Row `state`, column of the byte: the next state.
    private final char[] next;

    /// How many bytes of a spelling have been seen in a state.
    private final int[] depth;

    private final boolean[] complete;

    private Needles(Collection<String> needles) {
        int used = 1;
        for (int c : needles.stream().flatMapToInt(String::chars).distinct().toArray()) {
            columns[c] = used++;
        }
        this.width = used;
        int states = 1 + needles.stream().mapToInt(String::length).sum();
        this.next = new char[states * width];
        this.depth = new int[states];
        this.complete = new boolean[states];
        int free = 1;
        for (String needle : needles) {
            free = addPath(needle, free);
        }
        linkFallbacks(free);
    }

    static Needles of(Secret secret) {
        return new Needles(
                Spelling.all(secret.text()).stream()
                        .filter(spelling -> spelling.length() >= LENGTH_MIN)
                        .map(
                                spelling ->
                                        spelling.substring(
                                                0, Math.min(spelling.length(), LENGTH_MAX)))
                        .collect(Collectors.toCollection(LinkedHashSet::new)));
    }

    private int addPath(String needle, int firstFree) {
        int free = firstFree;
        int state = 0;
        for (int i = 0; i < needle.length(); i++) {
            int edge = state * width + columns[needle.charAt(i)];
            if (next[edge] == 0) {
                depth[free] = depth[state] + 1;
                next[edge] = (char) free++;
            }
            state = next[edge];
        }
        complete[state] = true;
        return free;
    }

    /// Breadth first: where no path continues, go on from the longest suffix that is a beginning.
    private void linkFallbacks(int states) {
        int[] fallback = new int[states];
        Deque<Integer> queue = new ArrayDeque<>();
        for (int column = 0; column < width; column++) {
            if (next[column] != 0) {
                queue.add((int) next[column]);
            }
        }
        while (!queue.isEmpty()) {
            int state = queue.remove();
            complete[state] |= complete[fallback[state]];
            for (int column = 0; column < width; column++) {
                int child = next[state * width + column];
                char elsewhere = next[fallback[state] * width + column];
                if (depth[child] == depth[state] + 1 && child != elsewhere) {
                    fallback[child] = elsewhere;
                    queue.add(child);
                } else {
                    next[state * width + column] = elsewhere;
                }
            }
        }
    }

    int step(int state, int b) {
        return next[state * width + columns[b & 0xff]];
    }

    boolean isComplete(int state) {
        return complete[state];
    }

    int depth(int state) {
        return depth[state];
    }
}
