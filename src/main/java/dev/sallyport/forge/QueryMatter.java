package dev.sallyport.forge;

import dev.sallyport.forge.graphql.Change;
import dev.sallyport.forge.graphql.QueryJudge;
import dev.sallyport.forge.graphql.RefusedAnswerException;
import dev.sallyport.forge.graphql.Shaping;
import dev.sallyport.forge.graphql.Verdict;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import dev.sallyport.upstream.ApiOrder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A query of the GraphQL API.
///
/// @param judge asked for on a worker, because the first one has to read its schema
@SuppressWarnings("ArrayRecordComponent") // Nobody compares queries.
record QueryMatter(Supplier<QueryJudge> judge, SessionId session, ApiSite site, byte[] body)
        implements Matter {
    private static final int OK = 200;
    private static final Map<String, String> FIELDS =
            Map.of("accept", "application/json", "content-type", "application/json");

    @Override
    public boolean isHeavy() {
        return true;
    }

    @Override
    public Ruling rule(Policy policy, Known known) {
        SessionView view = new SessionView(policy, site, known);
        Verdict verdict = judge.get().judge(session, body, view);
        Ruling ruling =
                switch (verdict) {
                    case Verdict.Denied(Refusal reason, String message) ->
                            new Ruling.Denied(reason, message, false, Map.of());
                    case Verdict.Answered(byte[] json, List<String> withheld) ->
                            new Ruling.Answered(OK, json, withheld(withheld));
                    case Verdict.AskFirst(var ids) ->
                            Matter.anyPermit(site, policy, known)
                                    .<Ruling>map(
                                            permit ->
                                                    new Ruling.Ask(
                                                            Question.places(
                                                                    site, permit, ids, view,
                                                                    known)))
                                    .orElseGet(() -> Ruling.Denied.notFound(Map.of()));
                    case Verdict.Forward forward -> send(forward, policy, known);
                };
        return Matter.knowingLogin(ruling, view, site, policy, known);
    }

    private Ruling send(Verdict.Forward forward, Policy policy, Known known) {
        List<ApiPermit> relies =
                forward.uses().stream().flatMap(use -> permit(policy, use).stream()).toList();
        // A document that is about no repository needs the right to be here.
        Optional<ApiPermit> permit =
                relies.stream()
                        .filter(p -> p.operation().isWrite())
                        .findFirst()
                        .or(() -> relies.stream().findFirst())
                        .or(() -> Matter.anyPermit(site, policy, known));
        if (permit.isEmpty() || relies.size() < forward.uses().size()) {
            return Ruling.Denied.notFound(Map.of());
        }
        ApiOrder order =
                new ApiOrder(
                        permit.get(),
                        "POST",
                        site.api().graphqlPath(),
                        FIELDS,
                        new BodyFraming.Sized(forward.body().length));
        return new Ruling.Send(
                order,
                forward.body(),
                relies.isEmpty() ? List.of(permit.get()) : relies,
                AnswerTreatment.JSON,
                (status, answer) -> shaped(forward.shaping(), known, status, answer),
                detail(forward, permit.get()));
    }

    private static Optional<ApiPermit> permit(Policy policy, Verdict.Use use) {
        return ApiSite.allowed(policy.decide(use.repository().name(), use.operation()));
    }

    private static Ruling.Shaped shaped(Shaping shaping, Known known, int status, byte[] answer) {
        if (status != OK) {
            return new Ruling.Shaped.Failed();
        }
        Known.Lesson lesson = known.lesson();
        try {
            byte[] json = shaping.apply(answer, lesson);
            return lesson.contradicts()
                    ? new Ruling.Shaped.Foreign()
                    : new Ruling.Shaped.Clean(json);
        } catch (RefusedAnswerException _) {
            return new Ruling.Shaped.Unfit();
        }
    }

    private static Map<String, String> detail(Verdict.Forward forward, ApiPermit permit) {
        Map<String, String> detail = new TreeMap<>(withheld(forward.withheld()));
        if (!forward.uses().isEmpty()) {
            detail.put("operation", words(forward.uses().stream().map(u -> u.operation().label())));
            detail.put(
                    "repo", words(forward.uses().stream().map(u -> u.repository().name().key())));
        }
        forward.uses().stream()
                .flatMap(use -> use.change().stream())
                .forEach(change -> put(detail, change, permit));
        return detail;
    }

    private static void put(Map<String, String> detail, Change change, ApiPermit permit) {
        change.head().ifPresent(head -> detail.put("head", head.branch()));
        change.base().ifPresent(base -> detail.put("base", base));
        if (!change.reviewers().isEmpty()) {
            detail.put("reviewers", words(change.reviewers().stream()));
        }
        change.texts().forEach((name, text) -> detail.putAll(TextRules.record(permit, name, text)));
    }

    private static Map<String, String> withheld(List<String> names) {
        return names.isEmpty() ? Map.of() : Map.of("withheld", words(names.stream()));
    }

    private static String words(Stream<String> words) {
        return words.distinct().sorted().collect(Collectors.joining(" "));
    }
}
