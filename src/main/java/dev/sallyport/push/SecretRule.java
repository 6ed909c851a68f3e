package dev.sallyport.push;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.List;

/// What one kind of credential looks like.
///
/// @param group the capturing group that holds the secret; 0 stands for the first one that matched
///   something, or else for the whole match
/// @param keywords without any of these nothing can match
/// @param entropy in bits per character; a secret with no more is none
record SecretRule(
        String id,
        String description,
        Pattern regex,
        int group,
        List<String> keywords,
        double entropy,
        List<SecretAllowance> allowances) {
    SecretRule {
        keywords = List.copyOf(keywords);
        allowances = List.copyOf(allowances);
    }

    /// Whether the regex names a line end, and so needs more than the line of its keyword.
    boolean spansLines() {
        String text = regex.pattern();
        return text.contains("\\n") || text.contains("\\s\\S") || text.contains("(?s");
    }

    /// The number of the group of a match that holds the secret.
    int secretGroup(Matcher match) {
        if (group > 0) {
            return group;
        }
        for (int i = 1; i <= match.groupCount(); i++) {
            if (match.start(i) < match.end(i)) {
                return i;
            }
        }
        return 0;
    }

    boolean accepts(String secret, String match, String line) {
        return !secret.isEmpty()
                && (entropy <= 0 || entropyOf(secret) > entropy)
                && allowances.stream().noneMatch(a -> a.covers(secret, match, line));
    }

    /// Shannon's, in bits per character; characters are bytes here.
    static double entropyOf(String text) {
        int[] counts = new int[256];
        text.chars().forEach(c -> counts[c & 0xff]++);
        double bits = 0;
        for (int count : counts) {
            if (count > 0) {
                double share = (double) count / text.length();
                bits -= share * Math.log(share) / Math.log(2);
            }
        }
        return bits;
    }
}
