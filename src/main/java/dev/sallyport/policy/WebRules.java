package dev.sallyport.policy;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Judges one request by what a rule says about requests.
record WebRules(Inspection inspection) {
    /// DNS over HTTPS (RFC 8484): an allowed host must not become a resolver.
    private static final String DNS_MESSAGE = "application/dns-message";

    /// For requests that are seen although no rule asks for it, because they are not encrypted.
    static final WebRules STANDARD_OBJECTIONS =
            new WebRules(
                    new Inspection(
                            Optional.empty(),
                            Optional.empty(),
                            List.of(),
                            Optional.empty(),
                            List.of(),
                            false,
                            Optional.empty()));

    Optional<Refusal> to(WebRequest request) {
        if (inspection.methods().filter(m -> !m.contains(request.method())).isPresent()
                || request.method().equals("TRACE")
                || request.method().equals("CONNECT")) {
            return Optional.of(Refusal.METHOD_NOT_ALLOWED);
        }
        if (inspection
                .paths()
                .filter(p -> p.stream().noneMatch(m -> m.matches(request.path())))
                .isPresent()) {
            return Optional.of(Refusal.URL_NOT_ALLOWED);
        }
        if (request.contentType().filter(this::isDenied).isPresent()) {
            return Optional.of(Refusal.CONTENT_NOT_ALLOWED);
        }
        boolean large =
                inspection
                        .requestBytesMax()
                        .filter(max -> request.bodyBytes().filter(size -> size > max).isPresent())
                        .isPresent();
        return large ? Optional.of(Refusal.BODY_TOO_LARGE) : Optional.empty();
    }

    private boolean isDenied(String contentType) {
        String type = contentType.split("[;,]", 2)[0].strip().toLowerCase(Locale.ROOT);
        return type.equals(DNS_MESSAGE) || inspection.contentTypesDenied().contains(type);
    }
}
