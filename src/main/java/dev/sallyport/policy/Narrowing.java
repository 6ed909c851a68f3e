package dev.sallyport.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// What a session keeps of its rights when others hold for it from now on: never more than it has,
/// and never more than the others allow. Where two rules have nothing in common that a rule could
/// say, it keeps nothing.
///
/// The first rule that covers a request decides in each list. In the list of all pairs, in the
/// order of the one and then of the other, the first pair that covers it is that of the two that
/// decide.
public final class Narrowing {
    /// As many as a session may be given; what is beyond is lost.
    private static final int RULES_MAX = 512;

    private Narrowing() {}

    public static Egress of(Egress present, Egress wanted) {
        boolean learn = present.learn() && wanted.learn();
        List<EgressRule> rules = new ArrayList<>();
        for (EgressRule has : present.rules()) {
            wanted.rules().forEach(gets -> both(has, gets).ifPresent(rule -> add(rules, rule)));
        }
        if (learn) {
            // What one of them has no rule for, it lets through as a tunnel.
            for (EgressRule has : present.rules()) {
                both(has, learned(has)).ifPresent(rule -> add(rules, rule));
            }
            for (EgressRule gets : wanted.rules()) {
                both(learned(gets), gets).ifPresent(rule -> add(rules, rule));
            }
        }
        boolean fits = rules.size() <= RULES_MAX;
        return new Egress(fits ? rules : rules.subList(0, RULES_MAX), learn && fits);
    }

    private static EgressRule learned(EgressRule like) {
        return new EgressRule(
                like.host(), like.ports(), Reach.PUBLIC, Optional.empty(), like.origin());
    }

    /// Unless an earlier one leaves it nothing to decide.
    private static void add(List<EgressRule> rules, EgressRule rule) {
        boolean decides =
                rule.ports().isEmpty()
                        ? rules.stream()
                                .noneMatch(r -> r.ports().isEmpty() && r.host().covers(rule.host()))
                        : rule.ports().stream()
                                .anyMatch(
                                        port ->
                                                rules.stream()
                                                        .noneMatch(r -> decides(r, rule, port)));
        if (decides) {
            rules.add(rule);
        }
    }

    private static boolean decides(EgressRule earlier, EgressRule rule, int port) {
        return earlier.ports().contains(port) && earlier.host().covers(rule.host());
    }

    /// A rule without ports closes its host to learning, and decides nothing else.
    private static Optional<EgressRule> both(EgressRule has, EgressRule gets) {
        Optional<HostPattern> host = Overlap.of(has.host(), gets.host());
        SortedSet<Integer> ports = new TreeSet<>(has.ports());
        ports.retainAll(gets.ports());
        boolean closed = has.ports().isEmpty() && gets.ports().isEmpty();
        if (host.isEmpty() || (ports.isEmpty() && !closed)) {
            return Optional.empty();
        }
        boolean sameRight =
                has.reach().dial().equals(gets.reach().dial())
                        && injection(has).equals(injection(gets))
                        && ca(has, gets);
        Optional<Inspection> inspection =
                sameRight
                        ? inspection(has.inspection(), gets.inspection())
                        : Optional.of(Inspection.NOTHING);
        // TLS and HTTP are part of what a plain tunnel takes.
        boolean tcp = has.tcp() && gets.tcp() && inspection.isEmpty();
        boolean ask = has.ask() || gets.ask();
        return Optional.of(
                new EgressRule(
                        host.get(), ports, reach(has, gets), inspection, tcp, ask, gets.origin()));
    }

    /// Another secret, or one where there was none, is another right. So is none where there was
    /// one: the sandbox could then bring its own.
    private static Optional<Injection> injection(EgressRule rule) {
        return rule.inspection().flatMap(Inspection::injection);
    }

    /// Only an inspected rule relies on certificates.
    private static boolean ca(EgressRule has, EgressRule gets) {
        return has.inspection().isEmpty()
                || gets.inspection().isEmpty()
                || has.reach().caPem().equals(gets.reach().caPem());
    }

    private static Reach reach(EgressRule has, EgressRule gets) {
        return new Reach(
                has.reach().privateAddresses() && gets.reach().privateAddresses(),
                gets.reach().dial(),
                gets.inspection().isPresent() ? gets.reach().caPem() : has.reach().caPem());
    }

    private static Optional<Inspection> inspection(
            Optional<Inspection> has, Optional<Inspection> gets) {
        return has.isPresent() && gets.isPresent()
                ? Optional.of(both(has.get(), gets.get()))
                : has.or(() -> gets);
    }

    private static Inspection both(Inspection has, Inspection gets) {
        JsonRules json = both(has.json(), gets.json());
        if (json.count() > JsonRules.COUNT_MAX) {
            return Inspection.NOTHING;
        }
        return new Inspection(
                methods(has.methods(), gets.methods()),
                paths(has.paths(), gets.paths()),
                Overlap.union(has.contentTypesDenied(), gets.contentTypesDenied()),
                least(has.requestBytesMax(), gets.requestBytesMax()),
                json,
                has.websocket() && gets.websocket() && json.isEmpty() && !has.ask() && !gets.ask(),
                Overlap.of(has.queryAllowed(), gets.queryAllowed(), Object::equals),
                gets.injection(),
                has.ask() || gets.ask());
    }

    private static JsonRules both(JsonRules has, JsonRules gets) {
        return new JsonRules(
                Overlap.union(has.denied(), gets.denied()),
                Overlap.union(has.removed(), gets.removed()),
                Overlap.of(has.ignored(), gets.ignored(), Object::equals));
    }

    private static Optional<SortedSet<String>> methods(
            Optional<SortedSet<String>> has, Optional<SortedSet<String>> gets) {
        if (has.isEmpty() || gets.isEmpty()) {
            return has.or(() -> gets);
        }
        SortedSet<String> both = new TreeSet<>(has.get());
        both.retainAll(gets.get());
        return Optional.of(both);
    }

    /// A rule without patterns refuses an escaped slash, which a pattern with a scope does not.
    private static Optional<List<UrlPattern>> paths(
            Optional<List<UrlPattern>> has, Optional<List<UrlPattern>> gets) {
        if (has.isPresent() && gets.isPresent()) {
            return Optional.of(Overlap.of(has.get(), gets.get(), UrlPattern::covers));
        }
        return has.or(() -> gets)
                .map(patterns -> patterns.stream().filter(p -> !p.namesScope()).toList());
    }

    private static Optional<Long> least(Optional<Long> has, Optional<Long> gets) {
        return has.isPresent() && gets.isPresent()
                ? Optional.of(Math.min(has.get(), gets.get()))
                : has.or(() -> gets);
    }

    public static List<RepoGrant> of(List<RepoGrant> present, List<RepoGrant> wanted) {
        List<RepoGrant> grants = new ArrayList<>();
        for (RepoGrant has : present) {
            for (RepoGrant gets : wanted) {
                Optional<RepoPattern> repo = Overlap.of(has.repo(), gets.repo());
                if (repo.isPresent()
                        && grants.stream().noneMatch(g -> g.repo().covers(repo.get()))) {
                    grants.add(both(repo.get(), has, gets));
                }
            }
        }
        return grants;
    }

    private static RepoGrant both(RepoPattern repo, RepoGrant has, RepoGrant gets) {
        Access access = has.access().compareTo(gets.access()) < 0 ? has.access() : gets.access();
        return new RepoGrant(
                repo,
                access,
                has.visible().and(gets.visible()),
                switch (access) {
                    case READ -> PushRules.none();
                    case WRITE -> both(has.push(), gets.push());
                },
                gets.mirror(),
                has.api().and(gets.api()),
                has.lfs().and(gets.lfs()));
    }

    private static PushRules both(PushRules has, PushRules gets) {
        return new PushRules(
                Overlap.of(has.branches(), gets.branches(), RefPattern::covers),
                has.force() && gets.force(),
                has.delete() && gets.delete(),
                has.tags() && gets.tags(),
                Math.min(has.packBytesMax(), gets.packBytesMax()),
                both(has.content(), gets.content()),
                Overlap.of(has.refsTrusted(), gets.refsTrusted(), RefPattern::covers),
                has.ask().or(gets.ask()));
    }

    private static ContentRules both(ContentRules has, ContentRules gets) {
        return new ContentRules(
                Overlap.union(has.pathsDenied(), gets.pathsDenied()),
                Overlap.of(has.pathsAllowed(), gets.pathsAllowed(), PathPattern::covers),
                Math.min(has.fileBytesMax(), gets.fileBytesMax()),
                Math.min(has.commitsMax(), gets.commitsMax()),
                has.secrets().compareTo(gets.secrets()) < 0 ? has.secrets() : gets.secrets(),
                Overlap.of(has.authors(), gets.authors(), Object::equals));
    }
}
