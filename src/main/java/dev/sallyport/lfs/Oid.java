package dev.sallyport.lfs;

import java.util.Optional;
import java.util.regex.Pattern;

/// The name of a large object: SHA-256 of its content, in lower case.
record Oid(String hex) {
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{64}");

    static Optional<Oid> parse(String text) {
        return FORM.matcher(text).matches() ? Optional.of(new Oid(text)) : Optional.empty();
    }

    @Override
    public String toString() {
        return hex;
    }
}
