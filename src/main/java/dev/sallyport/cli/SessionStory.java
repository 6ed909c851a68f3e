package dev.sallyport.cli;

import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.story.DenialGroups;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What a session did, gathered from its lines of the record, oldest first.
final class SessionStory {
    /// So that the story of a busy session stays one page and does not fill the memory.
    private static final int LISTED_MAX = 200;

    private final DenialGroups denials;
    private final List<Push> pushes = new ArrayList<>();
    private final Map<String, Use> hosts = new TreeMap<>();
    private final Map<String, Long> repositories = new TreeMap<>();
    private final Map<String, Long> operations = new TreeMap<>();
    private final Map<String, Long> commands = new TreeMap<>();
    private final Map<String, Long> life = new TreeMap<>();
    private final Map<String, String> made = new TreeMap<>();
    private String first = "";
    private String last = "";
    private long allowed;
    private long denied;

    SessionStory(String sandbox) {
        denials = new DenialGroups(sandbox);
    }

    /// One ref of one push.
    ///
    /// @param reason empty when it was allowed
    record Push(String time, String repo, String ref, String before, String after, String reason) {}

    /// What one host was used for.
    record Use(long connections, long requests, long bytesUp, long bytesDown) {
        Use plus(Use more) {
            return new Use(
                    connections + more.connections,
                    requests + more.requests,
                    bytesUp + more.bytesUp,
                    bytesDown + more.bytesDown);
        }
    }

    /// The stable document of `--json`.
    ///
    /// @param made what it was created with, as in the record
    /// @param life how often it was started, stopped and so on
    record Report(
            String sandbox,
            String session,
            String first,
            String last,
            Map<String, String> made,
            Map<String, Long> life,
            Map<String, Long> commands,
            Map<String, Long> repositories,
            List<Push> pushes,
            Map<String, Long> operations,
            Map<String, Use> hosts,
            long allowed,
            long denied,
            List<DenialGroups.Denial> denials) {}

    void add(AuditLine line) {
        Map<String, String> facts = line.event().detail();
        last = line.time().toString();
        first = first.isEmpty() ? last : first;
        if (line.stamp().runtime().contains(":")) {
            made.put("identity", line.stamp().runtime());
        }
        if (line.event().decision().equals("deny")) {
            denied++;
            denials.add(line);
        }
        boolean passed = !line.event().decision().equals("deny");
        allowed += line.event().decision().equals("allow") ? 1 : 0;
        String kind = line.event().kind();
        if (kind.equals("git.push")) {
            addPush(line.time().toString(), facts);
        } else if (kind.equals("session.create")) {
            made.putAll(facts);
            made.remove(AuditFilter.SANDBOX);
        } else if (kind.equals("session.exec")) {
            count(commands, facts.getOrDefault("program", ""));
        } else if (kind.startsWith("session.")) {
            count(life, kind.substring("session.".length()));
        } else if (passed) {
            addUse(kind, facts);
        }
    }

    private void addUse(String kind, Map<String, String> facts) {
        String host = facts.getOrDefault("host", "");
        switch (kind) {
            case "git.request" -> {
                if (facts.getOrDefault("phase", "").equals("call")) {
                    count(repositories, facts.getOrDefault("repo", ""));
                }
            }
            case "api.request" -> count(operations, facts.getOrDefault("operation", "other"));
            case "egress.connect" -> hosts.merge(host, new Use(1, 0, 0, 0), Use::plus);
            case "egress.request" -> hosts.merge(host, new Use(0, 1, 0, 0), Use::plus);
            case "egress.end" -> {
                Use moved = new Use(0, 0, number(facts, "bytes-up"), number(facts, "bytes-down"));
                hosts.merge(host, moved, Use::plus);
            }
            default -> {}
        }
    }

    private void addPush(String time, Map<String, String> facts) {
        for (int i = 1; facts.containsKey("ref-" + i) && pushes.size() < LISTED_MAX; i++) {
            pushes.add(
                    new Push(
                            time,
                            facts.getOrDefault("repo", ""),
                            facts.getOrDefault("ref-" + i, ""),
                            facts.getOrDefault("old-" + i, ""),
                            facts.getOrDefault("new-" + i, ""),
                            facts.getOrDefault("reason-" + i, "")));
        }
    }

    private static void count(Map<String, Long> counts, String key) {
        if (counts.size() < LISTED_MAX || counts.containsKey(key)) {
            counts.merge(key, 1L, Long::sum);
        }
    }

    private static long number(Map<String, String> facts, String key) {
        try {
            return Long.parseLong(facts.getOrDefault(key, "0"));
        } catch (NumberFormatException _) {
            return 0;
        }
    }

    boolean isEmpty() {
        return last.isEmpty();
    }

    Report report(String sandbox, String session) {
        return new Report(
                sandbox,
                session,
                first,
                last,
                made,
                life,
                commands,
                repositories,
                pushes,
                operations,
                hosts,
                allowed,
                denied,
                denials.list());
    }

    String text(String sandbox, String session) {
        StringBuilder text = new StringBuilder();
        Lines head = new Lines().add("sandbox", sandbox).add("session", session);
        head.add("first line", first).add("last line", last);
        made.forEach((key, value) -> head.add(key, value.isEmpty() ? "-" : value));
        head.add("decisions", allowed + " allowed, " + denied + " denied");
        text.append(head.text());
        counted(text, "Life", life);
        counted(text, "Commands", commands);
        counted(text, "Repositories (fetches and pushes)", repositories);
        section(text, "Pushes", pushes.isEmpty());
        pushes.forEach(push -> text.append(text(push)));
        counted(text, "API operations", operations);
        section(text, "Hosts", hosts.isEmpty());
        hosts.forEach((host, use) -> text.append(text(host, use)));
        text.append("\nDenied\n").append(DenialsCommand.text(denials.list()).indent(2));
        return text.toString();
    }

    private static void counted(StringBuilder text, String title, Map<String, Long> counts) {
        section(text, title, counts.isEmpty());
        counts.forEach(
                (what, count) -> text.append("  %6d  %s%n".formatted(count, Printable.of(what))));
    }

    private static void section(StringBuilder text, String title, boolean empty) {
        text.append(empty ? "" : "\n" + title + "\n");
    }

    private static String text(Push push) {
        String verdict = push.reason().isEmpty() ? "allowed" : "denied: " + push.reason();
        return "  %s  %s %s  %s..%s  %s%n"
                .formatted(
                        push.time(),
                        Printable.of(push.repo()),
                        Printable.of(push.ref()),
                        brief(push.before()),
                        brief(push.after()),
                        Printable.of(verdict));
    }

    private static String text(String host, Use use) {
        return "  %s  %d connections, %d requests, %d bytes up, %d bytes down%n"
                .formatted(
                        Printable.of(host),
                        use.connections(),
                        use.requests(),
                        use.bytesUp(),
                        use.bytesDown());
    }

    private static String brief(String object) {
        return Printable.of(object.substring(0, Math.min(10, object.length())));
    }
}
