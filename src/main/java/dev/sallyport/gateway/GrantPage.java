package dev.sallyport.gateway;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.AskRules;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.LfsRules;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.SecretScan;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// One grant as an agent reads it, in words and as JSON. In both an absent list means everything
/// and an empty one nothing, and a limit is the one that applies, whoever set it.
record GrantPage(RepoGrant grant, Limits.Git limits) {
    private static final String GIT = "http://gateway.sallyport/git/";

    Map<String, Object> json() {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("repo", grant.repo().toString());
        url().ifPresent(url -> row.put("url", url));
        row.put("access", grant.access().label());
        grant.visible().patterns().ifPresent(refs -> row.put("refsVisible", words(refs)));
        if (grant.access() == Access.WRITE) {
            PushRules push = grant.push();
            row.put("branches", words(push.branches()));
            row.put("force", push.force());
            row.put("delete", push.delete());
            row.put("tags", push.tags());
            row.put("refsTrusted", words(push.refsTrusted()));
            putContent(row, push.content());
            row.put("packBytesMax", packBytesMax());
            if (!push.ask().isNone()) {
                row.put("ask", ask(push.ask()));
            }
        }
        if (!grant.api().isNone()) {
            row.put("api", operations());
            row.put("reviewers", grant.api().reviewers());
            row.put("apiAsk", words(List.copyOf(grant.api().ask())));
        }
        row.put("lfs", lfs());
        return row;
    }

    private static Map<String, Object> ask(AskRules ask) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("always", ask.always());
        row.put("refs", words(ask.refs()));
        row.put("paths", words(ask.paths()));
        ask.overBytes().ifPresent(bytes -> row.put("overBytes", bytes));
        return row;
    }

    private static void putContent(Map<String, Object> row, ContentRules content) {
        row.put("pathsDenied", words(content.pathsDenied()));
        content.pathsAllowed().ifPresent(paths -> row.put("pathsAllowed", words(paths)));
        row.put("fileBytesMax", content.fileBytesMax());
        row.put("commitsMax", content.commitsMax());
        row.put("secrets", content.secrets().label());
        content.authors().ifPresent(authors -> row.put("author", words(authors)));
    }

    private Map<String, Object> lfs() {
        LfsRules rules = grant.lfs();
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("access", rules.access().label());
        if (!rules.isNone()) {
            row.put("objectBytesMax", rules.objectBytesMax());
        }
        if (rules.access() == ApiLevel.WRITE) {
            row.put("uploadBytesMax", rules.uploadBytesMax());
        }
        return row;
    }

    private String lfsInWords() {
        LfsRules rules = grant.lfs();
        String largest = ", objects of at most " + rules.objectBytesMax() + " bytes";
        return switch (rules.access()) {
            case OFF -> "no";
            case READ -> "download" + largest;
            case WRITE ->
                    "download and upload"
                            + largest
                            + ", uploads of "
                            + rules.uploadBytesMax()
                            + " bytes in all; locks can be listed";
        };
    }

    /// A wildcard has none: there is no repository of that name.
    private Optional<String> url() {
        return grant.repo().isWildcard()
                ? Optional.empty()
                : Optional.of(GIT + grant.repo() + ".git");
    }

    String text() {
        StringBuilder text = new StringBuilder("  " + grant.repo() + ": ");
        text.append(grant.access().label()).append('\n');
        url().ifPresent(url -> line(text, "address", url));
        line(text, "refs that can be seen", list(grant.visible().patterns(), "all"));
        switch (grant.access()) {
            case READ -> line(text, "push", "no");
            case WRITE -> append(text, grant.push());
        }
        line(text, "API operations", list(operations()));
        if (grant.api().allows(ApiOperation.PULL_OPEN)) {
            line(text, "pull requests", "from branches that can be pushed");
        }
        if (!grant.api().ask().isEmpty()) {
            line(text, "operations that wait for a person", list(List.copyOf(grant.api().ask())));
        }
        line(text, "large files (Git LFS)", lfsInWords());
        return text.toString();
    }

    private void append(StringBuilder text, PushRules push) {
        ContentRules content = push.content();
        line(text, "push to branches", list(push.branches()));
        line(text, "rewrite branches (force)", yesOrNo(push.force()));
        line(text, "delete branches", yesOrNo(push.delete()));
        line(text, "push tags", yesOrNo(push.tags()));
        line(text, "refs that are not judged again", "branches, tags" + more(push.refsTrusted()));
        line(text, "paths that no commit may change", list(content.pathsDenied()));
        line(text, "paths that commits may change", list(content.pathsAllowed(), "all others"));
        line(text, "author and committer addresses", list(content.authors(), "any"));
        line(text, "what looks like a credential", inWords(content.secrets()));
        line(text, "largest pack", packBytesMax() + " bytes");
        line(text, "largest file", content.fileBytesMax() + " bytes");
        line(text, "commits in one push", "at most " + content.commitsMax());
        if (!push.ask().isNone()) {
            line(text, "pushes that wait for a person", push.ask().toString());
        }
    }

    private List<String> operations() {
        return Arrays.stream(ApiOperation.values())
                .filter(grant.api()::allows)
                .map(ApiOperation::label)
                .toList();
    }

    private long packBytesMax() {
        return limits.packBytesMax(grant.push());
    }

    private static void line(StringBuilder text, String what, String value) {
        text.append("    ").append(what).append(": ").append(value).append('\n');
    }

    private static String more(List<?> patterns) {
        return patterns.isEmpty() ? "" : ", " + list(patterns);
    }

    private static String inWords(SecretScan secrets) {
        return switch (secrets) {
            case DENY -> "is denied";
            case WARN -> "goes through with a warning";
            case OFF -> "is not looked for";
        };
    }

    private static String yesOrNo(boolean flag) {
        return flag ? "yes" : "no";
    }

    private static <T> String list(Optional<List<T>> patterns, String absent) {
        return patterns.map(GrantPage::list).orElse(absent);
    }

    private static String list(List<?> patterns) {
        return patterns.isEmpty() ? "none" : String.join(", ", words(patterns));
    }

    private static List<String> words(List<?> patterns) {
        return patterns.stream().map(Object::toString).toList();
    }
}
