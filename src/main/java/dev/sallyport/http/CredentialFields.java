package dev.sallyport.http;

import java.util.Set;

/// The one list of fields that carry credentials; that of parameters is
/// [dev.sallyport.policy.QueryName]. What a host takes as one in a path or a body is for its rule
/// to deny.
public final class CredentialFields {
    private static final Set<String> NAMES =
            Set.of(
                    "api-key",
                    "apikey",
                    "authorization",
                    "circle-token",
                    "cookie",
                    "cookie2",
                    "dd-api-key",
                    "dd-application-key",
                    "deploy-token",
                    "job-token",
                    "npm-otp",
                    "ocp-apim-subscription-key",
                    "private-token",
                    "proxy-authorization",
                    "x-access-token",
                    "x-amz-security-token",
                    "x-api-key",
                    "x-api-token",
                    "x-apikey",
                    "x-auth-key",
                    "x-auth-token",
                    "x-csrf-token",
                    "x-github-token",
                    "x-goog-api-key",
                    "x-goog-iam-authorization-token",
                    "x-jfrog-art-api",
                    "x-rapidapi-key",
                    "x-vault-token",
                    "x-xsrf-token");

    private CredentialFields() {}

    /// Whether the field with this name, in lower case, is one.
    public static boolean has(String name) {
        return NAMES.contains(name);
    }
}
