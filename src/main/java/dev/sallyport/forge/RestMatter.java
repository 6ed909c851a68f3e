package dev.sallyport.forge;

import dev.sallyport.forge.AnswerScrubber.Scrubbed;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.upstream.ApiOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A request to the REST API.
///
/// @param etag of an answer that the client has already, as it sent it; empty when there is none
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
                        body.length == 0
                                ? new BodyFraming.None()
                                : new BodyFraming.Sized(body.length));
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
