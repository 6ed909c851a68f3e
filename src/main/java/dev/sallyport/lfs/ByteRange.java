package dev.sallyport.lfs;

import dev.sallyport.upstream.AnswerHead;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A part of an object, both ends included (RFC 9110, section 14).
record ByteRange(long from, long to) {
    private static final Pattern FORM = Pattern.compile("bytes=([0-9]{1,18})-([0-9]{1,18})?");

    /// Empty when it is not one of this object; then the whole is answered, as the RFC says.
    static Optional<ByteRange> parse(String value, long size) {
        Matcher form = FORM.matcher(value);
        if (!form.matches()) {
            return Optional.empty();
        }
        long from = Long.parseLong(form.group(1));
        long to =
                form.group(2) == null
                        ? size - 1
                        : Math.min(size - 1, Long.parseLong(form.group(2)));
        return from <= to ? Optional.of(new ByteRange(from, to)) : Optional.empty();
    }

    long bytes() {
        return to - from + 1;
    }

    String wanted() {
        return "bytes=" + from + "-" + to;
    }

    String content(long size) {
        return "bytes " + from + "-" + to + "/" + size;
    }

    /// Whether an answer has just this part.
    boolean isIn(AnswerHead head, long size) {
        String value = head.one("content-range").orElse("");
        return value.equals(content(size)) || value.equals("bytes " + from + "-" + to + "/*");
    }
}
