package dev.sallyport.config;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Injection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Makes an [Injection] from the `inject:` of a rule.
final class InjectionReader {
    private static final String SIGNATURE = "aws-signature";
    private static final List<String> PLACES =
            List.of("header", "bearer", "basic", "query", SIGNATURE);
    private static final List<String> KEYS =
            List.of("secret", "header", "bearer", "basic", "query", SIGNATURE, "placeholder");

    /// RFC 9110, section 5.1, in lower case.
    private static final Pattern FIELD_NAME = Pattern.compile("[a-z0-9!#$%&'*+.^_`|~-]{1,64}");

    /// Fields that say where a message ends, where it goes, or belong to one connection: a secret
    /// in one of these would change the meaning of the request. Cookies hold several values, of
    /// which one cannot be replaced.
    private static final Set<String> FIELDS_NEVER =
            Set.of(
                    "connection",
                    "content-encoding",
                    "content-length",
                    "content-type",
                    "cookie",
                    "cookie2",
                    "expect",
                    "host",
                    "http2-settings",
                    "keep-alive",
                    "proxy-authenticate",
                    "proxy-authorization",
                    "proxy-connection",
                    "set-cookie",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade");

    private static final Pattern PARAMETER = Pattern.compile("[A-Za-z0-9._~-]{1,64}");

    /// Names of a region and of a service: nothing that has a meaning in a signature's scope.
    private static final Pattern SCOPE = Pattern.compile("([a-z0-9-]{1,32})/([a-z0-9-]{1,32})");

    private static final Pattern PLACEHOLDER = Pattern.compile("[!-~]{1,256}");

    private InjectionReader() {}

    static Injection read(YamlMapping inject, HostName host) throws ConfigException {
        inject.requireOnly(KEYS);
        String secret = inject.requiredText("secret");
        if (!SecretFiles.isName(secret)) {
            throw inject.problem(
                    "secret",
                    "is not the name of a secret: 1 to 31 lower-case letters, digits and hyphens.",
                    "Write the name, never the value: sallyport secret set NAME stores it.");
        }
        return new Injection(secret, place(inject, host), placeholder(inject));
    }

    private static Injection.Place place(YamlMapping inject, HostName host) throws ConfigException {
        List<String> named = PLACES.stream().filter(inject::has).toList();
        if (named.size() != 1) {
            throw inject.problem(
                    "secret",
                    named.isEmpty()
                            ? "has no place in the request."
                            : "has several places: " + String.join(", ", named) + ".",
                    "Write exactly one of " + String.join(", ", PLACES) + ".");
        }
        return switch (named.getFirst()) {
            case "header" -> new Injection.Place.Header(header(inject));
            case "bearer" -> bearer(inject);
            case "basic" -> new Injection.Place.Basic(user(inject));
            case SIGNATURE -> signature(inject, host);
            default -> new Injection.Place.Query(parameter(inject));
        };
    }

    /// A signature for a region that the host is not in would be of use elsewhere only.
    private static Injection.Place signature(YamlMapping inject, HostName host)
            throws ConfigException {
        Matcher scope = SCOPE.matcher(inject.requiredText(SIGNATURE));
        if (!scope.matches() || !List.of(host.value().split("\\.")).contains(scope.group(1))) {
            throw inject.problem(
                    SIGNATURE,
                    "is not the region of this host and a service.",
                    "Write REGION/SERVICE, as in us-east-1/bedrock.");
        }
        if (inject.has("placeholder")) {
            throw inject.problem(
                    "placeholder",
                    "cannot be told from a signature that a client makes with it.",
                    "Remove it. A signature of the sandbox's is always dropped.");
        }
        return new Injection.Place.AwsSignature(scope.group(1), scope.group(2));
    }

    private static String header(YamlMapping inject) throws ConfigException {
        String name = inject.requiredText("header");
        if (!FIELD_NAME.matcher(name).matches()) {
            throw inject.problem(
                    "header",
                    "is not the name of a header field.",
                    "Write it in lower case, as in x-api-key.");
        }
        if (FIELDS_NEVER.contains(name)) {
            throw inject.problem(
                    "header",
                    "cannot carry a secret: it frames or routes the request," + " or is a cookie.",
                    "Write the field that the API reads its key from, as in x-api-key.");
        }
        return name;
    }

    private static Injection.Place bearer(YamlMapping inject) throws ConfigException {
        if (!inject.flag("bearer").orElse(false)) {
            throw inject.problem(
                    "bearer", "is false.", "Write bearer: true, or another place for the secret.");
        }
        return new Injection.Place.Bearer();
    }

    private static String user(YamlMapping inject) throws ConfigException {
        String user = inject.requiredText("basic");
        if (!SecretFile.isUser(user)) {
            throw inject.problem(
                    "basic", "is not a user name.", "Write 1 to 100 letters, digits and . _ @ + -");
        }
        return user;
    }

    private static String parameter(YamlMapping inject) throws ConfigException {
        String parameter = inject.requiredText("query");
        if (!PARAMETER.matcher(parameter).matches()) {
            throw inject.problem(
                    "query",
                    "is not the name of a parameter.",
                    "Write 1 to 64 letters, digits and . _ ~ -");
        }
        return parameter;
    }

    private static Optional<String> placeholder(YamlMapping inject) throws ConfigException {
        Optional<String> text = inject.text("placeholder");
        if (text.isPresent() && !PLACEHOLDER.matcher(text.get()).matches()) {
            throw inject.problem(
                    "placeholder",
                    "is not 1 to 256 printable ASCII characters without spaces.",
                    "Write a word that is not a secret, as in use-sallyport.");
        }
        return text;
    }
}
