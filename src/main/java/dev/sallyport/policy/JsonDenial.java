package dev.sallyport.policy;

/// Something that a JSON body may not contain, at any depth: a member of this name whose value, or
/// an element of the list that is its value, is text that matches the pattern (`*` stands for any
/// characters). With the pattern `*` the member may not be there at all, whatever its value.
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
