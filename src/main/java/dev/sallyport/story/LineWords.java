package dev.sallyport.story;

import dev.sallyport.audit.AuditLine;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// One line of the record in words: what was asked, and why it was refused.
public record LineWords(AuditLine line) {
    private static final List<String> SUBJECTS = List.of("host", "name", "repo", "method", "path");

    /// One reason of a denied request; a push can have one for each ref.
    ///
    /// @param code as in [Refusal#code]
    public record Reason(String subject, String code, Map<String, String> facts) {
        public String sentence() {
            return Refusal.of(code).map(Refusal::sentence).orElse("");
        }

        /// What would allow it; empty when no command does.
        public String remedy(String sandbox) {
            return Refusal.of(code)
                    .flatMap(refusal -> Remedy.of(refusal, sandbox, facts))
                    .map(Remedy::text)
                    .orElse("");
        }
    }

    /// As in "denied: push to github.com/acme/app".
    public String asked() {
        Map<String, String> facts = facts();
        return switch (line.event().kind()) {
            case "git.push" -> "push to " + fact("repo") + refs().collect(Collectors.joining());
            case "git.request" ->
                    facts.containsKey("repo")
                            ? git() + " " + fact("repo")
                            : "request to a git host: " + fact("path");
            case "git.copy" -> "fetch of " + fact("repo") + " from the local copy";
            case "git.share" -> "use of the objects of " + fact("repo");
            case "lfs.batch" ->
                    "question about large files of %s (%s)"
                            .formatted(fact("repo"), fact("operation"));
            case "lfs.upload", "lfs.download", "lfs.verify" ->
                    line.event().kind().substring("lfs.".length())
                            + " of the large file "
                            + fact("oid")
                            + " of "
                            + fact("repo");
            case "api.request" -> join("API request", facts, "operation", "method", "path", "repo");
            case "api.question" -> "question of the gateway about " + fact("repo");
            case "dns.denied" -> "DNS lookup of " + fact("name");
            case "egress.connect" -> "connection to " + target();
            case "egress.request" -> fact("method") + " " + target() + fact("path");
            case "http.refused", "http.ambiguous" -> join("request", facts, "host", "path");
            case "approval.ask" -> "question to a person: " + fact("summary");
            case "approval.answer" ->
                    "answer to the question about a "
                            + fact("what")
                            + " to "
                            + fact("target")
                            + ": "
                            + fact("answer")
                            + (fact("who").isEmpty()
                                    ? " (" + fact("how") + ")"
                                    : " by " + fact("who"));
            case "audit.thinned" -> fact("count") + " refusals that are only counted";
            default -> line.event().kind() + " " + subject();
        };
    }

    private String git() {
        return fact("service").contains("receive") ? "push access to" : "read of";
    }

    private Stream<String> refs() {
        return facts().keySet().stream()
                .filter(key -> key.startsWith("ref-"))
                .map(key -> ", " + facts().get(key));
    }

    private static String join(String first, Map<String, String> facts, String... keys) {
        StringBuilder text = new StringBuilder(first);
        for (String key : keys) {
            String value = facts.getOrDefault(key, "");
            text.append(value.isEmpty() ? "" : " " + value);
        }
        return text.toString();
    }

    /// Empty for what was not refused.
    public List<Reason> reasons() {
        List<Reason> reasons = new ArrayList<>();
        if (!fact("reason").isEmpty()) {
            reasons.add(new Reason(subject(), fact("reason"), facts()));
        }
        for (String key : facts().keySet()) {
            String number = key.startsWith("reason-") ? key.substring("reason-".length()) : "";
            if (!number.isEmpty() && !fact(key).isEmpty()) {
                String ref = fact("repo") + " " + fact("ref-" + number);
                reasons.add(new Reason(ref, fact(key), facts()));
            }
        }
        return reasons;
    }

    private String subject() {
        StringBuilder subject = new StringBuilder();
        for (String key : SUBJECTS) {
            if (facts().containsKey(key)) {
                subject.append(subject.isEmpty() ? "" : " ");
                subject.append(key.equals("host") ? target() : fact(key));
            }
        }
        return subject.toString();
    }

    private String target() {
        return fact("host") + (facts().containsKey("port") ? ":" + fact("port") : "");
    }

    private Map<String, String> facts() {
        return line.event().detail();
    }

    private String fact(String key) {
        return facts().getOrDefault(key, "");
    }
}
