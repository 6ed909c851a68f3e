package dev.sallyport.cli;

import dev.sallyport.approval.ShownText;
import dev.sallyport.sandbox.ShellWords;
import java.util.List;
import java.util.stream.Collectors;

/// Text that cannot steer a terminal: names and paths may have been chosen by a sandbox (E19).
final class Printable {
    private static final int NAME_MAX = 80;

    static String of(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(point -> append(shown, point));
        return shown.toString();
    }

    /// In quotes, and cut in the middle, so that a name stays one: in one there is room for
    /// sentences.
    static String name(String text) {
        int cut = NAME_MAX / 2;
        String shown =
                isShort(text)
                        ? text
                        : text.substring(0, cut) + "..." + text.substring(text.length() - cut);
        return ShellWords.quote(List.of(shown));
    }

    static boolean isShort(String text) {
        return text.length() <= NAME_MAX;
    }

    /// Keeps line ends, for texts that are our own but for parts of them.
    static String lines(String text) {
        return text.lines().map(Printable::of).collect(Collectors.joining("\n  "));
    }

    private static void append(StringBuilder shown, int point) {
        if (ShownText.isSeen(point)) {
            shown.appendCodePoint(point);
        } else {
            shown.append("\\u%04x".formatted(point));
        }
    }
}
