package dev.sallyport.policy;

import java.util.List;

/// What may not be in the JSON of a request. Where there are any, only JSON passes.
///
/// @param denied a request that has one of these is denied
/// @param removed a request that has one of these goes up without it
/// @param ignored places that hold data of the client's own, which the host does not act upon;
///   nothing there is denied
public record JsonRules(List<Denied> denied, List<JsonPath> removed, List<JsonPath> ignored) {
    public static final JsonRules NONE = new JsonRules(List.of(), List.of(), List.of());

    /// All together: whoever reads a body follows each by one bit of a number.
    public static final int COUNT_MAX = Long.SIZE;

    /// Something at any depth, or at one place.
    public sealed interface Denied permits JsonDenial, JsonPath {
        static Denied parse(String text) throws MalformedNameException {
            boolean place = text.contains("[") || (text.contains(".") && !text.contains("="));
            return place ? JsonPath.parse(text) : JsonDenial.parse(text);
        }
    }

    public JsonRules {
        denied = List.copyOf(denied);
        removed = List.copyOf(removed);
        ignored = List.copyOf(ignored);
    }

    public static JsonRules parse(List<String> denied, List<String> removed, List<String> ignored)
            throws MalformedNameException {
        JsonRules rules =
                new JsonRules(
                        Parsing.all(denied, Denied::parse),
                        Parsing.all(removed, JsonPath::parse),
                        Parsing.all(ignored, JsonPath::parse));
        if (rules.count() > COUNT_MAX) {
            throw new MalformedNameException("there are at most 64 rules about JSON");
        }
        return rules;
    }

    public int count() {
        return denied.size() + removed.size() + ignored.size();
    }

    /// Whether a body need not be read.
    public boolean isEmpty() {
        return denied.isEmpty() && removed.isEmpty();
    }

    /// The same without these, as they are written.
    public JsonRules without(List<String> texts) {
        return new JsonRules(
                denied.stream().filter(rule -> !texts.contains(rule.toString())).toList(),
                removed.stream().filter(rule -> !texts.contains(rule.toString())).toList(),
                ignored);
    }

    /// Something that a JSON body may not contain, at any depth: a member of this name whose value,
    /// or an element of the list that is its value, is text that matches the pattern (`*` stands
    /// for any characters). With the pattern `*` the member may not be there at all, whatever its
    /// value.
    ///
    /// Case in names does not matter, because some servers bind members that way.
    public record JsonDenial(String member, String value) implements JsonRules.Denied {
        private static final String ANYTHING = "*";

        /// Written as `member=pattern`.
        public static JsonDenial parse(String text) throws MalformedNameException {
            int equals = text.indexOf('=');
            if (equals < 1 || equals == text.length() - 1 || text.indexOf('=', equals + 1) >= 0) {
                throw new MalformedNameException(
                        "it has the form member=pattern, as in type=web_fetch*");
            }
            return new JsonDenial(text.substring(0, equals), text.substring(equals + 1));
        }

        public boolean concerns(String name) {
            return name.equalsIgnoreCase(member);
        }

        public boolean deniesMember(String name) {
            return value.equals(ANYTHING) && concerns(name);
        }

        public boolean denies(String name, String text) {
            return concerns(name) && Glob.covers(value, text);
        }

        @Override
        public String toString() {
            return member + "=" + value;
        }
    }
}
