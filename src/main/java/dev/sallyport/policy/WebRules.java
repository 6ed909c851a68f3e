package dev.sallyport.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Judges one request by what a rule says about requests.
record WebRules(Inspection inspection) {
    /// DNS over HTTPS (RFC 8484): an allowed host must not become a resolver.
    private static final String DNS_MESSAGE = "application/dns-message";

    private static final Set<String> NEVER = Set.of("TRACE", "CONNECT");

    /// For requests that are seen although no rule asks for it, because they are not encrypted.
    static final WebRules STANDARD_OBJECTIONS =
            new WebRules(
                    new Inspection(
                            Optional.empty(),
                            Optional.empty(),
                            List.of(),
                            Optional.empty(),
                            JsonRules.NONE,
                            false,
                            List.of(),
                            Optional.empty(),
                            false));

    /// What no rule can allow: a method that returns the request with its credential (E14), a
    /// request that is git's, and DNS.
    static Optional<Refusal> standing(WebRequest request) {
        if (NEVER.contains(request.method())) {
            return Optional.of(Refusal.METHOD_NOT_ALLOWED);
        }
        if (GitEndpoint.is(request.path())) {
            return Optional.of(Refusal.URL_NOT_ALLOWED);
        }
        boolean dns = request.contentType().stream().anyMatch(t -> types(t).contains(DNS_MESSAGE));
        return dns ? Optional.of(Refusal.CONTENT_NOT_ALLOWED) : Optional.empty();
    }

    Optional<Refusal> to(WebRequest request) {
        return all(request).stream().findFirst();
    }

    /// Everything that stands against it, so that nobody who sets one aside overlooks another.
    List<Refusal> all(WebRequest request) {
        List<Refusal> objections = new ArrayList<>();
        standing(request).ifPresent(objections::add);
        if (inspection.methods().filter(m -> !m.contains(request.method())).isPresent()) {
            objections.add(Refusal.METHOD_NOT_ALLOWED);
        }
        if (!hasPath(request.path())) {
            objections.add(Refusal.URL_NOT_ALLOWED);
        }
        if (request.contentType().filter(this::isDenied).isPresent()) {
            objections.add(Refusal.CONTENT_NOT_ALLOWED);
        }
        if (isLarge(request)) {
            objections.add(Refusal.BODY_TOO_LARGE);
        }
        return objections;
    }

    /// A rule without patterns has none that says how an escaped slash is to be read.
    private boolean hasPath(UrlPath path) {
        return inspection
                .paths()
                .map(patterns -> patterns.stream().anyMatch(p -> p.matches(path)))
                .orElse(!path.hasEscapedSlash());
    }

    private boolean isLarge(WebRequest request) {
        return inspection
                .requestBytesMax()
                .filter(max -> request.bodyBytes().filter(size -> size > max).isPresent())
                .isPresent();
    }

    private boolean isDenied(String contentType) {
        return !Collections.disjoint(types(contentType), inspection.contentTypesDenied());
    }

    /// Every type that some reader could find in the value; a good one has one.
    private static List<String> types(String contentType) {
        return Arrays.stream(contentType.toLowerCase(Locale.ROOT).split("[;,]"))
                .map(String::strip)
                .toList();
    }

    /// The paths of git's smart HTTP and of its large files. They are served by the git door and by
    /// no other, for no host, so that what is judged there cannot be had here (G15, G16).
    private static final class GitEndpoint {
        private static final String INFO = "info";

        /// Whether some server could take it for one, ignoring case, parameters and a last slash.
        static boolean is(UrlPath path) {
            List<String> words =
                    path.segments().stream()
                            .map(segment -> segment.split(";", 2)[0].toLowerCase(Locale.ROOT))
                            .filter(word -> !word.isEmpty())
                            .toList();
            if (words.isEmpty()) {
                return false;
            }
            for (int i = 0; i + 1 < words.size(); i++) {
                if (words.get(i).equals(INFO) && words.get(i + 1).equals("lfs")) {
                    return true;
                }
            }
            return switch (words.getLast()) {
                case "git-upload-pack", "git-receive-pack", "git-upload-archive" -> true;
                case "refs" -> words.size() > 1 && words.get(words.size() - 2).equals(INFO);
                default -> false;
            };
        }
    }
}
