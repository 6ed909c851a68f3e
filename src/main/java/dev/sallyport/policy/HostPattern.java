package dev.sallyport.policy;

import java.util.List;
import java.util.Optional;

/// Which hosts a rule is about: one name, `*.domain` for names of exactly one label more, or
/// `**.domain` for the domain itself and everything below it. There is no pattern for all hosts.
public record HostPattern(Breadth breadth, HostName name) {
    /// How far below its name a pattern reaches.
    public enum Breadth {
        EXACT(""),
        ONE_LABEL("*."),
        DOMAIN("**.");

        private final String prefix;

        Breadth(String prefix) {
            this.prefix = prefix;
        }
    }

    public static HostPattern parse(String text) throws MalformedNameException {
        for (Breadth wide : List.of(Breadth.DOMAIN, Breadth.ONE_LABEL)) {
            if (text.startsWith(wide.prefix)) {
                return new HostPattern(wide, HostName.parse(text.substring(wide.prefix.length())));
            }
        }
        if (text.indexOf('*') >= 0) {
            throw new MalformedNameException(
                    "a wildcard stands for whole labels at the beginning: *.domain or **.domain");
        }
        return new HostPattern(Breadth.EXACT, HostName.parse(text));
    }

    public boolean matches(HostName host) {
        return switch (breadth) {
            case EXACT -> host.equals(name);
            case ONE_LABEL -> labelsBelow(host).filter(below -> below.indexOf('.') < 0).isPresent();
            case DOMAIN -> host.equals(name) || labelsBelow(host).isPresent();
        };
    }

    /// Whether every host of the other pattern is one of this pattern.
    public boolean covers(HostPattern other) {
        return switch (breadth) {
            case EXACT -> equals(other);
            case ONE_LABEL ->
                    equals(other) || (other.breadth == Breadth.EXACT && matches(other.name));
            case DOMAIN -> matches(other.name);
        };
    }

    public boolean isWildcard() {
        return breadth != Breadth.EXACT;
    }

    /// What stands before `.name`, if the host ends so.
    private Optional<String> labelsBelow(HostName host) {
        String suffix = "." + name.value();
        return host.value().endsWith(suffix)
                ? Optional.of(host.value().substring(0, host.value().length() - suffix.length()))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return breadth.prefix + name.value();
    }
}
