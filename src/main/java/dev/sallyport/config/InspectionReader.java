package dev.sallyport.config;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.JsonPath;
import dev.sallyport.policy.JsonRules;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.QueryName;
import dev.sallyport.policy.UrlPattern;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Makes an [Inspection] from those keys of a rule that are about single requests. Any of them
/// makes the rule inspected; without one its connections are tunnelled.
final class InspectionReader {
    private static final String INSPECT = "inspect";

    /// What only somebody who sees the requests can hold to.
    private static final List<String> DETAILS =
            List.of(
                    "methods",
                    "paths",
                    "content-types-denied",
                    "request-bytes-max",
                    "json-denied",
                    "json-removed",
                    "json-ignored",
                    "websocket",
                    "query-allowed",
                    "inject",
                    "ask");

    static final List<String> KEYS = Stream.concat(Stream.of(INSPECT), DETAILS.stream()).toList();

    static final LimitRange REQUEST_BYTES_MAX = new LimitRange(1, 1L << 40);

    private static final Pattern METHOD = Pattern.compile("[A-Z][A-Z-]{0,31}");
    private static final Set<String> METHODS_NEVER = Set.of("CONNECT", "TRACE");

    /// RFC 6838, section 4.2, in lower case.
    private static final Pattern MEDIA_TYPE =
            Pattern.compile("[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}");

    static Optional<Inspection> read(YamlMapping entry, HostPattern host) throws ConfigException {
        Optional<String> detail = DETAILS.stream().filter(entry::has).findFirst();
        Optional<Boolean> inspect = entry.flag(INSPECT);
        if (detail.isPresent() && inspect.equals(Optional.of(false))) {
            throw entry.problem(
                    INSPECT,
                    "is false, but " + detail.get() + " needs inspection.",
                    "Remove one of the two.");
        }
        return detail.isPresent() || inspect.orElse(false)
                ? Optional.of(inspection(entry, host))
                : Optional.empty();
    }

    private static Inspection inspection(YamlMapping entry, HostPattern host)
            throws ConfigException {
        JsonRules json = json(entry);
        Optional<Long> bytes = entry.number("request-bytes-max", REQUEST_BYTES_MAX);
        Optional<Injection> injection = inject(entry, host);
        requireSignable(entry, injection);
        return new Inspection(
                methods(entry),
                entry.list("paths", UrlPattern::parse, "/public/**"),
                entry.list("content-types-denied", InspectionReader::mediaType, "application/pdf")
                        .orElse(List.of()),
                bytes,
                json,
                websocket(entry, json),
                queryAllowed(entry, injection),
                injection,
                ask(entry));
    }

    /// What is signed must be what is sent, to the last byte.
    private static void requireSignable(YamlMapping entry, Optional<Injection> injection)
            throws ConfigException {
        for (String key : List.of("json-removed", "websocket")) {
            if (entry.has(key) && injection.filter(Injection::isSigned).isPresent()) {
                throw entry.problem(
                        key, "does not go together with aws-signature.", "Remove one of the two.");
            }
        }
    }

    private static JsonRules json(YamlMapping entry) throws ConfigException {
        JsonRules rules =
                new JsonRules(
                        entry.list("json-denied", JsonRules.Denied::parse, "type=web_fetch*")
                                .orElse(List.of()),
                        entry.list("json-removed", JsonPath::parse, "tools[type=web_search*]")
                                .orElse(List.of()),
                        entry.list("json-ignored", JsonPath::parse, "tools[].parameters")
                                .orElse(List.of()));
        if (rules.ignored().stream()
                .anyMatch(path -> path.condition().isPresent() || path.anywhere())) {
            throw entry.problem(
                    "json-ignored",
                    "has a condition or begins with **.",
                    "Name a place, such as tools[].parameters.");
        }
        if (rules.count() > JsonRules.COUNT_MAX) {
            throw entry.problem(
                    "json-denied",
                    "and the other rules about JSON are " + rules.count() + " together.",
                    "Write at most " + JsonRules.COUNT_MAX + ".");
        }
        return rules;
    }

    private static Optional<SortedSet<String>> methods(YamlMapping entry) throws ConfigException {
        return entry.list("methods", InspectionReader::method, "GET").map(TreeSet::new);
    }

    private static String method(String text) throws MalformedNameException {
        if (!METHOD.matcher(text).matches()) {
            throw new MalformedNameException("a method is a word in upper case");
        }
        if (METHODS_NEVER.contains(text)) {
            throw new MalformedNameException("CONNECT and TRACE are never allowed");
        }
        return text;
    }

    private static String mediaType(String text) throws MalformedNameException {
        if (!MEDIA_TYPE.matcher(text).matches()) {
            throw new MalformedNameException(
                    "a content type is written as type/subtype, in lower case and without wildcards");
        }
        return text;
    }

    /// A rule about JSON would be a rule that one upgrade goes around.
    private static boolean websocket(YamlMapping entry, JsonRules json) throws ConfigException {
        boolean websocket = entry.flag("websocket").orElse(false);
        if (websocket && !json.isEmpty()) {
            throw entry.problem(
                    "websocket",
                    "is true, but json-denied and json-removed cannot be checked in a"
                            + " WebSocket.",
                    "Remove one of the two.");
        }
        return websocket;
    }

    /// Nobody could be asked about what is said in a WebSocket.
    private static boolean ask(YamlMapping entry) throws ConfigException {
        boolean ask = entry.flag("ask").orElse(false);
        if (ask && entry.flag("websocket").orElse(false)) {
            throw entry.problem(
                    "ask",
                    "is true, but what passes in a WebSocket is not seen.",
                    "Remove one of the two.");
        }
        return ask;
    }

    /// What the sandbox sends in the secret's place never passes.
    private static List<QueryName> queryAllowed(YamlMapping entry, Optional<Injection> injection)
            throws ConfigException {
        List<QueryName> names =
                entry.list("query-allowed", QueryName::parse, "token").orElse(List.of());
        for (QueryName name : names) {
            if (injection.isPresent()
                    && injection.get().place() instanceof Injection.Place.Query(String own)
                    && name.matches(own)) {
                throw entry.problem(
                        "query-allowed",
                        "has " + name + ", where inject writes the secret.",
                        "Remove one of the two.");
            }
        }
        return names;
    }

    private static Optional<Injection> inject(YamlMapping entry, HostPattern host)
            throws ConfigException {
        Optional<YamlMapping> inject = entry.mapping("inject");
        if (inject.isEmpty()) {
            return Optional.empty();
        }
        if (host.isWildcard()) {
            throw entry.problem(
                    "inject",
                    "would send the secret to every host that a wildcard covers.",
                    "Write host as one name.");
        }
        return Optional.of(InjectionReader.read(inject.get(), host.name()));
    }

    /// Makes an [Injection] from the `inject:` of a rule.
    static final class InjectionReader {
        private static final String SIGNATURE = "aws-signature";
        private static final List<String> PLACES =
                List.of("header", "bearer", "basic", "query", SIGNATURE);
        private static final List<String> KEYS =
                List.of("secret", "header", "bearer", "basic", "query", SIGNATURE, "placeholder");

        /// RFC 9110, section 5.1, in lower case.
        private static final Pattern FIELD_NAME = Pattern.compile("[a-z0-9!#$%&'*+.^_`|~-]{1,64}");

        /// Fields that say where a message ends, where it goes, or belong to one connection: a
        /// secret in one of these would change the meaning of the request. Cookies hold several
        /// values, of which one cannot be replaced.
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

        static Injection read(YamlMapping inject, HostName host) throws ConfigException {
            inject.requireOnly(KEYS);
            String secret =
                    inject.requiredText(
                            "secret",
                            SecretFiles::isName,
                            "is not the name of a secret: 1 to 31 lower-case letters, digits and hyphens.",
                            "Write the name, never the value: sallyport secret set NAME stores it.");
            return new Injection(secret, place(inject, host), placeholder(inject));
        }

        private static Injection.Place place(YamlMapping inject, HostName host)
                throws ConfigException {
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
            String name =
                    inject.requiredText(
                            "header",
                            FIELD_NAME.asMatchPredicate(),
                            "is not the name of a header field.",
                            "Write it in lower case, as in x-api-key.");
            if (FIELDS_NEVER.contains(name)) {
                throw inject.problem(
                        "header",
                        "cannot carry a secret: it frames or routes the request,"
                                + " or is a cookie.",
                        "Write the field that the API reads its key from, as in x-api-key.");
            }
            return name;
        }

        private static Injection.Place bearer(YamlMapping inject) throws ConfigException {
            if (!inject.flag("bearer").orElse(false)) {
                throw inject.problem(
                        "bearer",
                        "is false.",
                        "Write bearer: true, or another place for the secret.");
            }
            return new Injection.Place.Bearer();
        }

        private static String user(YamlMapping inject) throws ConfigException {
            return inject.requiredText(
                    "basic",
                    SecretFile::isUser,
                    "is not a user name.",
                    "Write 1 to 100 letters, digits and . _ @ + -");
        }

        private static String parameter(YamlMapping inject) throws ConfigException {
            return inject.requiredText(
                    "query",
                    PARAMETER.asMatchPredicate(),
                    "is not the name of a parameter.",
                    "Write 1 to 64 letters, digits and . _ ~ -");
        }

        private static Optional<String> placeholder(YamlMapping inject) throws ConfigException {
            return inject.text(
                    "placeholder",
                    PLACEHOLDER.asMatchPredicate(),
                    "is not 1 to 256 printable ASCII characters without spaces.",
                    "Write a word that is not a secret, as in use-sallyport.");
        }
    }
}
