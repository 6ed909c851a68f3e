package dev.sallyport.egress;

import dev.sallyport.http.CredentialFields;
import dev.sallyport.http.RequestHead;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Injection.Place;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.QueryName;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;

/// Credentials that a sandbox sends. One that is not ours is an attacker's, who collects under it
/// what an allowed host is given (E15), or was stolen.
///
/// Fields of known names ([CredentialFields]) are dropped without a word, because clients send
/// made-up ones when they are told to have none. Parameters of known names are refused. A
/// credential elsewhere, such as in a path, a body or another field, is not recognized. Where a
/// rule names a placeholder, that and no other known credential has to be there.
final class ClientCredentials {
    private ClientCredentials() {}

    static boolean isOne(String field) {
        return CredentialFields.has(field);
    }

    /// The field that the injection writes, if it writes one.
    static Optional<String> field(Place place) {
        return switch (place) {
            case Place.Header(String name) -> Optional.of(name);
            case Place.Bearer(), Place.Basic _, Place.AwsSignature _ ->
                    Optional.of("authorization");
            case Place.Query _ -> Optional.empty();
        };
    }

    /// The parameter that is ours to write, or in which a client may send what the injection writes
    /// elsewhere: Google's take the same key in either place.
    static Optional<String> parameter(Injection injection) {
        return switch (injection.place()) {
            case Place.Query(String parameter) -> Optional.of(parameter);
            case Place.Header(String name) ->
                    name.equals("x-goog-api-key") && injection.placeholder().isEmpty()
                            ? Optional.of("key")
                            : Optional.empty();
            case Place.Bearer(), Place.Basic _, Place.AwsSignature _ -> Optional.empty();
        };
    }

    /// Whether the query has what the rule does not let pass. Such a one is not dropped as a field
    /// is: clients send it because they were told to, and would miss it.
    ///
    /// @param query without the parameter that is ours
    static boolean areIn(WebQuery query, Inspection rule) {
        return query.names()
                .filter(QueryName::isRefused)
                .anyMatch(name -> rule.queryAllowed().stream().noneMatch(a -> a.matches(name)));
    }

    /// Whether a request has the placeholder, if there is one, and then no other credential.
    static boolean areAsAgreed(RequestHead head, WebQuery query, Injection injection) {
        if (injection.placeholder().isEmpty()) {
            return true;
        }
        Optional<String> place = field(injection.place());
        boolean others =
                head.fields().keySet().stream()
                        .anyMatch(name -> isOne(name) && !place.equals(Optional.of(name)));
        return !others
                && sent(head, query, injection.place())
                        .filter(value -> isSame(value, injection.placeholder().get()))
                        .isPresent();
    }

    private static Optional<String> sent(RequestHead head, WebQuery query, Place place) {
        return switch (place) {
            case Place.Header(String name) -> head.field(name);
            case Place.Bearer() -> head.field("authorization").flatMap(v -> after("Bearer ", v));
            case Place.Basic _ ->
                    head.field("authorization")
                            .flatMap(v -> after("Basic ", v))
                            .flatMap(ClientCredentials::password);
            case Place.Query(String parameter) -> {
                var values = query.values(parameter);
                yield values.size() == 1 ? Optional.of(values.getFirst()) : Optional.empty();
            }
            case Place.AwsSignature _ -> Optional.empty();
        };
    }

    private static Optional<String> after(String scheme, String value) {
        return value.regionMatches(true, 0, scheme, 0, scheme.length())
                ? Optional.of(value.substring(scheme.length()))
                : Optional.empty();
    }

    /// What follows the colon; which user the client names does not matter, ours is written.
    private static Optional<String> password(String token) {
        try {
            String pair = new String(Base64.getDecoder().decode(token), StandardCharsets.UTF_8);
            int colon = pair.indexOf(':');
            return colon < 0 ? Optional.empty() : Optional.of(pair.substring(colon + 1));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    private static boolean isSame(String one, String other) {
        return MessageDigest.isEqual(
                one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }
}
