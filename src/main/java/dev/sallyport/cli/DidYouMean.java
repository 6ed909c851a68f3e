package dev.sallyport.cli;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// Guesses which command or option a misspelled word was meant to be.
final class DidYouMean {
    /// More wrong letters than this make another word.
    private static final int WRONG_LETTERS_MAX = 2;

    private static final int WORD_LETTERS_MAX = 64;

    /// A question, or empty when nothing is near enough.
    static Optional<String> ask(CommandLine.UnmatchedArgumentException failure) {
        String typed = failure.getUnmatched().getFirst();
        CommandSpec command = failure.getCommandLine().getCommandSpec();
        String word = typed.startsWith("-") ? typed.replaceFirst("=.*", "") : typed;
        List<String> near = nearest(word, candidates(word, command));
        List<String> meant = near.isEmpty() ? within(word, command) : near;
        return meant.isEmpty() ? Optional.empty() : Optional.of(question(meant));
    }

    /// A command of a group, typed without it.
    private static List<String> within(String word, CommandSpec command) {
        return command.subcommands().entrySet().stream()
                .filter(group -> group.getValue().getSubcommands().containsKey(word))
                .map(group -> group.getKey() + " " + word)
                .toList();
    }

    static String question(List<String> near) {
        return "Did you mean " + String.join(" or ", near) + "?";
    }

    private static Collection<String> candidates(String word, CommandSpec command) {
        return word.startsWith("-")
                ? command.options().stream().map(OptionSpec::names).flatMap(Stream::of).toList()
                : command.subcommands().keySet();
    }

    /// Those with the fewest wrong letters, but never a word of which hardly a letter was typed.
    static List<String> nearest(String word, Collection<String> candidates) {
        int least = Math.min(WRONG_LETTERS_MAX, (word.replaceFirst("^-+", "").length() - 1) / 2);
        List<String> near = new ArrayList<>();
        for (String candidate : candidates) {
            int distance = distance(word, candidate);
            if (distance < least) {
                near.clear();
                least = distance;
            }
            if (distance == least && distance > 0) {
                near.add(candidate);
            }
        }
        return near;
    }

    /// Letters to insert, remove, replace, or swap with their neighbour.
    static int distance(String a, String b) {
        if (Math.max(a.length(), b.length()) > WORD_LETTERS_MAX) {
            return WORD_LETTERS_MAX;
        }
        int[][] table = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                table[i][j] = i == 0 || j == 0 ? i + j : step(table, a, b, i, j);
            }
        }
        return table[a.length()][b.length()];
    }

    private static int step(int[][] table, String a, String b, int i, int j) {
        boolean same = a.charAt(i - 1) == b.charAt(j - 1);
        int replaced = table[i - 1][j - 1] + (same ? 0 : 1);
        int least = Math.min(replaced, 1 + Math.min(table[i - 1][j], table[i][j - 1]));
        boolean swapped =
                i > 1
                        && j > 1
                        && a.charAt(i - 1) == b.charAt(j - 2)
                        && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(least, table[i - 2][j - 2] + 1) : least;
    }
}
