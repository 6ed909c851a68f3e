package dev.sallyport.warden;

import dev.sallyport.credential.Authority;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.ContentRules;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.LfsRules;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.session.Session;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Rights as one line each, so that two sets of them can be compared by people. Rules that differ
/// have different lines.
final class RightsWords {
    static List<String> of(Session session) {
        List<String> lines = new ArrayList<>();
        session.grants().forEach(grant -> lines.add(of(grant)));
        session.egress().rules().forEach(rule -> lines.add(of(rule)));
        if (session.egress().learn()) {
            lines.add("everything else (--learn)");
        }
        return lines;
    }

    private static String of(RepoGrant grant) {
        PushRules push = grant.push();
        ContentRules content = push.content();
        String line = grant.repo().text() + " " + grant.access().label();
        line += grant.visible().patterns().map(refs -> " refs-visible " + refs).orElse("");
        line += of(grant.api());
        line += of(grant.lfs());
        if (grant.access() == Access.READ) {
            return line;
        }
        return line
                + (" branches " + push.branches())
                + (push.force() ? " force" : "")
                + (push.delete() ? " delete" : "")
                + (push.tags() ? " tags" : "")
                + (" paths-denied " + content.pathsDenied())
                + content.pathsAllowed().map(paths -> " paths-allowed " + paths).orElse("")
                + content.authors().map(authors -> " author " + authors).orElse("")
                + (" secrets " + content.secrets().label())
                + (" pack-bytes-max " + push.packBytesMax())
                + (" file-bytes-max " + content.fileBytesMax())
                + (" commits-max " + content.commitsMax())
                + (push.refsTrusted().isEmpty() ? "" : " refs-trusted " + push.refsTrusted())
                + (push.ask().isNone() ? "" : " ask " + push.ask());
    }

    private static String of(LfsRules lfs) {
        return lfs.isNone()
                ? ""
                : (" lfs " + lfs.access().label())
                        + (" object-bytes-max " + lfs.objectBytesMax())
                        + (" upload-bytes-max " + lfs.uploadBytesMax())
                        + named(" storage ", lfs.storage());
    }

    private static String of(ApiRules api) {
        return api.isNone()
                ? ""
                : (" api read " + api.read().label())
                        + (" checks " + api.checks().label())
                        + (" pulls " + api.pulls().label())
                        + (" issues " + api.issues().label())
                        + (api.rerun() ? " rerun" : "")
                        + (api.textCommands() ? " text-commands" : "")
                        + named(" reviewers ", api.reviewers())
                        + named(" ask ", List.copyOf(api.ask()));
    }

    private static String of(EgressRule rule) {
        return rule.host()
                + (" ports " + words(rule.ports()))
                + (rule.reach().privateAddresses() ? " private-addresses" : "")
                + rule.reach().dial().map(dial -> " dial " + dial).orElse("")
                + rule.inspection()
                        .map(RightsWords::of)
                        .orElse(rule.tcp() ? " any protocol" : " tunnel")
                + (rule.ask() ? " ask" : "");
    }

    private static String of(Inspection inspection) {
        boolean nothing = inspection.methods().filter(methods -> methods.isEmpty()).isPresent();
        if (nothing) {
            return " closed";
        }
        return " inspected"
                + inspection.methods().map(methods -> " methods " + words(methods)).orElse("")
                + inspection.paths().map(paths -> " paths " + paths).orElse("")
                + inspection.requestBytesMax().map(max -> " request-bytes-max " + max).orElse("")
                + named(" content-types-denied ", inspection.contentTypesDenied())
                + named(" json-denied ", inspection.json().denied())
                + named(" json-removed ", inspection.json().removed())
                + named(" json-ignored ", inspection.json().ignored())
                + named(" query-allowed ", inspection.queryAllowed())
                + (inspection.websocket() ? " websocket" : "")
                + (inspection.ask() ? " ask" : "")
                + inspection.injection().map(i -> " secret " + i.secret()).orElse("");
    }

    private static String named(String key, List<?> values) {
        return values.isEmpty() ? "" : key + values;
    }

    private static String words(Collection<?> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /// The authority of a sandbox signs for the hosts that were inspected when it was made, and for
    /// no others.
    static List<String> notices(Session session) {
        Optional<String> ca = session.spec().caPem();
        return session.policy().inspectedHosts().stream()
                .filter(host -> ca.isEmpty() || !Authority.signsFor(ca.get(), host))
                .map(
                        host ->
                                host
                                        + " is inspected now, and programs in this sandbox will not"
                                        + " trust its certificate; a new sandbox does")
                .toList();
    }
}
