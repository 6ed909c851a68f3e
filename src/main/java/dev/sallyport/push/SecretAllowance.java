package dev.sallyport.push;

import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Says of a match that it is no credential after all.
///
/// @param target what the regexes look at
/// @param stopwords in lower case; looked for in the secret
/// @param all whether regexes and stopwords must both agree, where both are given
record SecretAllowance(Target target, List<Pattern> regexes, List<String> stopwords, boolean all) {
    enum Target {
        SECRET,
        MATCH,
        LINE
    }

    SecretAllowance {
        regexes = List.copyOf(regexes);
        stopwords = List.copyOf(stopwords);
    }

    boolean covers(String secret, String match, String line) {
        List<Boolean> opinions = new ArrayList<>();
        if (!regexes.isEmpty()) {
            String text =
                    switch (target) {
                        case SECRET -> secret;
                        case MATCH -> match;
                        case LINE -> line;
                    };
            opinions.add(regexes.stream().anyMatch(regex -> regex.matcher(text).find()));
        }
        if (!stopwords.isEmpty()) {
            String lower = secret.toLowerCase(Locale.ROOT);
            opinions.add(stopwords.stream().anyMatch(lower::contains));
        }
        return opinions.contains(true) && !(all && opinions.contains(false));
    }
}
