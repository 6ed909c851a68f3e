package dev.sallyport.push;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;

/// One reading of one content, window by window.
///
/// ```
///            ┌ BEFORE ┬──────────── searched ───────────┬ AFTER ┐
/// window n   │ seen   │ keywords are looked for here    │       │
/// window n+1                                   │ seen   │ searched ...
/// ```
///
/// The margins hold what a regex may need around a keyword.
final class SecretReading {
    static final int BEFORE = 128;
    static final int AFTER = 1_280;
    static final int WINDOW = 65_536;

    private static final int BUFFER_BYTES = BEFORE + WINDOW + AFTER;

    /// Most files are shorter, and a larger buffer would take longer to clear than they to search.
    private static final int FIRST_BYTES = 8_192;

    private final KeywordAutomaton keywords;
    private byte[] buffer = new byte[FIRST_BYTES];
    private final SecretSuspicions suspicions;
    private int length;
    private int searched;
    private long linesBefore;

    SecretReading(List<SecretRule> rules, KeywordAutomaton keywords) {
        this.keywords = keywords;
        this.suspicions = new SecretSuspicions(rules);
    }

    List<SecretFinding> run(InputStream content) throws IOException {
        int state = KeywordAutomaton.start();
        boolean over = false;
        while (!over) {
            int read = fill(content);
            over = length < buffer.length;
            int until = over ? length : length - AFTER;
            SecretWindow window = new SecretWindow(buffer, length, linesBefore);
            state = search(state, until, window, read);
            searched = until;
            over |= suspicions.isEnough();
            if (!over) {
                slide();
            }
        }
        return suspicions.findings();
    }

    private int fill(InputStream content) throws IOException {
        int before = length;
        length += content.readNBytes(buffer, length, buffer.length - length);
        if (length == buffer.length && length < BUFFER_BYTES) {
            buffer = Arrays.copyOf(buffer, BUFFER_BYTES);
            length += content.readNBytes(buffer, length, buffer.length - length);
        }
        return length - before;
    }

    private int search(int state, int until, SecretWindow window, int read) {
        suspicions.enter(window, read);
        int end = keywords.read(state, buffer, searched, until, suspicions);
        suspicions.leave();
        return end;
    }

    /// Moves what may still be needed to the front.
    private void slide() {
        int drop = Math.max(0, searched - BEFORE);
        linesBefore += SecretWindow.lineEnds(buffer, drop);
        System.arraycopy(buffer, drop, buffer, 0, length - drop);
        length -= drop;
        searched -= drop;
        suspicions.forget(drop);
    }
}
