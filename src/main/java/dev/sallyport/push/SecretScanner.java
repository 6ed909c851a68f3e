package dev.sallyport.push;

import dev.sallyport.config.ConfigException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/// Looks for credentials by rules. One pass finds keywords; only near one of its keywords is a
/// rule's regex asked, and that one runs in linear time. Bytes are read as ISO-8859-1, so that
/// binary content is scanned like any other. Safe for use by many threads.
public final class SecretScanner implements SecretFinder {
    /// Reported when content is so full of keywords that it was not read to its end: whoever wants
    /// something overlooked must not get it by making the scan too dear.
    static final String TOO_MANY_SUSPICIONS = "too-many-suspicions";

    private final List<SecretRule> rules;
    private final KeywordAutomaton keywords;

    private SecretScanner(List<SecretRule> rules) {
        this.rules = List.copyOf(rules);
        this.keywords = KeywordAutomaton.of(this.rules.stream().map(SecretRule::keywords).toList());
    }

    private static final class Standard {
        private static final SecretScanner SCANNER = new SecretScanner(SecretRules.builtIn());
    }

    /// The rules that come with the product.
    public static SecretScanner standard() {
        return Standard.SCANNER;
    }

    /// Rules in the format of gitleaks.
    static SecretScanner load(InputStream toml) throws ConfigException {
        return new SecretScanner(SecretRules.load(toml));
    }

    List<SecretRule> rules() {
        return rules;
    }

    @Override
    public List<SecretFinding> find(InputStream content) throws IOException {
        return new SecretReading(rules, keywords).run(content);
    }
}
