package dev.sallyport.forge;

import dev.sallyport.forge.AnswerScrubber.Scrubbed;
import dev.sallyport.forge.graphql.Change;
import dev.sallyport.forge.graphql.QueryJudge;
import dev.sallyport.forge.graphql.RefusedAnswerException;
import dev.sallyport.forge.graphql.Shaping;
import dev.sallyport.forge.graphql.Verdict;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.RequestHead;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import dev.sallyport.upstream.ApiOrder;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The body of a request arrives. Nothing is judged before all of it is here.
final class ApiIntake implements ApiRequest.State {
    /// Clients of these names take a log's address from a redirect and ask for it by themselves.
    private static final Set<String> INSISTING = Set.of("go-github", "github-mcp-server");

    /// Where they are sent: the same request at this door once more.
    static final String FOLLOWED = "/sallyport/followed";

    private final ApiRequest request;
    private final ApiSite site;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();

    ApiIntake(ApiRequest request, ApiSite site) {
        this.request = request;
        this.site = site;
    }

    @Override
    public void body(ByteBuf piece) {
        try {
            int bytes = piece.readableBytes();
            if (body.size() + bytes > request.shared().limits().requestBytesMax()) {
                request.deny(Ruling.Denied.of(Refusal.BODY_TOO_LARGE));
            } else if (!request.hold(bytes)) {
                request.deny(Ruling.Denied.of(Refusal.GATEWAY_BUSY));
            } else {
                byte[] copy = new byte[bytes];
                piece.readBytes(copy);
                body.writeBytes(copy);
            }
        } finally {
            piece.release();
        }
    }

    @Override
    public void end() {
        RequestHead head = request.ask().head();
        byte[] whole = body.toByteArray();
        String prefix = site.api().restRoot() + FOLLOWED;
        boolean followed = head.path().startsWith(prefix + "/");
        String path =
                followed
                        ? site.api().restRoot() + head.path().substring(prefix.length())
                        : head.path();
        if (!site.isForQueries(path)) {
            RestRequest asked =
                    new RestRequest(
                            site.git(),
                            head.method(),
                            path,
                            head.query(),
                            head.field("accept").orElse(""),
                            whole);
            String etag = head.field("if-none-match").orElse("");
            judge(
                    new RestMatter(request.shared().rest(), site, asked, etag),
                    !followed && insists(head));
        } else if (site.dialect().forge() != Forge.GITHUB) {
            request.deny(
                    new Ruling.Denied(
                            Refusal.OPERATION_NOT_ALLOWED,
                            "queries (GraphQL) cannot be sent to this host; use its REST API, "
                                    + site.api().restRoot(),
                            false,
                            Map.of()));
        } else if (head.method().equals("POST") && head.query().isEmpty()) {
            SessionId session = request.door().session();
            judge(new QueryMatter(request.shared()::queries, session, site, whole), false);
        } else {
            request.deny(Ruling.Denied.of(Refusal.METHOD_NOT_ALLOWED));
        }
    }

    private static boolean insists(RequestHead head) {
        String agent = head.field("user-agent").orElse("");
        return INSISTING.stream().anyMatch(agent::startsWith);
    }

    /// @param redirects whether a log is answered with an address of ours
    private void judge(Matter matter, boolean redirects) {
        ApiJudging judging = new ApiJudging(request, site, matter, redirects);
        request.become(judging);
        judging.judge();
    }

    /// A request to the REST API.
    ///
    /// @param etag of an answer that the client has already, as it sent it; empty when there is
    ///   none
    record RestMatter(RestJudge judge, ApiSite site, RestRequest request, String etag)
            implements Matter {
        @Override
        public boolean isHeavy() {
            return request.body().length > 0;
        }

        @Override
        public Ruling rule(Policy policy, Known known) {
            SessionView view = new SessionView(policy, site, known);
            RestVerdict verdict = judge.judge(policy, request, view);
            Ruling ruling = of(verdict, policy, known);
            return verdict instanceof RestVerdict.Answered
                    ? Matter.knowingLogin(ruling, view, site, policy, known)
                    : ruling;
        }

        private Ruling of(RestVerdict verdict, Policy policy, Known known) {
            return switch (verdict) {
                case RestVerdict.Denied(var reason, var message, var hidden, var detail) ->
                        new Ruling.Denied(reason, message, hidden, detail);
                case RestVerdict.Answered(var status, var json, var detail) ->
                        new Ruling.Answered(status, json, detail);
                case RestVerdict.NeedsNumber(var permit, var number, var _) ->
                        new Ruling.Ask(Question.number(site, policy, known, permit, number));
                case RestVerdict.NeedsComment(var permit, var comment, var _) ->
                        new Ruling.Ask(Question.comment(site, policy, known, permit, comment));
                case RestVerdict.NeedsRepository(var _, var detail) ->
                        unnumbered(policy, known)
                                .<Ruling>map(
                                        permit ->
                                                new Ruling.Ask(
                                                        Question.repository(
                                                                site, policy, known, permit)))
                                .orElseGet(() -> Ruling.Denied.notFound(detail));
                case RestVerdict.NeedsId(var permit, var _) ->
                        new Ruling.Ask(Question.repository(site, policy, known, permit));
                case RestVerdict.Forward forward -> send(forward, policy, known);
            };
        }

        /// The next repository whose number is not known. One that upstream does not know is asked
        /// about again and again, and then the request is given up.
        private Optional<ApiPermit> unnumbered(Policy policy, Known known) {
            return site.named(policy).stream()
                    .filter(repo -> known.id(repo).isEmpty())
                    .flatMap(repo -> ApiSite.any(policy, repo).stream())
                    .findFirst();
        }

        private Ruling send(RestVerdict.Forward forward, Policy policy, Known known) {
            byte[] body = forward.body();
            Map<String, String> fields = new LinkedHashMap<>(forward.fields());
            if (request.isRead()
                    && forward.treatment() == AnswerTreatment.JSON
                    && ApiAnswer.isEtag(etag)) {
                fields.put("if-none-match", etag);
            }
            ApiOrder order =
                    new ApiOrder(
                            forward.permit(),
                            forward.method(),
                            forward.target(),
                            fields,
                            BodyFraming.of(body.length));
            return new Ruling.Send(
                    order,
                    body,
                    List.of(forward.permit()),
                    forward.treatment(),
                    (_, answer) -> shaped(forward, policy, known, answer),
                    forward.detail());
        }

        /// A file teaches nothing: whoever pushed it decides what it says (G23).
        private static Ruling.Shaped shaped(
                RestVerdict.Forward forward, Policy policy, Known known, byte[] answer) {
            Known.Lesson lesson = known.lesson();
            boolean file = forward.treatment() == AnswerTreatment.RAW;
            Scrubbed scrubbed =
                    new AnswerScrubber(
                                    Question.form(policy, known, forward.permit()),
                                    file ? Learner.NOBODY : lesson)
                            .scrub(answer);
            return switch (scrubbed) {
                case Scrubbed.Clean(byte[] json) ->
                        lesson.contradicts()
                                ? new Ruling.Shaped.Foreign()
                                : new Ruling.Shaped.Clean(json);
                case Scrubbed.Foreign() -> new Ruling.Shaped.Foreign();
                case Scrubbed.Unfit() -> new Ruling.Shaped.Unfit();
            };
        }
    }

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

        private static Ruling.Shaped shaped(
                Shaping shaping, Known known, int status, byte[] answer) {
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
                detail.put(
                        "operation",
                        words(forward.uses().stream().map(u -> u.operation().label())));
                detail.put(
                        "repo",
                        words(forward.uses().stream().map(u -> u.repository().name().key())));
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
            change.texts()
                    .forEach((name, text) -> detail.putAll(TextRules.record(permit, name, text)));
        }

        private static Map<String, String> withheld(List<String> names) {
            return names.isEmpty() ? Map.of() : Map.of("withheld", words(names.stream()));
        }

        private static String words(Stream<String> words) {
            return words.distinct().sorted().collect(Collectors.joining(" "));
        }
    }
}
