package dev.sallyport.proof;

import java.util.List;
import java.util.Optional;

/// What answers the sandbox, and what does not.
record DoorRows(Subject subject, Testimony inside) {
    private static final String NO_BASH = "the sandbox has no bash";

    List<Row> rows() {
        return List.of(
                gateway(),
                elsewhere("direct", "connect to " + Probes.ELSEWHERE),
                elsewhere("resolver", "ask a resolver at " + Probes.ELSEWHERE),
                allowedName(),
                otherName());
    }

    /// Positive control of the rows about connections.
    private Row gateway() {
        String probe = "the gateway's page";
        String expected = "names session " + subject.session();
        return inside.part("page")
                .map(page -> Row.of(probe, expected, names(page), page(page)))
                .orElse(Row.notProbed(probe, expected, "no bash, wget or curl in the sandbox"));
    }

    private boolean names(String page) {
        return page.lines().anyMatch(("session: " + subject.session())::equals);
    }

    private String page(String page) {
        if (page.isBlank()) {
            return "no answer";
        }
        return page.lines()
                .filter(line -> line.startsWith("session: "))
                .findFirst()
                .orElse("an answer without a session");
    }

    private Row elsewhere(String part, String probe) {
        String expected = "network is unreachable";
        Optional<String> said = inside.part(part);
        if (said.isEmpty()) {
            return Row.notProbed(probe, expected, NO_BASH);
        }
        boolean unreachable = said.get().contains("unreachable");
        boolean connected = said.get().lines().anyMatch("connected"::equals);
        String seen =
                connected
                        ? "connected"
                        : said.get().isBlank() ? "no answer in time" : lastOf(said.get());
        return Row.of(probe, expected, unreachable && !connected, seen);
    }

    private static String lastOf(String text) {
        return text.lines().filter(line -> !line.isBlank()).reduce((_, last) -> last).orElse("");
    }

    private Row allowedName() {
        String name = allowed(subject);
        return named("nameYes", "resolve " + name + " (allowed)", "an address");
    }

    private Row otherName() {
        String probe = "resolve " + Probes.UNKNOWN_NAME + " (not allowed)";
        return subject.learn()
                ? Row.notProbed(probe, "NXDOMAIN", "in learning mode every name resolves")
                : named("nameNo", probe, "NXDOMAIN");
    }

    private Row named(String part, String probe, String expected) {
        return inside.part(part)
                .map(Probes.Question::meaning)
                .map(seen -> Row.of(probe, expected, seen.equals(expected), seen))
                .orElse(Row.notProbed(probe, expected, NO_BASH));
    }

    /// A name that the sandbox may resolve; the gateway's own when its policy has no other.
    static String allowed(Subject subject) {
        return subject.names().stream().findFirst().orElse("gateway.sallyport");
    }
}
