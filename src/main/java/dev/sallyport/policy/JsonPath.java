package dev.sallyport.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Names a place in a JSON document, from its root: `tool_choice`, `tools[].function.strict`, and
/// with a condition on the elements of a list at the end `tools[type=web_search*]` or, for texts,
/// `include[=web_search*]`. With `**.` before it, a member or a list is meant at any depth:
/// `**.tools[type=web_search*]`.
///
/// @param anywhere whether it begins at any depth; it has one name then
/// @param steps names of members, and [#ELEMENTS]
/// @param condition on the elements that the last step leads to
public record JsonPath(boolean anywhere, List<String> steps, Optional<Condition> condition)
        implements JsonRules.Denied {
    /// The step from a list to each of its elements.
    public static final String ELEMENTS = "[]";

    private static final String ANYWHERE = "**.";
    private static final int STEPS_MAX = 16;
    private static final int STEPS_ANYWHERE_MAX = 2;
    private static final Pattern STEP =
            Pattern.compile(
                    "(?<name>[A-Za-z0-9_-]+)|\\[]|\\[(?<member>[A-Za-z0-9_-]*)=(?<value>[^\\[\\]=]+)]");

    /// What an element must be: a text, or an object with a text.
    ///
    /// @param member of the object; empty for a text
    /// @param value a pattern, in which `*` stands for any characters
    public record Condition(String member, String value) {
        public boolean holds(String name, String text) {
            return name.equalsIgnoreCase(member) && Glob.covers(value, text);
        }

        @Override
        public String toString() {
            return "[" + member + "=" + value + "]";
        }
    }

    public JsonPath {
        steps = List.copyOf(steps);
    }

    public static JsonPath parse(String text) throws MalformedNameException {
        List<String> steps = new ArrayList<>();
        Optional<Condition> condition = Optional.empty();
        Matcher step = STEP.matcher(text);
        boolean anywhere = text.startsWith(ANYWHERE);
        int begin = anywhere ? ANYWHERE.length() : 0;
        int at = begin;
        while (at < text.length()) {
            boolean dotted = at > begin && text.charAt(at) == '.';
            step.region(dotted ? at + 1 : at, text.length());
            boolean named = step.lookingAt() && step.group("name") != null;
            if (condition.isPresent() || !step.lookingAt() || named != (dotted || at == begin)) {
                throw malformed();
            }
            steps.add(named ? step.group("name") : ELEMENTS);
            if (step.group("value") != null) {
                condition = Optional.of(new Condition(step.group("member"), step.group("value")));
            }
            at = step.end();
        }
        boolean nested = steps.size() > 1 && !steps.get(1).equals(ELEMENTS);
        boolean tooLong = steps.size() > (anywhere ? STEPS_ANYWHERE_MAX : STEPS_MAX);
        if (steps.isEmpty() || tooLong || (anywhere && nested)) {
            throw malformed();
        }
        return new JsonPath(anywhere, steps, condition);
    }

    private static MalformedNameException malformed() {
        return new MalformedNameException(
                "it is a path such as tools[].name or tools[type=web_search*]");
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(anywhere ? ANYWHERE : "");
        for (int i = 0; i < steps.size(); i++) {
            String step = steps.get(i);
            boolean last = i == steps.size() - 1;
            if (!step.equals(ELEMENTS)) {
                text.append(i > 0 ? "." : "").append(step);
            } else {
                text.append(last && condition.isPresent() ? condition.get() : ELEMENTS);
            }
        }
        return text.toString();
    }
}
