package dev.sallyport.policy;

import java.util.regex.Pattern;

/// A git object id in its one accepted form: forty lower-case hex digits.
public record ObjectName(String hex) {
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{40}");

    /// Stands for "no such ref" in a push command.
    public static final ObjectName ZERO = new ObjectName("0".repeat(40));

    public ObjectName {
        if (!FORM.matcher(hex).matches()) {
            throw new IllegalArgumentException("an object id is forty lower-case hex digits");
        }
    }

    public static ObjectName parse(String text) throws MalformedNameException {
        if (!FORM.matcher(text).matches()) {
            throw new MalformedNameException("an object id is forty lower-case hex digits");
        }
        return new ObjectName(text);
    }

    public boolean isZero() {
        return equals(ZERO);
    }

    @Override
    public String toString() {
        return hex;
    }
}
