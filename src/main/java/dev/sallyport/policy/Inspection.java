package dev.sallyport.policy;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/// What the requests to a host may be. A rule that has one is inspected: its TLS ends at the
/// gateway.
///
/// @param methods absent allows every one, empty none
/// @param paths absent allows every one, empty none
/// @param contentTypesDenied media types in lower case, without parameters, that a request may not
///   have; `application/dns-message` never passes, listed or not
/// @param requestBytesMax absent leaves the limit to the budgets
/// @param json when there are any, a request with a body must be JSON
/// @param queryAllowed parameters that pass although they may carry a credential
/// @param ask whether each request goes upstream only when a person says yes
public record Inspection(
        Optional<SortedSet<String>> methods,
        Optional<List<UrlPattern>> paths,
        List<String> contentTypesDenied,
        Optional<Long> requestBytesMax,
        JsonRules json,
        boolean websocket,
        List<QueryName> queryAllowed,
        Optional<Injection> injection,
        boolean ask) {
    /// Allows no request.
    static final Inspection NOTHING = nothingWith(Optional.empty());

    /// Allows no request; what is asked in another way has this secret in it.
    static Inspection nothingWith(Optional<Injection> injection) {
        return new Inspection(
                Optional.of(Collections.emptySortedSet()),
                Optional.of(List.of()),
                List.of(),
                Optional.empty(),
                JsonRules.NONE,
                false,
                List.of(),
                injection,
                false);
    }

    public Inspection {
        paths = paths.map(List::copyOf);
        contentTypesDenied = List.copyOf(contentTypesDenied);
        queryAllowed = List.copyOf(queryAllowed);
    }

    /// The same for these paths only.
    public Inspection withPaths(List<UrlPattern> chosen) {
        return new Inspection(
                methods,
                Optional.of(chosen),
                contentTypesDenied,
                requestBytesMax,
                json,
                websocket,
                queryAllowed,
                injection,
                ask);
    }

    /// The same with these rules about JSON only.
    public Inspection withJson(JsonRules chosen) {
        return new Inspection(
                methods,
                paths,
                contentTypesDenied,
                requestBytesMax,
                chosen,
                websocket,
                queryAllowed,
                injection,
                ask);
    }
}
