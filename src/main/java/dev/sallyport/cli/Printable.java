package dev.sallyport.cli;

import dev.sallyport.approval.ShownText;
import java.util.stream.Collectors;

/// Text that cannot steer a terminal: names and paths may have been chosen by a sandbox (E19).
final class Printable {
    static String of(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(point -> append(shown, point));
        return shown.toString();
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
