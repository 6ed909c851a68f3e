package dev.sallyport.push;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.sallyport.config.ConfigException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// One table of a rule file, whose errors say where it stands.
record SecretTable(String where, JsonNode node) {
    private static final Set<String> ALLOWLIST =
            Set.of(
                    "id",
                    "description",
                    "condition",
                    "regexes",
                    "regexTarget",
                    "stopwords",
                    "paths",
                    "commits");

    SecretTable named(String name) {
        return new SecretTable(name, node);
    }

    ConfigException wrong(String key, String what, String remedy) {
        return new ConfigException("In " + where + ", " + key + " " + what + ".", remedy);
    }

    void only(Set<String> known) throws ConfigException {
        for (var entry : node.properties()) {
            if (!known.contains(entry.getKey())) {
                throw wrong(entry.getKey(), "is not known", "Leave it out.");
            }
        }
    }

    boolean has(String key) {
        return node.has(key);
    }

    String text(String key) throws ConfigException {
        return optionalText(key)
                .filter(text -> !text.isEmpty())
                .orElseThrow(() -> wrong(key, "is missing", "Give it a string."));
    }

    Optional<String> optionalText(String key) throws ConfigException {
        if (!node.has(key)) {
            return Optional.empty();
        }
        if (!node.get(key).isTextual()) {
            throw wrong(key, "is not a string", "Put it in quotes.");
        }
        return Optional.of(node.get(key).textValue());
    }

    Optional<Double> number(String key) throws ConfigException {
        if (!node.has(key)) {
            return Optional.empty();
        }
        if (!node.get(key).isNumber()) {
            throw wrong(key, "is not a number", "Write it without quotes.");
        }
        return Optional.of(node.get(key).doubleValue());
    }

    List<String> texts(String key) throws ConfigException {
        List<String> texts = new ArrayList<>();
        for (JsonNode element : array(key)) {
            if (!element.isTextual()) {
                throw wrong(key, "is not a list of strings", "Put each in quotes.");
            }
            texts.add(element.textValue());
        }
        return texts;
    }

    List<SecretTable> tables(String key) throws ConfigException {
        List<SecretTable> tables = new ArrayList<>();
        for (JsonNode element : array(key)) {
            tables.add(inner(key, element));
        }
        return tables;
    }

    Optional<SecretTable> table(String key) throws ConfigException {
        return node.has(key) ? Optional.of(inner(key, node.get(key))) : Optional.empty();
    }

    private SecretTable inner(String key, JsonNode element) throws ConfigException {
        if (!element.isObject()) {
            throw wrong(key, "is not a table", "Begin it with [" + key + "].");
        }
        return new SecretTable(key + " of " + where, element);
    }

    private Iterable<JsonNode> array(String key) throws ConfigException {
        if (!node.has(key)) {
            return List.of();
        }
        if (!node.get(key).isArray()) {
            throw wrong(key, "is not a list", "Put it in brackets.");
        }
        return node.get(key);
    }

    Pattern pattern(String key, String regex) throws ConfigException {
        try {
            return Pattern.compile(regex);
        } catch (PatternSyntaxException e) {
            throw wrong(
                    key,
                    "does not compile: " + e.getMessage(),
                    "Write it in RE2's syntax, which has no look-around.");
        }
    }

    /// This table as an allowlist; empty when all it allows are paths or commits.
    Optional<SecretAllowance> allowance() throws ConfigException {
        only(ALLOWLIST);
        List<Pattern> regexes = new ArrayList<>();
        for (String regex : texts("regexes")) {
            regexes.add(pattern("regexes", regex));
        }
        List<String> stopwords =
                texts("stopwords").stream().map(word -> word.toLowerCase(Locale.ROOT)).toList();
        boolean all = condition();
        boolean needsPlace = all && (has("paths") || has("commits"));
        return needsPlace || (regexes.isEmpty() && stopwords.isEmpty())
                ? Optional.empty()
                : Optional.of(new SecretAllowance(target(), regexes, stopwords, all));
    }

    private boolean condition() throws ConfigException {
        return switch (optionalText("condition").orElse("OR").toUpperCase(Locale.ROOT)) {
            case "AND", "&&" -> true;
            case "OR", "||" -> false;
            default -> throw wrong("condition", "is not known", "Write AND or OR.");
        };
    }

    private SecretAllowance.Target target() throws ConfigException {
        return switch (optionalText("regexTarget").orElse("secret")) {
            case "secret" -> SecretAllowance.Target.SECRET;
            case "match" -> SecretAllowance.Target.MATCH;
            case "line" -> SecretAllowance.Target.LINE;
            default -> throw wrong("regexTarget", "is not known", "Write secret, match or line.");
        };
    }
}
