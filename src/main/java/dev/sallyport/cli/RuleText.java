package dev.sallyport.cli;

import dev.sallyport.config.EgressText;
import dev.sallyport.config.GitHost;
import dev.sallyport.config.GrantText;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.LfsRules;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The rules of one repository as a person reads them: what it is, and only those rules that are
/// not standard, under the keys of `policy.yaml`.
final class RuleText {
    private static final GrantText STANDARD =
            GrantText.of(
                    new RepoGrant(
                                    new RepoPattern(GitHost.GITHUB.name(), "any", Optional.empty()),
                                    Access.WRITE,
                                    RefVisibility.all(),
                                    PushRules.standard())
                            .withApi(ApiRules.standard(Access.WRITE))
                            .withLfs(LfsRules.standard(Access.WRITE)));

    static String summary(GrantText grant) {
        return grant.repo()
                + "  "
                + grant.access()
                + (isWrite(grant) ? "  push " + words(grant.branches()) : "");
    }

    static String summary(EgressText rule) {
        StringBuilder text = new StringBuilder(rule.host());
        if (!rule.ports().equals(List.copyOf(EgressRule.PORTS))) {
            text.append(" ports ").append(rule.ports());
        }
        text.append(rule.tcp() ? "  any protocol" : "");
        text.append(rule.ask() ? "  ask" : "");
        rule.inspection()
                .ifPresent(
                        inspection -> {
                            inspection.methods().ifPresent(m -> text.append("  ").append(words(m)));
                            inspection.paths().ifPresent(p -> text.append("  ").append(words(p)));
                            inspection
                                    .inject()
                                    .ifPresent(i -> text.append("  secret ").append(i.secret()));
                            text.append(inspection.ask() ? "  ask" : "");
                        });
        return text + "  (" + rule.origin() + ")";
    }

    static List<String> rest(GrantText grant) {
        List<String> rules = new ArrayList<>();
        grant.refsVisible().ifPresent(refs -> rules.add("refs-visible: " + words(refs)));
        add(rules, "mirror", grant.mirror(), STANDARD.mirror());
        grant.api().ifPresent(api -> rules.add("api: " + words(api)));
        lfs(grant).ifPresent(lfs -> rules.add("lfs: " + lfs));
        if (isWrite(grant)) {
            addFlags(rules, grant);
            addContent(rules, grant);
            grant.ask().ifPresent(ask -> rules.add("ask: " + words(ask)));
        }
        return rules;
    }

    private static Optional<String> lfs(GrantText grant) {
        if (grant.lfs().isEmpty()) {
            return Optional.of("off");
        }
        GrantText.LfsText has = grant.lfs().get();
        GrantText.LfsText standard = STANDARD.lfs().orElseThrow();
        List<String> rules = new ArrayList<>();
        add(rules, "access", has.access(), grant.access());
        add(rules, "object-bytes-max", has.objectBytesMax(), standard.objectBytesMax());
        add(rules, "upload-bytes-max", has.uploadBytesMax(), standard.uploadBytesMax());
        add(rules, "storage", words(has.storage()), words(standard.storage()));
        return rules.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", rules));
    }

    private static String words(GrantText.ApiText api) {
        return "read "
                + api.read()
                + ", checks "
                + api.checks()
                + ", pulls "
                + api.pulls()
                + ", issues "
                + api.issues()
                + (api.rerun() ? ", rerun" : "")
                + (api.textCommands() ? ", text-commands" : "")
                + (api.reviewers().isEmpty() ? "" : ", reviewers " + words(api.reviewers()))
                + (api.ask().isEmpty() ? "" : ", ask " + words(api.ask()));
    }

    private static String words(GrantText.AskText ask) {
        List<String> rules = new ArrayList<>();
        if (ask.always()) {
            rules.add("every push");
        }
        if (!ask.refs().isEmpty()) {
            rules.add("refs " + words(ask.refs()));
        }
        if (!ask.paths().isEmpty()) {
            rules.add("paths " + words(ask.paths()));
        }
        ask.overBytes().ifPresent(bytes -> rules.add("packs over " + bytes + " bytes"));
        return String.join("; ", rules);
    }

    private static boolean isWrite(GrantText grant) {
        return grant.access().equals(STANDARD.access());
    }

    private static void addFlags(List<String> rules, GrantText grant) {
        add(rules, "force", grant.force(), STANDARD.force());
        add(rules, "delete", grant.delete(), STANDARD.delete());
        add(rules, "tags", grant.tags(), STANDARD.tags());
        add(rules, "refs-trusted", words(grant.refsTrusted()), words(STANDARD.refsTrusted()));
    }

    private static void addContent(List<String> rules, GrantText grant) {
        add(rules, "paths-denied", words(grant.pathsDenied()), words(STANDARD.pathsDenied()));
        grant.pathsAllowed().ifPresent(paths -> rules.add("paths-allowed: " + words(paths)));
        add(rules, "pack-bytes-max", grant.packBytesMax(), STANDARD.packBytesMax());
        add(rules, "file-bytes-max", grant.fileBytesMax(), STANDARD.fileBytesMax());
        add(rules, "commits-max", grant.commitsMax(), STANDARD.commitsMax());
        add(rules, "secrets", grant.secrets(), STANDARD.secrets());
        grant.author().ifPresent(addresses -> rules.add("author: " + words(addresses)));
    }

    private static void add(List<String> rules, String key, Object value, Object standard) {
        if (!value.equals(standard)) {
            rules.add(key + ": " + value);
        }
    }

    private static String words(List<String> words) {
        return words.isEmpty() ? "none" : String.join(", ", words);
    }
}
