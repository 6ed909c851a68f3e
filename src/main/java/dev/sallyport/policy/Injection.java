package dev.sallyport.policy;

import java.util.Optional;

/// A secret that is written into the requests of a rule.
///
/// @param secret the name under which a person stored it
/// @param placeholder what the sandbox must send in that place; without it, whatever it sends there
///   is dropped
public record Injection(String secret, Place place, Optional<String> placeholder) {
    /// Where in a request a secret goes.
    public sealed interface Place {
        /// The value of this field, whose name is in lower case.
        record Header(String name) implements Place {}

        /// `Authorization: Bearer`
        record Bearer() implements Place {}

        /// `Authorization: Basic`, with this user name.
        record Basic(String user) implements Place {}

        /// A parameter of the query.
        record Query(String parameter) implements Place {}

        /// Nowhere: the request is signed with it (AWS Signature Version 4), for this region and
        /// service.
        record AwsSignature(String region, String service) implements Place {}
    }

    /// Whether requests are signed with the secret, which is not sent itself. What is signed is the
    /// body as well.
    public boolean isSigned() {
        return place instanceof Place.AwsSignature;
    }
}
