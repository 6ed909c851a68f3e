package dev.sallyport.egress;

import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/// Reads JSON byte by byte (RFC 8259, without any tolerance) and tells what is in it, and where.
///
/// Jackson's parser for input that comes in pieces is not used: depending on where the pieces end,
/// it takes documents that are none, and it keeps every string whole, when a request to a model may
/// have a picture of many megabytes in one. What is held here is bounded.
final class JsonScanner {
    /// Hears what was found; may refuse to go on. Places are numbers of bytes before them.
    interface Listener {
        void name(String name, long from) throws RefusedException;

        /// An object or a list begins.
        void open(boolean object, long from) throws RefusedException;

        /// The innermost object or list is over.
        void close(long after) throws RefusedException;

        /// A text, as a value.
        ///
        /// @param member whose value it is, or in whose list it is; empty outside objects
        /// @param text its beginning, if it is longer than [#TEXT_CHARACTERS_KEPT]
        void text(String member, String text, long from, long after) throws RefusedException;

        /// A number, or one of the three literal names.
        void word(long from, long after) throws RefusedException;

        void comma(long at);
    }

    static final int TEXT_CHARACTERS_KEPT = 10_000;

    private static final int DEPTH_MAX = 256;
    private static final int NAME_CHARACTERS_MAX = 1_000;
    private static final int WORD_CHARACTERS_MAX = 1_000;

    /// Names of objects that are still open are kept, to find one that is there twice. Few are
    /// enough for any request, and a body that is never finished must not hold much memory.
    private static final int OPEN_NAMES_MAX = 2_000;

    private static final int OPEN_NAMES_CHARACTERS_MAX = 1 << 16;

    /// What is kept costs about so much of the heap. The first is for any body: the beginning of a
    /// text, a word, and this object.
    private static final int BODY_BYTES = 32 * 1_024;

    private static final int LEVEL_BYTES = 384;
    private static final int NAME_BYTES = 128;

    private static final Pattern WORD =
            Pattern.compile(
                    "true|false|null|-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?");

    private enum Expected {
        VALUE,
        VALUE_OR_END,
        NAME,
        NAME_OR_END,
        COLON,
        COMMA_OR_END,
        NOTHING
    }

    private enum Inside {
        NOTHING,
        STRING,
        /// A number, or one of the three literal names.
        WORD
    }

    /// An object or array that is open.
    private static final class Level {
        private final boolean object;
        private final Set<String> names = new HashSet<>();
        private String member = "";

        Level(boolean object) {
            this.object = object;
        }
    }

    private final Listener listener;
    private final JsonRoom room;
    private final Deque<Level> levels = new ArrayDeque<>();
    private final StringBuilder word = new StringBuilder();
    private final JsonText text = new JsonText(TEXT_CHARACTERS_KEPT);
    private Expected expected = Expected.VALUE;
    private Inside inside = Inside.NOTHING;
    private int openNames;
    private int openNamesCharacters;
    private long bytesTaken;
    private long at;
    private long from;

    JsonScanner(Listener listener, JsonRoom room) {
        this.listener = listener;
        this.room = room;
    }

    /// Gives the room back. Nothing is read afterwards.
    void release() {
        room.give(bytesTaken);
        bytesTaken = 0;
    }

    private void take(long bytes) throws RefusedException {
        if (!room.take(bytes)) {
            throw new RefusedException(Refusal.GATEWAY_BUSY, "no room for the body now");
        }
        bytesTaken += bytes;
    }

    private void give(long bytes) {
        room.give(bytes);
        bytesTaken -= bytes;
    }

    void read(byte b) throws RefusedException {
        if (bytesTaken == 0) {
            take(BODY_BYTES);
        }
        step(b);
        at++;
    }

    private void step(byte b) throws RefusedException {
        switch (inside) {
            case STRING -> {
                if (text.endsAt(b)) {
                    inside = Inside.NOTHING;
                    endString(text.take());
                }
            }
            case WORD -> {
                if (isOfWord(b)) {
                    require(word.length() < WORD_CHARACTERS_MAX);
                    word.append((char) b);
                } else {
                    endWord();
                    outside(b);
                }
            }
            case NOTHING -> outside(b);
        }
    }

    /// Whether what was read is one whole document.
    void end() throws RefusedException {
        if (inside == Inside.WORD) {
            endWord();
        }
        require(inside == Inside.NOTHING && expected == Expected.NOTHING);
    }

    private void outside(byte b) throws RefusedException {
        switch (b) {
            case ' ', '\t', '\r', '\n' -> {}
            case '{' -> open(new Level(true), Expected.NAME_OR_END);
            case '[' -> open(new Level(false), Expected.VALUE_OR_END);
            case '}' -> close(true, Expected.NAME_OR_END);
            case ']' -> close(false, Expected.VALUE_OR_END);
            case ',' -> {
                require(expected == Expected.COMMA_OR_END);
                expected = isInObject() ? Expected.NAME : Expected.VALUE;
                listener.comma(at);
            }
            case ':' -> {
                require(expected == Expected.COLON);
                expected = Expected.VALUE;
            }
            case '"' -> {
                require(isNameExpected() || isValueExpected());
                inside = Inside.STRING;
                from = at;
            }
            default -> {
                require(isOfWord(b) && isValueExpected());
                word.append((char) b);
                inside = Inside.WORD;
                from = at;
            }
        }
    }

    private static boolean isOfWord(byte b) {
        return (b >= '0' && b <= '9')
                || (b >= 'a' && b <= 'z')
                || b == 'E'
                || b == '+'
                || b == '-'
                || b == '.';
    }

    private boolean isValueExpected() {
        return expected == Expected.VALUE || expected == Expected.VALUE_OR_END;
    }

    private boolean isNameExpected() {
        return expected == Expected.NAME || expected == Expected.NAME_OR_END;
    }

    private boolean isInObject() {
        return !levels.isEmpty() && levels.getFirst().object;
    }

    private void open(Level level, Expected first) throws RefusedException {
        require(isValueExpected() && levels.size() < DEPTH_MAX);
        take(LEVEL_BYTES);
        listener.open(level.object, at);
        levels.push(level);
        expected = first;
    }

    private void close(boolean object, Expected whenEmpty) throws RefusedException {
        require(expected == whenEmpty || expected == Expected.COMMA_OR_END);
        require(!levels.isEmpty() && levels.getFirst().object == object);
        for (String name : levels.pop().names) {
            openNames--;
            openNamesCharacters -= name.length();
            give(bytes(name));
        }
        give(LEVEL_BYTES);
        listener.close(at + 1);
        endValue();
    }

    private void endWord() throws RefusedException {
        require(WORD.matcher(word).matches());
        word.setLength(0);
        inside = Inside.NOTHING;
        listener.word(from, at);
        endValue();
    }

    private void endString(String string) throws RefusedException {
        if (isNameExpected()) {
            endName(string);
            return;
        }
        listener.text(member(), string, from, at + 1);
        endValue();
    }

    private void endName(String name) throws RefusedException {
        openNamesCharacters += name.length();
        require(++openNames <= OPEN_NAMES_MAX);
        require(openNamesCharacters <= OPEN_NAMES_CHARACTERS_MAX);
        Level object = levels.getFirst();
        require(name.length() <= NAME_CHARACTERS_MAX && object.names.add(name));
        take(bytes(name));
        object.member = name;
        listener.name(name, from);
        expected = Expected.COLON;
    }

    private static long bytes(String name) {
        return NAME_BYTES + 2L * name.length();
    }

    private String member() {
        for (Level level : levels) {
            if (level.object) {
                return level.member;
            }
        }
        return "";
    }

    private void endValue() {
        expected = levels.isEmpty() ? Expected.NOTHING : Expected.COMMA_OR_END;
    }

    static void require(boolean holds) throws RefusedException {
        if (!holds) {
            throw new RefusedException(
                    Refusal.CONTENT_NOT_ALLOWED, "not a document that may be sent");
        }
    }
}
