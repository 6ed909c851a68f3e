package dev.sallyport.credential;

import dev.sallyport.search.Automaton;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Tells where in a stream no secret can be, looking at few of its bytes.
///
/// However a needle is written, with whichever characters escaped and wherever lines end, it is a
/// run of bytes each two neighbours of which are in a set of pairs, and no shorter than the needle.
/// So one pair in the middle that is not in the set rules out all places around it, and the next
/// pair to look at is a needle's length further on (Boyer and Moore, 1977).
///
/// It says nothing about places where it finds such a run: those are for [EchoSearch].
final class EchoSieve {
    /// So much of each needle is enough. More would make longer steps, but more pairs as well.
    private static final int WINDOW_MAX = 32;

    private static final int ASCII = 0x80;
    private static final String BREAKS = "\r\n";
    private static final String BLANKS = " \t";

    /// Bytes of which escapes consist after the first; ASCII letters and digits besides.
    private static final String IN_ESCAPES = "#;{}";

    private final BytePairs pairs = new BytePairs();

    /// What a needle may begin with.
    private final boolean[] beginners = new boolean[256];

    private final boolean[] leads = new boolean[256];

    /// Behind one of these nothing that came before matters: it is in no needle and no escape.
    private final boolean[] ends = new boolean[256];

    private final int window;

    /// @param needles ASCII only
    EchoSieve(List<String> needles, Automaton automaton) {
        List<String> heads =
                needles.stream()
                        .map(n -> n.substring(0, Math.min(n.length(), WINDOW_MAX)))
                        .toList();
        this.window = heads.stream().mapToInt(String::length).min().orElseThrow();
        for (Escape escape : Escape.values()) {
            leads[escape.lead()] = true;
            beginners[escape.lead()] = true;
        }
        heads.forEach(head -> beginners[head.charAt(0)] = true);
        for (int b = 0; b < ends.length; b++) {
            boolean escapes =
                    leads[b]
                            || IN_ESCAPES.indexOf(b) >= 0
                            || (b < 0x80 && Character.isLetterOrDigit(b));
            ends[b] = !escapes && (BREAKS + BLANKS).indexOf(b) < 0 && !automaton.has(b);
        }
        addPairs(heads);
    }

    private void addPairs(List<String> heads) {
        Set<String> neighbours = new LinkedHashSet<>();
        StringBuilder all = new StringBuilder();
        for (String head : heads) {
            all.append(head);
            for (int i = 0; i + 1 < head.length(); i++) {
                neighbours.add(head.substring(i, i + 2));
            }
        }
        List<Character> used = distinct(all);
        // Between any two characters a line may end, and blanks may begin the next one.
        neighbours.add(BREAKS);
        cross(BLANKS, BLANKS, neighbours);
        cross(BREAKS, BLANKS, neighbours);
        for (char c : used) {
            cross(String.valueOf(c), BREAKS, neighbours);
            cross(BREAKS + BLANKS, String.valueOf(c), neighbours);
        }
        String[] lasts = new String[ASCII];
        for (char c : distinct(all.append(BREAKS).append(BLANKS))) {
            lasts[c] = addWritten(c);
        }
        for (String two : neighbours) {
            addAfter(lasts[two.charAt(0)], two.charAt(1));
        }
    }

    private static List<Character> distinct(CharSequence text) {
        return text.chars().distinct().mapToObj(c -> (char) c).toList();
    }

    private static void cross(String firsts, String seconds, Set<String> into) {
        for (int i = 0; i < firsts.length(); i++) {
            for (int j = 0; j < seconds.length(); j++) {
                into.add("" + firsts.charAt(i) + seconds.charAt(j));
            }
        }
    }

    /// What stands for a character, as it is or escaped, and that an escape may follow it.
    ///
    /// @return the last bytes of all these
    private String addWritten(char c) {
        StringBuilder lasts = new StringBuilder().append(c);
        for (Escape escape : Escape.values()) {
            for (String text : escape.spellings(c)) {
                pairs.addAll(text);
                String last = text.substring(text.length() - 1);
                if (lasts.indexOf(last) < 0) {
                    lasts.append(last);
                }
            }
        }
        for (Escape escape : Escape.values()) {
            addAfter(lasts, escape.lead());
        }
        return lasts.toString();
    }

    private void addAfter(CharSequence lasts, char next) {
        for (int i = 0; i < lasts.length(); i++) {
            pairs.add(lasts.charAt(i), next);
        }
    }

    /// The length of the runs that are looked for.
    int window() {
        return window;
    }

    /// The first place from which on a needle may be. Nothing before it is a part of one, but for
    /// what the search knows at `from`; fewer bytes than a window behind it say nothing yet.
    ///
    /// @param from less than `end`
    int next(byte[] bytes, int from, int end) {
        int start = from;
        int known = from;
        int last = end - window;
        while (start <= last) {
            int i = start + window - 2;
            while (i >= known && pairs.hasAt(bytes, i)) {
                i--;
            }
            if (i >= known) {
                start = i + 1;
                known = start;
            } else if (beginners[bytes[start] & 0xff]) {
                return start;
            } else {
                known = start + window - 1;
                start = beginner(bytes, start + 1, known);
            }
        }
        return start;
    }

    private int beginner(byte[] bytes, int from, int end) {
        int i = from;
        while (i < end && !beginners[bytes[i] & 0xff]) {
            i++;
        }
        return i;
    }

    /// Where a search must begin to know at `start` all that one knows which began at `floor`: at
    /// `start` itself, unless an escape may have begun before and not be over.
    ///
    /// @param start what [#next] returned when asked from `floor` on
    int origin(byte[] bytes, int floor, int start) {
        int origin = start;
        while (origin > floor) {
            int lead = leadBefore(bytes, floor, origin);
            if (lead < 0) {
                return origin;
            }
            origin = lead;
            while (origin > floor
                    && !ends[bytes[origin - 1] & 0xff]
                    && pairs.hasAt(bytes, origin - 1)) {
                origin--;
            }
        }
        return origin;
    }

    /// The last byte that may begin an escape which is not over at an index; or less than none.
    private int leadBefore(byte[] bytes, int floor, int index) {
        int from = Math.max(floor, index - Escape.BYTES_MAX);
        for (int i = index - 1; i >= from && !ends[bytes[i] & 0xff]; i--) {
            if (leads[bytes[i] & 0xff]) {
                return i;
            }
        }
        return -1;
    }

    /// A set of pairs of neighbouring bytes, small enough for the fastest cache.
    private static final class BytePairs {
        private static final VarHandle SHORT =
                MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

        private final long[] bits = new long[1 << 10];

        /// Adds a pair.
        void add(int first, int second) {
            int pair = (first & 0xff) | ((second & 0xff) << 8);
            bits[pair >>> 6] |= 1L << pair;
        }

        /// Adds all pairs of a text with one character for each byte.
        void addAll(String text) {
            for (int i = 0; i + 1 < text.length(); i++) {
                add(text.charAt(i), text.charAt(i + 1));
            }
        }

        /// Whether it has the byte at an index and the one behind it.
        boolean hasAt(byte[] bytes, int index) {
            int pair = (short) SHORT.get(bytes, index) & 0xffff;
            return (bits[pair >>> 6] & (1L << pair)) != 0;
        }
    }
}
