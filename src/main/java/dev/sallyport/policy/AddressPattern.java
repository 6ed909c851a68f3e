package dev.sallyport.policy;

import java.util.Locale;
import java.util.regex.Pattern;

/// The mail addresses that commits may carry: one address, or `*@domain` for all of a domain. What
/// a commit says about its author is content, never identity.
public record AddressPattern(String value) {
    private static final Pattern FORM =
            Pattern.compile("(\\*|[A-Za-z0-9._%+\\[\\]-]{1,64})@[A-Za-z0-9.-]{1,253}");

    public AddressPattern {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("an author is an address or *@domain");
        }
    }

    public static AddressPattern parse(String text) throws MalformedNameException {
        if (!FORM.matcher(text).matches()) {
            throw new MalformedNameException("an author is written as name@domain or *@domain");
        }
        return new AddressPattern(text);
    }

    public boolean matches(String address) {
        String folded = address.toLowerCase(Locale.ROOT);
        String pattern = value.toLowerCase(Locale.ROOT);
        return pattern.startsWith("*")
                ? folded.endsWith(pattern.substring(1))
                        && folded.indexOf('@') > 0
                        && folded.indexOf('@') == folded.lastIndexOf('@')
                : folded.equals(pattern);
    }

    @Override
    public String toString() {
        return value;
    }
}
