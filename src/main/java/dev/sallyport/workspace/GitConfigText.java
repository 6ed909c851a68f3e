package dev.sallyport.workspace;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/// A minimal reader of git's configuration syntax. The text comes from a workspace that an agent
/// may have written, so git itself is never run on it (G17), and what could lead elsewhere
/// (`include`, `insteadOf`) is read as the plain entry that it is and followed by nobody.
public final class GitConfigText {
    /// One setting.
    ///
    /// @param section lower case
    /// @param subsection as written; empty when there is none
    /// @param key lower case
    public record Entry(String section, String subsection, String key, String value) {
        /// As versions of git read it: some take a tab within a value for a blank.
        Stream<Entry> readings() {
            String blanks = value.replace('\t', ' ').replace('\r', ' ');
            return Stream.of(this, new Entry(section, subsection, key, blanks)).distinct();
        }
    }

    /// The text is not git configuration, or holds a NUL: for git a name or value ends there, and
    /// what it then is depends on where the NUL is.
    public static final class MalformedException extends Exception {
        private static final long serialVersionUID = 1L;

        MalformedException(int line) {
            super("line " + line + " is not git configuration");
        }
    }

    private final String text;
    private final List<Entry> entries = new ArrayList<>();
    private int position;
    private int line = 1;
    private String section = "";
    private String subsection = "";

    private GitConfigText(String text) {
        this.text = text.startsWith("\ufeff") ? text.substring(1) : text;
    }

    public static List<Entry> parse(String text) throws MalformedException {
        GitConfigText reader = new GitConfigText(text);
        reader.readAll();
        return List.copyOf(reader.entries);
    }

    private void readAll() throws MalformedException {
        if (text.indexOf(0) >= 0) {
            throw malformed();
        }
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == '#' || c == ';') {
                skipLine();
            } else if (isSpace(c)) {
                next();
            } else if (c == '[') {
                readHeader();
            } else {
                readEntry();
            }
        }
    }

    private void readHeader() throws MalformedException {
        next();
        StringBuilder name = new StringBuilder();
        while (isNameCharacter(peek()) || peek() == '.') {
            name.append(next());
        }
        // [filter.x] is an older way to write [filter "x"].
        String[] written = name.toString().toLowerCase(Locale.ROOT).split("\\.", 2);
        section = written[0];
        subsection = written.length > 1 ? written[1] : "";
        while (peek() == ' ' || peek() == '\t') {
            next();
        }
        if (peek() == '"') {
            String quoted = readQuotedSubsection();
            subsection = subsection.isEmpty() ? quoted : subsection + "." + quoted;
        }
        if (section.isEmpty() || peek() != ']') {
            throw malformed();
        }
        next();
    }

    private String readQuotedSubsection() throws MalformedException {
        StringBuilder name = new StringBuilder();
        next();
        while (peek() != '"') {
            if (peek() == '\n' || peek() == END) {
                throw malformed();
            }
            if (peek() == '\\') {
                next();
            }
            name.append(next());
        }
        next();
        return name.toString();
    }

    private void readEntry() throws MalformedException {
        StringBuilder key = new StringBuilder();
        while (isNameCharacter(peek())) {
            key.append(next());
        }
        while (peek() == ' ' || peek() == '\t') {
            next();
        }
        if (key.isEmpty() || section.isEmpty()) {
            throw malformed();
        }
        Optional<String> value = Optional.empty();
        if (peek() == '=') {
            next();
            value = Optional.of(readValue());
        } else if (peek() != '\n' && peek() != '\r' && peek() != END) {
            throw malformed();
        }
        String name = key.toString().toLowerCase(Locale.ROOT);
        entries.add(new Entry(section, subsection, name, value.orElse("true")));
    }

    private String readValue() throws MalformedException {
        StringBuilder value = new StringBuilder();
        boolean quoted = false;
        int keep = 0;
        while (peek() != END && peek() != '\n') {
            char c = next();
            if (c == '\\') {
                readEscape(value);
                keep = value.length();
            } else if (c == '"') {
                quoted = !quoted;
                keep = value.length();
            } else if (!quoted && (c == '#' || c == ';')) {
                skipLine();
                break;
            } else if (quoted || !isSpace(c)) {
                value.append(c);
                keep = value.length();
            } else if (!value.isEmpty()) {
                value.append(c);
            }
        }
        if (quoted) {
            throw malformed();
        }
        return value.substring(0, keep);
    }

    private void readEscape(StringBuilder value) throws MalformedException {
        char c = next();
        switch (c) {
            case '\n' -> {}
            case 't' -> value.append('\t');
            case 'b' -> value.append('\b');
            case 'n' -> value.append('\n');
            case '"', '\\' -> value.append(c);
            default -> throw malformed();
        }
    }

    private static final char END = '\uffff';

    private char peek() {
        return position < text.length() ? text.charAt(position) : END;
    }

    private char next() throws MalformedException {
        if (position >= text.length()) {
            throw malformed();
        }
        char c = text.charAt(position++);
        if (c == '\n') {
            line++;
        }
        return c;
    }

    private void skipLine() throws MalformedException {
        while (peek() != '\n' && position < text.length()) {
            next();
        }
    }

    /// What git takes for a blank; Java takes more.
    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }

    private static boolean isNameCharacter(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '-';
    }

    private MalformedException malformed() {
        return new MalformedException(line);
    }
}
