package dev.sallyport.credential;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import java.util.List;

/// The spellings of one secret as a matching machine (Aho and Corasick, 1975): one table lookup per
/// byte, however many spellings there are.
///
/// Looked for are the secret itself and its Base64 in either alphabet at all three alignments, so
/// that it is found inside `Authorization: Basic` whatever the user name is.
final class Needles {
    /// A shorter spelling occurs in packs by chance.
    private static final int LENGTH_MIN = 8;

    private static final int BYTE_VALUES = 256;

    /// Row `state`, column byte: the next state.
    private final char[] next;

    /// How many bytes of a spelling have been seen in a state.
    private final int[] depth;

    private final boolean[] complete;

    private Needles(List<byte[]> needles) {
        int states = 1 + needles.stream().mapToInt(needle -> needle.length).sum();
        this.next = new char[states * BYTE_VALUES];
        this.depth = new int[states];
        this.complete = new boolean[states];
        int used = 1;
        for (byte[] needle : needles) {
            used = addPath(needle, used);
        }
        linkFallbacks(used);
    }

    static Needles of(Secret secret) {
        byte[] value = secret.reveal();
        List<byte[]> needles = new ArrayList<>();
        needles.add(value);
        for (int lead = 0; lead < 3; lead++) {
            needles.add(base64(value, lead, Base64.getEncoder()));
            needles.add(base64(value, lead, Base64.getUrlEncoder()));
        }
        needles.removeIf(needle -> needle.length < LENGTH_MIN);
        Needles machine = new Needles(needles);
        needles.forEach(needle -> Arrays.fill(needle, (byte) 0));
        return machine;
    }

    /// The characters that stand for the secret alone when `lead` other bytes come before it.
    private static byte[] base64(byte[] value, int lead, Base64.Encoder encoder) {
        byte[] padded = new byte[lead + value.length];
        System.arraycopy(value, 0, padded, lead, value.length);
        byte[] text = encoder.encodeToString(padded).getBytes(StandardCharsets.US_ASCII);
        return Arrays.copyOfRange(text, (lead * 8 + 5) / 6, padded.length * 8 / 6);
    }

    private int addPath(byte[] needle, int firstFree) {
        int free = firstFree;
        int state = 0;
        for (byte b : needle) {
            int edge = state * BYTE_VALUES + (b & 0xff);
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
        for (int b = 0; b < BYTE_VALUES; b++) {
            if (next[b] != 0) {
                queue.add((int) next[b]);
            }
        }
        while (!queue.isEmpty()) {
            int state = queue.remove();
            complete[state] |= complete[fallback[state]];
            for (int b = 0; b < BYTE_VALUES; b++) {
                int child = next[state * BYTE_VALUES + b];
                char elsewhere = next[fallback[state] * BYTE_VALUES + b];
                if (depth[child] == depth[state] + 1 && child != elsewhere) {
                    fallback[child] = elsewhere;
                    queue.add(child);
                } else {
                    next[state * BYTE_VALUES + b] = elsewhere;
                }
            }
        }
    }

    int step(int state, byte b) {
        return next[state * BYTE_VALUES + (b & 0xff)];
    }

    boolean isComplete(int state) {
        return complete[state];
    }

    int depth(int state) {
        return depth[state];
    }
}
