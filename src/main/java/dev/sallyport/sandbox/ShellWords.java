package dev.sallyport.sandbox;

import java.util.List;
import java.util.stream.Collectors;

/// Writes arguments so that a POSIX shell reads back exactly the same ones. Needed because
/// `script(1)` takes its command only as text.
public final class ShellWords {
    private ShellWords() {}

    public static String quote(List<String> words) {
        return words.stream().map(ShellWords::quote).collect(Collectors.joining(" "));
    }

    private static String quote(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
