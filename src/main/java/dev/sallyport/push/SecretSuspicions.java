package dev.sallyport.push;

import com.google.re2j.Matcher;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/// Collects the places that a rule must look at, and lets it look.
///
/// Places that touch are joined, so that a byte goes through one rule's regex once, but for the
/// margins of a window. How many bytes go through regexes altogether is limited in proportion to
/// the content; whoever exceeds that wrote it to be slow.
final class SecretSuspicions implements KeywordAutomaton.Listener {
    private static final int FINDINGS_MAX = 20;
    private static final long REGEX_BYTES_FREE = 16L << 20;
    private static final int BYTES_PER_REGEX_BYTE = 4;

    /// What looking for another match costs beside the bytes.
    private static final int MATCH_BYTES = 64;

    private static final int NONE = -1;

    private record Key(long line, String fingerprint) {}

    private final List<SecretRule> rules;
    private final boolean[] spansLines;

    /// By rule: the place to look at, if any, and where the last match ended.
    private final int[] from;

    private final int[] to;
    private final int[] done;

    private final Map<Key, Integer> found = new HashMap<>();
    private SecretWindow window = new SecretWindow(new byte[0], 0, 0);
    private long allowance = REGEX_BYTES_FREE;
    private long stoppedAt = NONE;

    SecretSuspicions(List<SecretRule> rules) {
        this.rules = rules;
        this.from = new int[rules.size()];
        this.to = new int[rules.size()];
        this.done = new int[rules.size()];
        Arrays.fill(from, NONE);
        this.spansLines = new boolean[rules.size()];
        for (int i = 0; i < spansLines.length; i++) {
            spansLines[i] = rules.get(i).spansLines();
        }
    }

    void enter(SecretWindow next, int newBytes) {
        window = next;
        allowance += newBytes / BYTES_PER_REGEX_BYTE;
    }

    /// A place reaches from its keyword as far as the line does, or as the margins do.
    @Override
    public boolean found(int rule, int end) {
        if (from[rule] == NONE || end > to[rule]) {
            suspect(rule, end);
        }
        to[rule] = spansLines[rule] ? window.farEnd(end) : window.lineEnd(to[rule], end);
        return !isEnough();
    }

    private void suspect(int rule, int end) {
        int start = window.lineStart(end - 1);
        if (from[rule] == NONE || start > to[rule] + 1) {
            look(rule);
            from[rule] = start;
        }
        to[rule] = end;
    }

    /// Every place of the window is looked at.
    void leave() {
        for (int rule = 0; rule < from.length && !isEnough(); rule++) {
            look(rule);
        }
        Arrays.fill(from, NONE);
    }

    /// The window moves on by so many bytes.
    void forget(int bytes) {
        for (int rule = 0; rule < done.length; rule++) {
            done[rule] = Math.max(0, done[rule] - bytes);
        }
    }

    private void look(int rule) {
        int start = Math.max(from[rule], 0);
        if (from[rule] == NONE || isEnough()) {
            return;
        }
        from[rule] = NONE;
        String text = window.text(start, to[rule]);
        pay(text.length(), start);
        Matcher match = rules.get(rule).regex().matcher(text);
        while (!isEnough() && match.find()) {
            pay(MATCH_BYTES, start);
            consider(rule, match, text, start);
        }
    }

    private void pay(int bytes, int at) {
        allowance -= bytes;
        if (allowance < 0 && stoppedAt == NONE) {
            stoppedAt = window.lineNumber(at);
        }
    }

    private void consider(int rule, Matcher match, String text, int start) {
        int group = rules.get(rule).secretGroup(match);
        if (match.start(group) < 0 || start + match.start(group) < done[rule]) {
            return;
        }
        int at = start + match.start(group);
        String secret = match.group(group);
        if (rules.get(rule).accepts(secret, match.group(), line(text, match.start(group)))) {
            done[rule] = start + match.end(group);
            found.merge(new Key(window.lineNumber(at), sha256(secret)), rule, Math::min);
        }
    }

    private static String line(String text, int at) {
        int end = text.indexOf('\n', at);
        return text.substring(text.lastIndexOf('\n', at) + 1, end < 0 ? text.length() : end);
    }

    boolean isEnough() {
        return found.size() >= FINDINGS_MAX || stoppedAt != NONE;
    }

    List<SecretFinding> findings() {
        if (stoppedAt != NONE) {
            String id = SecretScanner.TOO_MANY_SUSPICIONS;
            return List.of(new SecretFinding(id, stoppedAt, sha256(id)));
        }
        return found.entrySet().stream()
                .map(
                        e ->
                                new SecretFinding(
                                        rules.get(e.getValue()).id(),
                                        e.getKey().line(),
                                        e.getKey().fingerprint()))
                .sorted(
                        Comparator.comparingLong(SecretFinding::line)
                                .thenComparing(SecretFinding::rule)
                                .thenComparing(SecretFinding::fingerprint))
                .toList();
    }

    private static String sha256(String latin) {
        try {
            byte[] bytes = latin.getBytes(StandardCharsets.ISO_8859_1);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }
}
