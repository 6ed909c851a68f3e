package dev.sallyport.push;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// Finds all of many keywords in one pass, upper and lower case alike (Aho and Corasick, 1975): one
/// table lookup per byte, however many keywords there are and whatever the bytes.
final class KeywordAutomaton {
    private static final int BYTE_VALUES = 256;

    /// Row `state`, column byte: the next state.
    private final char[] next;

    /// What is found on entering a state, by number of the keyword's owner; mostly empty.
    private final int[][] found;

    /// States from here on find something.
    private final int firstFinding;

    private KeywordAutomaton(char[] next, int[][] found, int firstFinding) {
        this.next = next;
        this.found = found;
        this.firstFinding = firstFinding;
    }

    /// Told of each keyword.
    interface Listener {
        /// A keyword is there.
        ///
        /// @param end index behind the keyword's last byte
        /// @return whether to go on
        boolean found(int owner, int end);
    }

    /// Builds the machine.
    ///
    /// @param keywords by number of their owner; several owners may share one
    static KeywordAutomaton of(List<List<String>> keywords) {
        Trie trie = new Trie(keywords);
        trie.link();
        return trie.numbered();
    }

    static int start() {
        return 0;
    }

    /// Reads on from a state.
    ///
    /// @return the state behind the last byte
    int read(int from, byte[] bytes, int start, int end, Listener listener) {
        int state = from;
        char[] table = next;
        int finding = firstFinding;
        for (int i = start; i < end; i++) {
            state = table[state << 8 | (bytes[i] & 0xff)];
            if (state >= finding && !tell(state, i + 1, listener)) {
                return state;
            }
        }
        return state;
    }

    private boolean tell(int state, int end, Listener listener) {
        for (int owner : found[state]) {
            if (!listener.found(owner, end)) {
                return false;
            }
        }
        return true;
    }

    /// The machine while it is built. A state's owners are those of its own keyword and of every
    /// keyword that ends there as well.
    private static final class Trie {
        private final List<int[]> rows = new ArrayList<>();
        private final List<List<Integer>> owners = new ArrayList<>();

        Trie(List<List<String>> keywords) {
            grow();
            for (int owner = 0; owner < keywords.size(); owner++) {
                for (String keyword : keywords.get(owner)) {
                    add(owner, keyword);
                }
            }
        }

        private int grow() {
            rows.add(new int[BYTE_VALUES]);
            owners.add(new ArrayList<>());
            return rows.size() - 1;
        }

        private void add(int owner, String keyword) {
            int state = 0;
            for (byte b : keyword.getBytes(StandardCharsets.ISO_8859_1)) {
                int[] row = rows.get(state);
                if (row[lower(b)] == 0) {
                    row[lower(b)] = grow();
                }
                state = row[lower(b)];
            }
            if (state == 0) {
                throw new IllegalArgumentException("a keyword has at least one character");
            }
            owners.get(state).add(owner);
        }

        private static int lower(int b) {
            return b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b & 0xff;
        }

        /// Fills every row, so that no byte needs a second look.
        void link() {
            int[] fallback = new int[rows.size()];
            Deque<Integer> breadthFirst = new ArrayDeque<>(List.of(0));
            while (!breadthFirst.isEmpty()) {
                int state = breadthFirst.remove();
                int[] row = rows.get(state);
                int[] shorter = rows.get(fallback[state]);
                owners.get(state)
                        .addAll(state == 0 ? List.of() : List.copyOf(owners.get(fallback[state])));
                for (int b = 0; b < BYTE_VALUES; b++) {
                    if (row[b] == 0) {
                        row[b] = state == 0 ? 0 : shorter[b];
                    } else {
                        fallback[row[b]] = state == 0 ? 0 : shorter[b];
                        breadthFirst.add(row[b]);
                    }
                }
            }
            rows.forEach(Trie::foldCase);
        }

        private static void foldCase(int[] row) {
            for (int b = 'A'; b <= 'Z'; b++) {
                row[b] = row[lower(b)];
            }
        }

        /// Gives the highest numbers to states that find something: one comparison tells them
        /// apart.
        KeywordAutomaton numbered() {
            int states = rows.size();
            if (states > Character.MAX_VALUE) {
                throw new IllegalArgumentException("too many keywords");
            }
            int silent = (int) owners.stream().filter(List::isEmpty).count();
            int[] number = new int[states];
            int quiet = 0;
            int loud = silent;
            for (int state = 0; state < states; state++) {
                number[state] = owners.get(state).isEmpty() ? quiet++ : loud++;
            }
            char[] next = new char[states * BYTE_VALUES];
            int[][] found = new int[states][];
            for (int state = 0; state < states; state++) {
                int row = number[state];
                found[row] = owners.get(state).stream().distinct().mapToInt(i -> i).toArray();
                for (int b = 0; b < BYTE_VALUES; b++) {
                    next[row * BYTE_VALUES + b] = (char) number[rows.get(state)[b]];
                }
            }
            return new KeywordAutomaton(next, found, silent);
        }
    }
}
