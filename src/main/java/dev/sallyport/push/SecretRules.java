package dev.sallyport.push;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import com.google.re2j.Pattern;
import dev.sallyport.config.ConfigException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Reads rules in the format of gitleaks, strictly: a key that means nothing here is an error, so
/// that nobody relies on a rule that does not do what it says.
///
/// Content is judged wherever it lies, so a `path` beside a regex has no effect, and neither has an
/// allowlist of paths or commits.
final class SecretRules {
    private static final Set<String> TOP =
            Set.of("title", "description", "minVersion", "rules", "allowlist", "allowlists");
    private static final Set<String> RULE =
            Set.of(
                    "id",
                    "description",
                    "regex",
                    "secretGroup",
                    "keywords",
                    "entropy",
                    "path",
                    "tags",
                    "allowlist",
                    "allowlists");

    private SecretRules() {}

    static List<SecretRule> load(InputStream toml) throws ConfigException {
        SecretTable file = new SecretTable("the file", tree(toml));
        file.only(TOP);
        List<SecretAllowance> everywhere = allowances(file);
        List<SecretRule> rules = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (SecretTable table : file.tables("rules")) {
            SecretRule rule = rule(table, everywhere);
            if (!ids.add(rule.id())) {
                throw table.wrong("id", "is used twice", "Give every rule its own id.");
            }
            rules.add(rule);
        }
        if (rules.isEmpty()) {
            throw file.wrong("rules", "is empty", "Write at least one rule.");
        }
        return rules;
    }

    private static JsonNode tree(InputStream toml) throws ConfigException {
        try {
            return TomlMapper.builder().build().readTree(toml);
        } catch (IOException e) {
            throw new ConfigException(
                    "The rule file is not TOML: " + e.getMessage() + ".", "Correct it there.");
        }
    }

    private static SecretRule rule(SecretTable unnamed, List<SecretAllowance> everywhere)
            throws ConfigException {
        SecretTable table = unnamed.named("rule " + unnamed.text("id"));
        table.only(RULE);
        if (!table.has("regex")) {
            throw table.wrong(
                    "regex",
                    table.has("path") ? "is missing beside path" : "is missing",
                    "Rules look at content; deny file names with paths-denied in the policy.");
        }
        Pattern regex = table.pattern("regex", table.text("regex"));
        int group = (int) table.number("secretGroup").orElse(0.0).doubleValue();
        if (group < 0 || group > regex.groupCount()) {
            throw table.wrong("secretGroup", "is no group of the regex", "Count its parentheses.");
        }
        List<SecretAllowance> allowances = new ArrayList<>(everywhere);
        allowances.addAll(allowances(table));
        return new SecretRule(
                table.text("id"),
                table.optionalText("description").orElse(""),
                regex,
                group,
                keywords(table),
                table.number("entropy").orElse(0.0),
                allowances);
    }

    private static List<String> keywords(SecretTable table) throws ConfigException {
        List<String> keywords = table.texts("keywords");
        if (keywords.isEmpty() || keywords.contains("")) {
            throw table.wrong(
                    "keywords",
                    "needs at least one word, and none that is empty",
                    "Name a part that every match contains: the scan looks for it first.");
        }
        return keywords;
    }

    private static List<SecretAllowance> allowances(SecretTable table) throws ConfigException {
        List<SecretTable> written = new ArrayList<>(table.tables("allowlists"));
        table.table("allowlist").ifPresent(written::add);
        List<SecretAllowance> allowances = new ArrayList<>();
        for (SecretTable one : written) {
            one.allowance().ifPresent(allowances::add);
        }
        return allowances;
    }

    /// Fails on what is broken in the product itself.
    static List<SecretRule> builtIn() {
        try (InputStream toml =
                Optional.ofNullable(SecretRules.class.getResourceAsStream("secrets.toml"))
                        .orElseThrow(() -> new AssertionError("secrets.toml is not in the jar"))) {
            return load(toml);
        } catch (IOException e) {
            throw new AssertionError("the built-in rules are broken: " + e.getMessage(), e);
        }
    }
}
