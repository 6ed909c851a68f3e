package dev.sallyport.policy;

import java.util.regex.Pattern;

/// A DNS host name in its one accepted spelling: lower case ASCII labels, at least two, no trailing
/// dot, no address literal in any notation.
///
/// Other spellings of the same host (upper case, trailing dot, Unicode) are refused rather than
/// folded, so that two doors can never disagree about whether two names are equal.
public record HostName(String value) implements Comparable<HostName> {
    /// RFC 1035, section 2.3.4, less the trailing dot.
    private static final int LENGTH_MAX = 253;

    private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

    /// A last label that is all digits or hexadecimal is how resolvers spell addresses (WHATWG URL,
    /// "ends in a number").
    private static final Pattern NUMERIC_LABEL = Pattern.compile("[0-9]+|0x[0-9a-f]*");

    public HostName {
        try {
            check(value);
        } catch (MalformedNameException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    public static HostName parse(String text) throws MalformedNameException {
        check(text);
        return new HostName(text);
    }

    private static void check(String text) throws MalformedNameException {
        if (text.isEmpty() || text.length() > LENGTH_MAX) {
            throw new MalformedNameException("a host name has 1 to 253 characters");
        }
        String[] labels = text.split("\\.", -1);
        if (labels.length < 2) {
            throw new MalformedNameException("a host name has at least two labels");
        }
        for (String label : labels) {
            if (!LABEL.matcher(label).matches()) {
                throw new MalformedNameException(
                        "a host name is made of lower-case letters, digits and hyphens, without a trailing dot");
            }
        }
        if (NUMERIC_LABEL.matcher(labels[labels.length - 1]).matches()) {
            throw new MalformedNameException("an address is not a host name");
        }
    }

    @Override
    public int compareTo(HostName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
