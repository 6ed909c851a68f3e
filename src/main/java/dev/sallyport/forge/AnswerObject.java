package dev.sallyport.forge;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What an object of an answer says about itself, as far as it matters for where it lies.
final class AnswerObject {
    private static final Set<String> TEXTS =
            Set.of(
                    "full_name",
                    "url",
                    "repository_url",
                    "pull_request_url",
                    "node_id",
                    "ref",
                    "owner",
                    "path_with_namespace",
                    "source_branch",
                    "body");
    private static final Set<String> NUMBERS =
            Set.of("id", "number", "iid", "project_id", "source_project_id", "target_project_id");
    private static final Set<String> FLAGS = Set.of("confidential", "internal", "system");
    private static final Set<String> PARTS =
            Set.of("head", "base", "repo", "repository", "owner", "pull_request");

    private Map<String, String> texts = Map.of();
    private Map<String, Long> numbers = Map.of();
    private Map<String, AnswerObject> parts = Map.of();
    private Set<String> flags = Set.of();

    void text(String member, String value) {
        if (TEXTS.contains(member)) {
            texts = texts.isEmpty() ? new HashMap<>() : texts;
            texts.put(member, value);
        }
    }

    void number(String member, long value) {
        if (NUMBERS.contains(member)) {
            numbers = numbers.isEmpty() ? new HashMap<>() : numbers;
            numbers.put(member, value);
        }
    }

    void set(String member) {
        if (FLAGS.contains(member)) {
            flags = flags.isEmpty() ? new HashSet<>() : flags;
            flags.add(member);
        }
    }

    void part(String member, AnswerObject part) {
        if (PARTS.contains(member)) {
            parts = parts.isEmpty() ? new HashMap<>() : parts;
            parts.put(member, part);
        }
    }

    Optional<String> text(String member) {
        return Optional.ofNullable(texts.get(member));
    }

    /// 0 when it says nothing.
    long number(String member) {
        return numbers.getOrDefault(member, 0L);
    }

    boolean is(String flag) {
        return flags.contains(flag);
    }

    Optional<AnswerObject> part(String member) {
        return Optional.ofNullable(parts.get(member));
    }
}
