package dev.sallyport.forge;

import dev.sallyport.audit.Recorder;
import dev.sallyport.config.Limits;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.SessionAccount;
import dev.sallyport.relay.StorePlace;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.DownloadOrder;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.WholeCall;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A request is upstream, and its answer is taken as a whole before the sandbox gets any of it.
final class ApiSending implements ApiRequest.State {
    private static final int SECONDS_MAX = 120;
    private static final int FOUND = 302;
    private static final int NOT_MODIFIED = 304;

    private final ApiRequest request;
    private final Ruling.Send send;
    private @Nullable WholeCall call;

    private ApiSending(ApiRequest request, Ruling.Send send) {
        this.request = request;
        this.send = send;
    }

    /// Its decision is recorded.
    static void begin(ApiRequest request, Ruling.Send send) {
        ApiSending sending = new ApiSending(request, send);
        request.become(sending);
        Limits.Api limits = request.shared().limits();
        sending.call =
                request.whole(
                        send.order(),
                        send.body(),
                        new WholeCall.Terms(
                                limits.answerBytesMax(), SECONDS_MAX, request.door().room()),
                        send.relies(),
                        sending::told);
    }

    private void told(WholeCall.Outcome outcome) {
        switch (outcome) {
            case WholeCall.Outcome.Failed(Failure failure, var _, var _) -> request.fail(failure);
            case WholeCall.Outcome.Answered(AnswerHead head, byte[] body) -> answered(head, body);
        }
    }

    private void answered(AnswerHead head, byte[] body) {
        count(body.length);
        int status = head.status();
        if (!request.holds(send.relies())) {
            request.fail(Refusal.RIGHTS_CHANGED);
        } else if (status == 401 || status >= 500) {
            request.fail(request.failure(send.order().permit(), head));
        } else if (status == FOUND && send.treatment() == AnswerTreatment.DOWNLOAD) {
            follow(head);
        } else if (status == NOT_MODIFIED && send.order().fields().containsKey("if-none-match")) {
            request.answer(status, ApiAnswer.fields(request.ask(), head), body);
        } else if (status >= 300 && status < 400) {
            // Renamed or moved: what is there now was not granted by anybody (52).
            request.notFound();
        } else if (body.length == 0) {
            request.answer(status, ApiAnswer.fields(request.ask(), head), body);
        } else if (!ApiAnswer.isJson(head) || !isWanted(status)) {
            request.fail(Refusal.UPSTREAM_MISBEHAVED);
        } else {
            shape(head, body);
        }
    }

    /// Instead of a file or of nothing there can only be an error.
    private boolean isWanted(int status) {
        return switch (send.treatment()) {
            case JSON, RAW -> true;
            case DOWNLOAD, NO_BODY -> status >= 400;
        };
    }

    /// The one redirect that is followed: of a file, to where this host is known to keep files,
    /// without the credential, once.
    private void follow(AnswerHead head) {
        ApiPermit permit = send.order().permit();
        Optional<StorePlace> place = head.one("location").flatMap(StorePlace::parse);
        Policy policy = request.ask().responder().session().policy();
        if (place.isEmpty()
                || !(policy.decide(permit, place.get().host())
                        instanceof Decision.Allow<EgressPermit>(EgressPermit store))) {
            request.fail(Refusal.UPSTREAM_MISBEHAVED);
            return;
        }
        DownloadOrder order = new DownloadOrder(store, permit.host(), place.get().target());
        Recorder.then(
                request.door().audit().download(request.ask(), store.host()),
                request.ask().responder().loop(),
                unrecorded -> {
                    if (request.isIn(this)) {
                        unrecorded.ifPresentOrElse(
                                request::fail, () -> ApiStreaming.begin(request, send, order));
                    }
                });
    }

    private void count(int bytesDown) {
        SessionAccount account =
                new SessionAccount(request.shared().usage(), request.door().session());
        account.up(send.body().length);
        account.down(bytesDown);
        account.over(true);
    }

    private void shape(AnswerHead head, byte[] body) {
        Optional<Refusal> busy =
                request.shared()
                        .work(
                                request.door().session(),
                                request.ask().responder().loop(),
                                () -> send.shape().of(head.status(), body),
                                shaped -> shaped(head, shaped));
        busy.ifPresent(request::fail);
    }

    private void shaped(AnswerHead head, Optional<Ruling.Shaped> shaped) {
        if (!request.isIn(this)) {
            return;
        }
        if (!request.holds(send.relies())) {
            request.fail(Refusal.RIGHTS_CHANGED);
            return;
        }
        switch (shaped.orElse(new Ruling.Shaped.Unfit())) {
            case Ruling.Shaped.Clean(byte[] json) -> {
                Map<String, String> fields = new LinkedHashMap<>();
                fields.put("content-type", ApiAnswer.JSON);
                fields.putAll(ApiAnswer.fields(request.ask(), head));
                request.answer(head.status(), fields, json);
            }
            case Ruling.Shaped.Foreign() -> request.notFound();
            case Ruling.Shaped.Unfit() -> request.fail(Refusal.UPSTREAM_MISBEHAVED);
            case Ruling.Shaped.Failed() ->
                    request.fail(request.failure(send.order().permit(), head));
        }
    }

    @Override
    public void leave() {
        if (call != null) {
            call.close();
        }
    }
}
