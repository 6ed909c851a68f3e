package dev.sallyport.policy;

/// A DNS host name in its one accepted spelling: lower case ASCII labels, at least two, no trailing
/// dot, no address literal in any notation.
///
/// Other spellings of the same host (upper case, trailing dot, Unicode) are refused rather than
/// folded, so that two doors can never disagree about whether two names are equal.
public record HostName(String value) implements Comparable<HostName> {
    /// RFC 1035, section 2.3.4, less the trailing dot.
    private static final int LENGTH_MAX = 253;

    private static final int LABEL_LENGTH_MAX = 63;

    public HostName {
        if (value.isEmpty() || value.length() > LENGTH_MAX) {
            throw new IllegalArgumentException("a host name has 1 to 253 characters");
        }
        int last = value.lastIndexOf('.') + 1;
        if (last == 0) {
            throw new IllegalArgumentException("a host name has at least two labels");
        }
        if (!isMadeOfLabels(value)) {
            throw new IllegalArgumentException(
                    "a host name is made of lower-case letters, digits and hyphens, without a trailing dot");
        }
        if (isNumeric(value, last)) {
            throw new IllegalArgumentException("an address is not a host name");
        }
    }

    public static HostName parse(String text) throws MalformedNameException {
        try {
            return new HostName(text);
        } catch (IllegalArgumentException e) {
            throw new MalformedNameException(String.valueOf(e.getMessage()));
        }
    }

    /// By hand, like all that is done for each request: patterns cost more than the rest of it.
    private static boolean isMadeOfLabels(String name) {
        int start = 0;
        for (int i = 0; i <= name.length(); i++) {
            char c = i < name.length() ? name.charAt(i) : '.';
            if (c == '.') {
                if (i == start || i - start > LABEL_LENGTH_MAX || name.charAt(i - 1) == '-') {
                    return false;
                }
                start = i + 1;
            } else if (!isDigit(c) && !(c >= 'a' && c <= 'z') && !(c == '-' && i > start)) {
                return false;
            }
        }
        return true;
    }

    /// A last label that is all digits or hexadecimal is how resolvers spell addresses (WHATWG URL,
    /// "ends in a number").
    private static boolean isNumeric(String name, int start) {
        boolean hex = name.startsWith("0x", start);
        for (int i = hex ? start + 2 : start; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!isDigit(c) && !(hex && c >= 'a' && c <= 'f')) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
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
