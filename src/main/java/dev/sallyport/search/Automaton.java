package dev.sallyport.search;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// Finds all of many words in one pass (Aho and Corasick, 1975): one table lookup per byte, however
/// many words there are and whatever the bytes. A word has one character for each byte.
public final class Automaton {
    /// Where nothing of any word has been seen.
    public static final int START = 0;

    private static final int BYTE_VALUES = 256;

    /// Column of each byte. All bytes that are in no word share the first.
    private final int[] columns;

    private final int width;

    /// Row `state`, column of the byte: the next state.
    private final char[] next;

    private final int[] depth;

    /// Whose words end in a state; mostly nobody's.
    private final int[][] owners;

    /// States from here on end a word.
    private final int firstComplete;

    private Automaton(Trie trie, int[] number, int firstComplete) {
        int states = number.length;
        this.columns = trie.columns;
        this.width = trie.width;
        this.next = new char[states * width];
        this.depth = new int[states];
        this.owners = new int[states][];
        this.firstComplete = firstComplete;
        for (int state = 0; state < states; state++) {
            int row = number[state];
            depth[row] = trie.depth.get(state);
            owners[row] = trie.owners.get(state).stream().distinct().mapToInt(i -> i).toArray();
            for (int column = 0; column < width; column++) {
                next[row * width + column] = (char) number[trie.rows.get(state)[column]];
            }
        }
    }

    /// Builds one that tells upper from lower case.
    ///
    /// @param words by number of their owner; several owners may share one
    public static Automaton of(List<List<String>> words) {
        return new Trie(words, false).numbered();
    }

    /// Builds one to which upper and lower case are alike.
    ///
    /// @param words by number of their owner; several owners may share one
    public static Automaton ofAnyCase(List<List<String>> words) {
        return new Trie(words, true).numbered();
    }

    /// The state behind another byte.
    public int step(int state, int b) {
        return next[state * width + columns[b & 0xff]];
    }

    /// Whether a word ends here.
    public boolean isComplete(int state) {
        return state >= firstComplete;
    }

    /// The numbers of those whose words end here. Not to be changed.
    public int[] owners(int state) {
        return owners[state];
    }

    /// How many bytes of a word have been seen.
    public int depth(int state) {
        return depth[state];
    }

    /// Whether any word has this byte.
    public boolean has(int b) {
        return columns[b & 0xff] != 0;
    }

    /// What upper and lower case of an ASCII letter have in common.
    public static int lower(int b) {
        return b >= 'A' && b <= 'Z' ? b + ('a' - 'A') : b & 0xff;
    }

    /// The machine while it is built. A state's owners are those of its own word and of every word
    /// that ends there as well.
    private static final class Trie {
        private final boolean anyCase;
        private final int[] columns = new int[BYTE_VALUES];
        private final int width;
        private final List<int[]> rows = new ArrayList<>();
        private final List<Integer> depth = new ArrayList<>();
        private final List<List<Integer>> owners = new ArrayList<>();

        Trie(List<List<String>> words, boolean anyCase) {
            this.anyCase = anyCase;
            this.width = number(words);
            grow(0);
            for (int owner = 0; owner < words.size(); owner++) {
                for (String word : words.get(owner)) {
                    add(owner, word);
                }
            }
            link();
        }

        private int number(List<List<String>> words) {
            int used = 1;
            for (List<String> group : words) {
                for (String word : group) {
                    for (byte b : word.getBytes(StandardCharsets.ISO_8859_1)) {
                        if (columns[folded(b)] == 0) {
                            columns[folded(b)] = used++;
                        }
                    }
                }
            }
            for (int b = 0; b < BYTE_VALUES; b++) {
                columns[b] = columns[folded(b)];
            }
            return used;
        }

        private int folded(int b) {
            return anyCase ? lower(b) : b & 0xff;
        }

        private int grow(int bytes) {
            rows.add(new int[width]);
            depth.add(bytes);
            owners.add(new ArrayList<>());
            return rows.size() - 1;
        }

        private void add(int owner, String word) {
            int state = 0;
            for (byte b : word.getBytes(StandardCharsets.ISO_8859_1)) {
                int[] row = rows.get(state);
                int column = columns[b & 0xff];
                if (row[column] == 0) {
                    row[column] = grow(depth.get(state) + 1);
                }
                state = row[column];
            }
            if (state == 0) {
                throw new IllegalArgumentException("a word has at least one character");
            }
            owners.get(state).add(owner);
        }

        /// Breadth first: where no word continues, go on from the longest suffix that begins one.
        /// Every row is filled, so that no byte needs a second look.
        private void link() {
            int[] fallback = new int[rows.size()];
            Deque<Integer> breadthFirst = new ArrayDeque<>(List.of(0));
            while (!breadthFirst.isEmpty()) {
                int state = breadthFirst.remove();
                int[] row = rows.get(state);
                int[] shorter = rows.get(fallback[state]);
                owners.get(state)
                        .addAll(state == 0 ? List.of() : List.copyOf(owners.get(fallback[state])));
                for (int column = 0; column < width; column++) {
                    if (row[column] == 0) {
                        row[column] = state == 0 ? 0 : shorter[column];
                    } else {
                        fallback[row[column]] = state == 0 ? 0 : shorter[column];
                        breadthFirst.add(row[column]);
                    }
                }
            }
        }

        /// Gives the highest numbers to states that end a word: one comparison tells them apart.
        Automaton numbered() {
            int states = rows.size();
            if (states > Character.MAX_VALUE) {
                throw new IllegalArgumentException("too many words");
            }
            int quiet = 0;
            int loud = (int) owners.stream().filter(List::isEmpty).count();
            int firstComplete = loud;
            int[] number = new int[states];
            for (int state = 0; state < states; state++) {
                number[state] = owners.get(state).isEmpty() ? quiet++ : loud++;
            }
            return new Automaton(this, number, firstComplete);
        }
    }
}
