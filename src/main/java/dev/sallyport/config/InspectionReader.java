package dev.sallyport.config;

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
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
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

    private InspectionReader() {}

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
        OptionalLong bytes =
                entry.number("request-bytes-max", REQUEST_BYTES_MAX.min(), REQUEST_BYTES_MAX.max());
        Optional<Injection> injection = inject(entry, host);
        requireSignable(entry, injection);
        return new Inspection(
                methods(entry),
                entry.list("paths", UrlPattern::parse, "/public/**"),
                entry.list("content-types-denied", InspectionReader::mediaType, "application/pdf")
                        .orElse(List.of()),
                bytes.isPresent() ? Optional.of(bytes.getAsLong()) : Optional.empty(),
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
}
