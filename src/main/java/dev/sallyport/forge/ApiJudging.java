package dev.sallyport.forge;

import dev.sallyport.approval.Asker;
import dev.sallyport.audit.Recorder;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Proposals;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Ask;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.WholeCall;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A request is judged, as often as the gateway has learned something that its judge needs.
final class ApiJudging implements ApiRequest.State {
    /// Each costs the account a request.
    private static final int QUESTIONS_MAX = 8;

    private static final int QUESTION_SECONDS_MAX = 30;
    private static final int ANSWER_BYTES_MAX = 1 << 20;

    private final ApiRequest request;
    private final ApiSite site;
    private final Matter matter;
    private final boolean redirects;
    private final Set<String> asked = new HashSet<>();
    private @Nullable WholeCall call;
    private Asker.@Nullable Asked person;

    /// @param redirects whether a download is answered with an address of ours
    ApiJudging(ApiRequest request, ApiSite site, Matter matter, boolean redirects) {
        this.request = request;
        this.site = site;
        this.matter = matter;
        this.redirects = redirects;
    }

    private Ask ask() {
        return request.ask();
    }

    void judge() {
        Policy policy = ask().responder().session().policy();
        Known known = request.door().known(site.git(), policy);
        Supplier<Ruling> work = () -> matter.rule(policy, known);
        if (matter.isHeavy()) {
            work(work, this::ruled);
        } else {
            worked(ApiDoors.attempt(work), this::ruled);
        }
    }

    private <T> void work(Supplier<T> work, Consumer<T> done) {
        Optional<Refusal> busy =
                request.shared()
                        .work(
                                request.door().session(),
                                ask().responder().loop(),
                                work,
                                result -> worked(result, done));
        busy.ifPresent(reason -> request.deny(Ruling.Denied.of(reason)));
    }

    private <T> void worked(Optional<T> result, Consumer<T> done) {
        if (!request.isIn(this)) {
            return;
        }
        if (result.isPresent()) {
            done.accept(result.get());
        } else {
            request.deny(Ruling.Denied.of(Refusal.INTERNAL));
        }
    }

    private void ruled(Ruling ruling) {
        switch (ruling) {
            case Ruling.Denied denied -> request.deny(denied);
            case Ruling.Answered answered -> answer(answered);
            case Ruling.Ask(Question question) -> ask(question);
            case Ruling.Send send -> send(send);
        }
    }

    private void answer(Ruling.Answered answered) {
        afterRecord(
                request.door().audit().allowed(ask(), answered.detail(), false),
                () -> {
                    request.recorded();
                    request.answer(
                            answered.status(),
                            Map.of("content-type", ApiAnswer.JSON),
                            answered.json());
                });
    }

    private void afterRecord(CompletableFuture<Void> record, Runnable next) {
        Recorder.then(
                record,
                ask().responder().loop(),
                unrecorded -> {
                    if (!request.isIn(this)) {
                        return;
                    }
                    unrecorded.ifPresentOrElse(
                            reason -> request.deny(Ruling.Denied.of(reason)), next);
                });
    }

    /// What is asked for a second time has no answer.
    private void ask(Question question) {
        if (!asked.add(question.key()) || asked.size() > QUESTIONS_MAX) {
            request.deny(Ruling.Denied.notFound(Map.of()));
            return;
        }
        afterRecord(
                request.door().audit().question(ask(), question),
                () ->
                        call =
                                request.whole(
                                        question.order(),
                                        question.body(),
                                        new WholeCall.Terms(
                                                ANSWER_BYTES_MAX,
                                                QUESTION_SECONDS_MAX,
                                                request.door().room()),
                                        List.of(question.order().permit()),
                                        outcome -> told(question, outcome)));
    }

    private void told(Question question, WholeCall.Outcome outcome) {
        switch (outcome) {
            case WholeCall.Outcome.Failed(Failure failure, var _, var _) -> request.fail(failure);
            case WholeCall.Outcome.Answered(AnswerHead head, byte[] body) -> {
                if (head.status() == 401) {
                    request.fail(request.failure(question.order().permit(), head));
                } else {
                    work(
                            () -> question.reading().read(head.status(), body),
                            says -> learned(says, head, question));
                }
            }
        }
    }

    private void learned(boolean says, AnswerHead head, Question question) {
        if (call != null) {
            call.close();
            call = null;
        }
        if (says) {
            judge();
        } else {
            request.fail(request.failure(question.order().permit(), head));
        }
    }

    private void send(Ruling.Send send) {
        if (send.isWrite() && !request.door().takeWrite()) {
            request.deny(
                    new Ruling.Denied(
                            Refusal.TOO_MANY_REQUESTS, Proposals.TOO_OFTEN, false, send.detail()),
                    OptionalLong.of(60));
            return;
        }
        if (ApiApproval.isNeeded(send)) {
            askPerson(send);
        } else {
            allow(send, send.detail());
        }
    }

    /// Nobody else can say yes.
    private void askPerson(Ruling.Send send) {
        Optional<Asker.Asked> shown = ApiApproval.ask(ask(), send);
        if (shown.isEmpty()) {
            request.deny(Ruling.Denied.of(Refusal.URL_NOT_ALLOWED));
            return;
        }
        Asker.Asked question = shown.get();
        person = question;
        question.then(ask().responder().loop(), reply -> answered(send, question.id(), reply));
    }

    private void answered(Ruling.Send send, String id, Asker.Reply reply) {
        person = null;
        if (!request.isIn(this)) {
            return;
        }
        Optional<Refusal> refusal = reply.outcome().refusal();
        if (refusal.isPresent()) {
            String said = reply.note().isEmpty() ? "" : " (they said: " + reply.note() + ")";
            request.deny(
                    new Ruling.Denied(
                            refusal.get(), refusal.get().sentence() + said, false, send.detail()));
            return;
        }
        Map<String, String> detail = new TreeMap<>(send.detail());
        detail.put("approval", id);
        allow(send, detail);
    }

    private void allow(Ruling.Send send, Map<String, String> detail) {
        afterRecord(
                request.door().audit().allowed(ask(), detail, send.isWrite()),
                () -> {
                    request.recorded();
                    begin(send);
                });
    }

    private void begin(Ruling.Send send) {
        switch (send.treatment()) {
            case JSON, NO_BODY -> ApiSending.begin(request, send);
            case RAW -> ApiStreaming.begin(request, send);
            case DOWNLOAD -> {
                if (redirects) {
                    redirect();
                } else {
                    ApiSending.begin(request, send);
                }
            }
        }
    }

    /// To this door once more, where it is judged again and followed: only this sandbox reaches it,
    /// so the address needs no secret in it.
    private void redirect() {
        String path = ask().head().path().substring(site.api().restRoot().length());
        String query = ask().head().query();
        String place =
                "https://"
                        + site.api().name()
                        + site.api().restRoot()
                        + ApiIntake.FOLLOWED
                        + path
                        + (query.isEmpty() ? "" : "?" + query);
        request.answer(302, Map.of("location", place), new byte[0]);
    }

    @Override
    public void leave() {
        if (person != null) {
            person.withdraw();
            person = null;
        }
        if (call != null) {
            call.close();
            call = null;
        }
    }
}
