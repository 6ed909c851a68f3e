package dev.sallyport.approval;

import dev.sallyport.policy.LooseForm;
import java.nio.charset.StandardCharsets;

/// Text of a sandbox, made fit to be looked at before a decision. Whatever nobody sees, or sees
/// elsewhere than it is, such as control characters and marks of direction (CVE-2021-42574), is
/// written out as `<U+202E>`.
public final class ShownText {
    private static final String CUT = "…";
    private static final int LATIN_END = 0x2FF;
    private static final int BRAILLE_EMPTY = 0x2800;
    private static final int ESCAPE_CHARACTERS_MAX = "<U+10FFFF>".length();

    private ShownText() {}

    /// Several lines, with tabs.
    public static String of(String text, int charactersMax) {
        StringBuilder shown = new StringBuilder(Math.min(text.length(), charactersMax));
        for (int at = 0; at < text.length(); ) {
            int point = text.codePointAt(at);
            at += Character.charCount(point);
            int before = shown.length();
            append(shown, point);
            if (shown.length() > charactersMax) {
                shown.setLength(before);
                break;
            }
        }
        return shown.toString();
    }

    /// Whether [#of] leaves nothing out. It stops before what does not fit, so there must be room
    /// for one more of the longest.
    public static boolean fits(String text, int charactersMax) {
        return of(text, charactersMax + ESCAPE_CHARACTERS_MAX).length() <= charactersMax;
    }

    /// One line; what is cut off its end is marked.
    public static String line(String text) {
        return line(text, Question.LINE_CHARACTERS_MAX);
    }

    public static String line(String text, int charactersMax) {
        String line = text.replace('\n', ' ').replace('\t', ' ');
        return fits(line, charactersMax)
                ? of(line, charactersMax)
                : of(line, charactersMax - CUT.length()) + CUT;
    }

    /// What are not letters becomes the sign that says so.
    public static String utf8(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static void append(StringBuilder shown, int point) {
        if (point == '\n' || point == '\t' || isSeen(point)) {
            shown.appendCodePoint(point);
        } else {
            shown.append(String.format("<U+%04X>", point));
        }
    }

    /// Whether a person sees it, and sees it where it is. The one rule for all that is shown; the
    /// page has the same one in `parts.js`.
    public static boolean isSeen(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.UNASSIGNED,
                    Character.PRIVATE_USE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    false;
            default -> !isEmpty(point);
        };
    }

    /// Letters and marks that look like nothing: a program can be written in them. Latin has none.
    private static boolean isEmpty(int point) {
        return point > LATIN_END
                && (point == BRAILLE_EMPTY
                        || LooseForm.visible(Character.toString(point)).isEmpty());
    }
}
