package dev.sallyport.policy;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// SHA-256 over a canonical text of rules. Each value stands with its length before it and each
/// list with its size, so that no two different rule sets have the same text.
final class PolicyDigest {
    private final StringBuilder text = new StringBuilder("sallyport-policy-3\n");

    private PolicyDigest() {}

    static String of(List<RepoGrant> grants, Egress egress) {
        PolicyDigest digest = new PolicyDigest();
        digest.value("git", grants.size());
        grants.forEach(digest::grant);
        digest.value("egress", egress.rules().size());
        egress.rules().forEach(digest::rule);
        digest.value("learn", egress.learn());
        return Hashes.sha256(digest.text.toString());
    }

    private void grant(RepoGrant grant) {
        PushRules push = grant.push();
        ContentRules content = push.content();
        value("repo", grant.repo());
        value("access", grant.access());
        optional("refs-visible", grant.visible().patterns());
        list("branches", push.branches());
        value("force", push.force());
        value("delete", push.delete());
        value("tags", push.tags());
        value("pack-bytes-max", push.packBytesMax());
        list("paths-denied", content.pathsDenied());
        optional("paths-allowed", content.pathsAllowed());
        value("file-bytes-max", content.fileBytesMax());
        value("commits-max", content.commitsMax());
        value("secrets", content.secrets());
        optional("author", content.authors());
        if (!push.refsTrusted().isEmpty()) {
            // Left out when empty, so that sessions stored before the key existed keep their
            // digest.
            list("refs-trusted", push.refsTrusted());
        }
        if (!push.ask().isNone()) {
            ask(push.ask());
        }
        if (grant.mirror() != MirrorUse.AUTO) {
            value("mirror", grant.mirror());
        }
        if (!grant.api().isNone()) {
            api(grant.api());
        }
        if (!grant.lfs().isNone()) {
            lfs(grant.lfs());
        }
    }

    private void ask(AskRules ask) {
        value("ask-always", ask.always());
        list("ask-refs", ask.refs());
        list("ask-paths", ask.paths());
        one("ask-over-bytes", ask.overBytes());
    }

    private void lfs(LfsRules lfs) {
        value("lfs-access", lfs.access());
        value("lfs-object-bytes-max", lfs.objectBytesMax());
        value("lfs-upload-bytes-max", lfs.uploadBytesMax());
        list("lfs-storage", lfs.storage());
    }

    private void api(ApiRules api) {
        value("api-read", api.read());
        value("api-checks", api.checks());
        value("api-pulls", api.pulls());
        value("api-issues", api.issues());
        value("api-rerun", api.rerun());
        list("api-reviewers", api.reviewers());
        value("api-text-commands", api.textCommands());
        if (api.forge() != Forge.GITHUB) {
            value("api-forge", api.forge());
        }
        if (!api.ask().isEmpty()) {
            list("api-ask", api.ask());
        }
    }

    /// Where a rule was written does not change what it says.
    private void rule(EgressRule rule) {
        value("host", rule.host());
        list("ports", rule.ports());
        value("private-addresses", rule.reach().privateAddresses());
        one("dial", rule.reach().dial());
        one("ca", rule.reach().caPem());
        value("inspected", rule.inspection().isPresent());
        if (rule.tcp()) {
            value("tcp", true);
        }
        if (rule.ask()) {
            value("ask-connection", true);
        }
        rule.inspection().ifPresent(this::inspection);
    }

    private void inspection(Inspection inspection) {
        optional("methods", inspection.methods());
        optional("paths", inspection.paths());
        list("content-types-denied", inspection.contentTypesDenied());
        one("request-bytes-max", inspection.requestBytesMax());
        list("json-denied", inspection.json().denied());
        some("json-removed", inspection.json().removed());
        some("json-ignored", inspection.json().ignored());
        value("websocket", inspection.websocket());
        list("query-allowed", inspection.queryAllowed());
        value("inject", inspection.injection().isPresent());
        inspection.injection().ifPresent(this::injection);
        if (inspection.ask()) {
            value("ask", true);
        }
    }

    private void injection(Injection injection) {
        value("secret", injection.secret());
        value("place", injection.place());
        one("placeholder", injection.placeholder());
    }

    /// For a key that came later: sessions that were stored before keep their digest.
    private void some(String key, List<?> values) {
        if (!values.isEmpty()) {
            list(key, values);
        }
    }

    private void one(String key, Optional<?> value) {
        optional(key, value.map(List::of));
    }

    private void value(String key, Object value) {
        String written = value.toString();
        text.append(key).append(' ').append(written.length()).append(' ').append(written);
        text.append('\n');
    }

    private void list(String key, Collection<?> values) {
        value(key, values.size());
        values.forEach(value -> value("-", value));
    }

    private void optional(String key, Optional<? extends Collection<?>> values) {
        values.ifPresentOrElse(list -> list(key, list), () -> value(key, "absent"));
    }
}
