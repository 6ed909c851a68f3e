package dev.sallyport.forge;

import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.UrlPath;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The path of a REST call in its one form: decoded segments, none of them empty. What two servers
/// could read in two ways is refused, as [UrlPath] refuses it; beyond that parameters (`;`) and a
/// slash at the end. A slash inside a segment was sent as `%2F`, as clients send those of branches.
///
/// @param segments without the root of the API; empty for the root itself
record RestPath(List<String> segments) {
    /// What a client for Go sends for the top directory of a repository.
    private static final String TOP_DIRECTORY = "/contents/";

    RestPath {
        segments = List.copyOf(segments);
    }

    /// @param raw as sent, without the root of the API
    static RestPath parse(String raw) throws MalformedNameException {
        if (raw.isEmpty() || raw.equals("/")) {
            return new RestPath(List.of());
        }
        String path = raw.endsWith(TOP_DIRECTORY) ? raw.substring(0, raw.length() - 1) : raw;
        if (path.charAt(0) != '/') {
            throw new MalformedNameException("a path begins with a slash");
        }
        List<String> segments = new ArrayList<>();
        for (String segment : path.substring(1).split("/", -1)) {
            segments.add(segment(segment));
        }
        return new RestPath(segments);
    }

    private static String segment(String raw) throws MalformedNameException {
        List<String> parts = new ArrayList<>();
        for (String part : raw.split("%2[fF]", -1)) {
            parts.add(part(part));
        }
        return String.join("/", parts);
    }

    private static String part(String raw) throws MalformedNameException {
        if (raw.isEmpty()) {
            throw new MalformedNameException(
                    "a path has no empty segments and no slash at its end");
        }
        byte[] bytes =
                UrlPath.parse("/" + raw)
                        .segments()
                        .getFirst()
                        .getBytes(StandardCharsets.ISO_8859_1);
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.indexOf(';') >= 0 || text.codePoints().anyMatch(Character::isISOControl)) {
            throw new MalformedNameException("a path has a character that is not accepted");
        }
        return text;
    }

    /// The spelling that goes upstream: everything escaped that can be, in UTF-8.
    static String escaped(String segment) {
        StringBuilder text = new StringBuilder();
        for (byte b : segment.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain =
                    (c >= 'a' && c <= 'z')
                            || (c >= 'A' && c <= 'Z')
                            || (c >= '0' && c <= '9')
                            || "-._~".indexOf(c) >= 0;
            text.append(plain ? String.valueOf(c) : "%%%02X".formatted((int) c));
        }
        return text.toString();
    }
}
