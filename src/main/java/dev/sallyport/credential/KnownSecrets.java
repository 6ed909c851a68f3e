package dev.sallyport.credential;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Tells texts that have one of a session's secrets in them, in any [Spelling] or [Escape], from
/// those that have not. What is written down goes past it: patterns know what tokens look like,
/// this knows what they are.
public final class KnownSecrets {
    /// So many characters of a secret are no chance, and keep the table of a session small. All
    /// spellings are of the same ones, so that none tells more than another; in hex they have room
    /// in one label of a host name.
    private static final int LENGTH_MAX = 28;

    /// The header of a JSON web token, and what an issuer writes before it, is no secret: so many
    /// with it.
    private static final int WEB_TOKEN_LENGTH_MAX = 192;

    /// What is cut off may end within a secret; so many characters of it are no chance.
    private static final int BEGINNING_MIN = 8;

    /// What texts end with that were cut off.
    private static final String CUT = "…";

    private final Needles needles;

    private KnownSecrets(Needles needles) {
        this.needles = needles;
    }

    static KnownSecrets of(List<Secret> secrets) {
        return new KnownSecrets(
                Needles.ofAnyCase(
                        secrets.stream()
                                .filter(Secret::canBeFound)
                                .map(KnownSecrets::beginning)
                                .toList()));
    }

    private static String beginning(Secret secret) {
        String text = secret.text();
        int token = text.indexOf("eyJ");
        int header = token < 0 ? 0 : text.indexOf('.', token) + 1;
        int length = Math.min(header + LENGTH_MAX, WEB_TOKEN_LENGTH_MAX);
        return text.substring(0, Math.min(text.length(), length));
    }

    /// Whether a whole one is there. A sandbox may see no more of the answers than this: whoever
    /// learns that a text ends within a secret guesses it character by character.
    public boolean isWholeIn(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new EchoSearch(needles, 0).finds(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
    }

    /// Whether one is there, or the beginning of one where the text was cut off.
    public boolean isIn(String text) {
        return !before(text).equals(text);
    }

    /// What a text has before the first secret, and before the beginning of one where it was cut
    /// off; all of it when there is none. Where a secret ends nobody can say.
    public String before(String text) {
        boolean cut = text.endsWith(CUT);
        String whole = cut ? text.substring(0, text.length() - CUT.length()) : text;
        byte[] bytes = whole.getBytes(StandardCharsets.UTF_8);
        int end = bytes.length;
        int next = secretFrom(bytes, end, cut);
        if (next == end) {
            return text;
        }
        // What is left is itself cut off.
        while (next < end) {
            end = next;
            next = secretFrom(bytes, end, true);
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    /// @return `length` when there is none
    private int secretFrom(byte[] bytes, int length, boolean cut) {
        EchoSearch search = new EchoSearch(needles, 0);
        boolean found = search.finds(Unpooled.wrappedBuffer(bytes), 0, length);
        if (!found && !cut) {
            return length;
        }
        long from = search.suspiciousFrom(BEGINNING_MIN);
        // Where an escape ends with what comes next, the search has gone on: it may be anywhere.
        return found && from == search.position() ? 0 : (int) from;
    }
}
