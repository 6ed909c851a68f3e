package dev.sallyport.config;

import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.ApiRules.ApiKind;
import dev.sallyport.policy.MalformedNameException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Makes [ApiRules] from the `api:` of one repository. What is not written there is standard.
final class ApiRulesReader {
    static final List<String> KEYS =
            List.of(
                    "read",
                    "checks",
                    "pulls",
                    "issues",
                    "rerun",
                    "reviewers",
                    "text-commands",
                    "ask");

    private static final Pattern LOGIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9-]{0,38}");

    private ApiRulesReader() {}

    static ApiRules read(YamlMapping api, Access access) throws ConfigException {
        api.requireOnly(KEYS);
        ApiRules standard = ApiRules.standard(access);
        ApiRules rules =
                new ApiRules(
                        level(api, "read", standard.read(), ApiLevel.READ),
                        level(api, "checks", standard.checks(), ApiLevel.READ),
                        level(api, "pulls", standard.pulls(), ApiLevel.WRITE),
                        level(api, "issues", standard.issues(), ApiLevel.WRITE),
                        api.flag("rerun").orElse(standard.rerun()),
                        api.list("reviewers", ApiRulesReader::login, "octocat")
                                .orElse(standard.reviewers()),
                        api.flag("text-commands").orElse(standard.textCommands()));
        if (access == Access.READ && rules.pulls() == ApiLevel.WRITE) {
            throw api.problem(
                    "pulls",
                    "is write, but access is read: a pull request comes from a pushed branch.",
                    "Write read or off, or set access: write.");
        }
        return rules.withAsk(ask(api));
    }

    /// `true` for whatever changes something, or the kinds.
    private static List<ApiKind> ask(YamlMapping api) throws ConfigException {
        if (api.isList("ask")) {
            return api.list("ask", ApiRulesReader::kind, "pulls").orElse(List.of());
        }
        return api.flag("ask").orElse(false) ? List.of(ApiKind.values()) : List.of();
    }

    private static ApiKind kind(String word) throws MalformedNameException {
        return ApiKind.of(word)
                .orElseThrow(
                        () -> new MalformedNameException("it is none of pulls, issues and rerun"));
    }

    private static ApiLevel level(YamlMapping api, String key, ApiLevel standard, ApiLevel most)
            throws ConfigException {
        Optional<String> word = api.text(key);
        if (word.isEmpty()) {
            return standard;
        }
        Optional<ApiLevel> level = ApiLevel.of(word.get());
        if (level.isEmpty() || level.get().compareTo(most) > 0) {
            String words = most == ApiLevel.WRITE ? "off, read or write." : "off or read.";
            throw api.problem(key, "is not a valid level.", "Write " + words);
        }
        return level.get();
    }

    private static String login(String text) throws MalformedNameException {
        if (!LOGIN.matcher(text).matches()) {
            throw new MalformedNameException("a login is made of letters, digits and hyphens");
        }
        return text;
    }
}
