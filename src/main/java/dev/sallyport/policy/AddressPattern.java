package dev.sallyport.policy;

import java.util.Locale;
import java.util.regex.Pattern;

/// The mail addresses that commits may carry: one address, or `*@domain` for all of a domain, but
/// not of the domains below it. What a commit says about its author is content, never identity.
///
/// Only ASCII is compared, ignoring case: an address with any other character matches nothing, so
/// that no look-alike does.
public record AddressPattern(String value) {
    private static final String LOCAL = "[A-Za-z0-9!#$%&'+/=?^_`{|}~.\\[\\]-]{1,64}";
    private static final String DOMAIN = "@(?=.{1,253}$)[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)*+";
    private static final Pattern ADDRESS = Pattern.compile(LOCAL + DOMAIN);
    private static final Pattern FORM = Pattern.compile("(?:\\*|" + LOCAL + ")" + DOMAIN);

    /// Nothing longer is looked at.
    private static final int LENGTH_MAX = 320;

    public AddressPattern {
        if (!isPattern(value)) {
            throw new IllegalArgumentException("an author is an address or *@domain");
        }
    }

    public static AddressPattern parse(String text) throws MalformedNameException {
        if (!isPattern(text)) {
            throw new MalformedNameException("an author is written as name@domain or *@domain");
        }
        return new AddressPattern(text);
    }

    private static boolean isPattern(String text) {
        return text.length() <= LENGTH_MAX && FORM.matcher(text).matches();
    }

    public boolean matches(String address) {
        if (address.length() > LENGTH_MAX || !ADDRESS.matcher(address).matches()) {
            return false;
        }
        String folded = address.toLowerCase(Locale.ROOT);
        String pattern = value.toLowerCase(Locale.ROOT);
        return pattern.startsWith("*")
                ? folded.substring(folded.indexOf('@')).equals(pattern.substring(1))
                : folded.equals(pattern);
    }

    @Override
    public String toString() {
        return value;
    }
}
