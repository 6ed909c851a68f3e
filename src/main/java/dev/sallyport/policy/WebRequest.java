package dev.sallyport.policy;

import java.util.Optional;

/// What the policy is asked about one request that can be read: on an inspected connection, or in
/// the clear.
///
/// @param contentType value of the field as sent
/// @param bodyBytes absent when the body has no length yet
public record WebRequest(
        String method, UrlPath path, Optional<String> contentType, Optional<Long> bodyBytes) {}
