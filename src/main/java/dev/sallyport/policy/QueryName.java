package dev.sallyport.policy;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The name of a parameter of a query that no inspected request has unless its rule says so: one
/// that servers take a credential from, so that an attacker could bring an account of their own to
/// an allowed host (E15), or one that changes the method or the fields that were judged.
public record QueryName(String value) {
    private static final Pattern FORM = Pattern.compile("[$_A-Za-z][A-Za-z0-9._-]{0,63}");

    /// What ends a name for some servers: a list of values in PHP and Rails, the end of text in C.
    private static final Pattern END = Pattern.compile("[\\[\\x00]");

    private static final Pattern PUNCTUATION = Pattern.compile("[^a-z0-9]");

    /// Signed addresses are credentials as well: whoever made one decides whose storage it is.
    private static final Set<String> REFUSED =
            Stream.of(
                            "$httpHeaders",
                            "$httpMethod",
                            "_method",
                            "access_key",
                            "access_token",
                            "api_key",
                            "api_token",
                            "app_key",
                            "auth",
                            "auth_key",
                            "auth_token",
                            "authorization",
                            "AWSAccessKeyId",
                            "bearer_token",
                            "client_secret",
                            "GoogleAccessId",
                            "id_token",
                            "job_token",
                            "jwt",
                            "key",
                            "oauth_signature",
                            "oauth_token",
                            "password",
                            "personal_access_token",
                            "private_token",
                            "refresh_token",
                            "secret",
                            "session_token",
                            "sig",
                            "signature",
                            "subscription-key",
                            "token",
                            "X-Amz-Credential",
                            "X-Amz-Security-Token",
                            "X-Amz-Signature",
                            "X-API-Key",
                            "X-Goog-Credential",
                            "X-Goog-Signature",
                            "X-HTTP-Method",
                            "X-HTTP-Method-Override")
                    .map(QueryName::loose)
                    .collect(Collectors.toUnmodifiableSet());

    /// One that a rule lets pass. Others pass anyway, so that to list one is a mistake.
    public QueryName {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("it is not the name of a parameter");
        }
        if (!isRefused(value)) {
            throw new IllegalArgumentException("a parameter of this name is always allowed");
        }
    }

    public static QueryName parse(String text) throws MalformedNameException {
        try {
            return new QueryName(text);
        } catch (IllegalArgumentException e) {
            throw new MalformedNameException(String.valueOf(e.getMessage()));
        }
    }

    /// Whether a request may not have it unless its rule lists it.
    ///
    /// @param name without escapes
    public static boolean isRefused(String name) {
        return REFUSED.contains(loose(name));
    }

    public boolean matches(String name) {
        return loose(value).equals(loose(name));
    }

    /// As the most careless server reads it: without case and punctuation, but for a mark at the
    /// beginning, which sets a name apart. PHP takes a dot for an underscore.
    private static String loose(String name) {
        String lower = END.split(name.strip().toLowerCase(Locale.ROOT), 2)[0];
        String mark = lower.startsWith("$") ? "$" : lower.matches("[._ ].*") ? "_" : "";
        return mark + PUNCTUATION.matcher(lower).replaceAll("");
    }

    @Override
    public String toString() {
        return value;
    }
}
