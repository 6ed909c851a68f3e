package dev.sallyport.lfs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.audit.Recorder;
import dev.sallyport.credential.EchoGuard;
import dev.sallyport.http.RequestHandler;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.SessionAccount;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.WholeCall;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// One batch: read, judged, recorded, asked of the git host in our own words, and answered with
/// places at this door instead of those that the host named.
final class BatchExchange {
    private final Ask ask;
    private final GitPermit read;
    private final LfsShared shared;
    private final Map<Oid, Refusal> denied = new LinkedHashMap<>();
    private @Nullable WholeCall call;
    private boolean over;

    private BatchExchange(Ask ask, GitPermit read, LfsShared shared) {
        this.ask = ask;
        this.read = read;
        this.shared = shared;
    }

    /// @param read proof that the session may download; an upload is judged when it is known to be
    ///   one
    static RequestHandler open(Ask ask, GitPermit read, LfsShared shared) {
        BatchExchange exchange = new BatchExchange(ask, read, shared);
        return new WholeBody(
                BatchRequest.BYTES_MAX,
                shared.bodies(),
                ask.session().id(),
                exchange::judge,
                exchange::refuse,
                exchange::leave);
    }

    private void refuse(Refusal reason) {
        LfsAnswer.refuse(
                ask,
                read.repo(),
                reason,
                shared.audit().request(ask, read.repo(), "objects/batch", Optional.of(reason)));
    }

    private void judge(byte[] body) {
        BatchRequest batch;
        try {
            batch = BatchRequest.parse(body);
        } catch (RefusedException e) {
            refuse(e.refusal());
            return;
        }
        Policy policy = ask.session().policy();
        switch (policy.decideLfs(read.repo(), batch.operation())) {
            case Decision.Deny<GitPermit>(Refusal reason) -> deny(batch, reason);
            case Decision.Allow<GitPermit>(GitPermit permit) -> allow(batch, permit);
        }
    }

    private void deny(BatchRequest batch, Refusal reason) {
        boolean ofGit = reason == Refusal.REPO_UNAVAILABLE || reason == Refusal.REPO_READ_ONLY;
        Refusal told = ofGit ? Refusal.LFS_NOT_ALLOWED : reason;
        LfsAnswer.refuse(
                ask,
                read.repo(),
                told,
                shared.audit().batch(ask, read.repo(), batch, 0, Optional.of(told)));
    }

    private void allow(BatchRequest batch, GitPermit permit) {
        List<LfsObject> asked = new ArrayList<>();
        for (LfsObject object : batch.objects()) {
            objection(permit, object)
                    .ifPresentOrElse(
                            reason -> denied.put(object.oid(), reason), () -> asked.add(object));
        }
        LfsCase matter = new LfsCase(ask, permit, shared);
        Recorder.then(
                shared.audit().batch(ask, permit.repo(), batch, denied.size(), Optional.empty()),
                matter.loop(),
                unrecorded -> {
                    if (unrecorded.isPresent()) {
                        LfsAnswer.refuse(ask, permit.repo(), Failure.of(unrecorded.get()));
                    } else if (asked.isEmpty()) {
                        answer(matter, batch, new BatchAnswer(Map.of()));
                    } else if (!over) {
                        send(matter, batch, batch.with(asked));
                    }
                });
    }

    private Optional<Refusal> objection(GitPermit permit, LfsObject object) {
        if (object.size() > permit.lfs().objectBytesMax()) {
            return Optional.of(Refusal.LFS_OBJECT_TOO_LARGE);
        }
        long left = permit.lfs().uploadBytesMax() - shared.budget().spent(ask.session());
        return permit.service() == GitService.RECEIVE_PACK && object.size() > left
                ? Optional.of(Refusal.LFS_UPLOADS_SPENT)
                : Optional.empty();
    }

    private void send(LfsCase matter, BatchRequest batch, BatchRequest asked) {
        byte[] question = asked.json();
        call =
                matter.whole(
                        matter.api("POST", "objects/batch", question.length, true),
                        question,
                        outcome -> told(matter, batch, asked, outcome));
    }

    private void told(
            LfsCase matter, BatchRequest batch, BatchRequest asked, WholeCall.Outcome outcome) {
        switch (outcome) {
            case WholeCall.Outcome.Failed(Failure failure, var _, var why) ->
                    matter.fail(failure, why);
            case WholeCall.Outcome.Answered(AnswerHead head, byte[] body) ->
                    answered(matter, batch, asked, head, body);
        }
        leave();
    }

    private void answered(
            LfsCase matter, BatchRequest batch, BatchRequest asked, AnswerHead head, byte[] body) {
        SessionAccount account = new SessionAccount(shared.usage(), ask.session().id());
        account.down(body.length);
        account.over(true);
        if (!matter.holds()) {
            matter.fail(Refusal.RIGHTS_CHANGED);
            return;
        }
        if (head.status() != 200) {
            matter.fail(matter.failure(head), "");
            return;
        }
        try {
            answer(matter, batch, BatchAnswer.parse(body, asked, reader(matter)));
        } catch (RefusedException e) {
            matter.fail(Failure.of(e.refusal()), String.valueOf(e.getMessage()));
        } catch (IllegalStateException _) {
            // The secret is gone, so nobody could tell an echo of it.
            matter.fail(Refusal.SESSION_ENDED);
        }
    }

    private static ActionReader reader(LfsCase matter) {
        Optional<EchoGuard> guard =
                matter.ask().responder().session().credentials().guard(matter.permit());
        Predicate<String> secret = text -> guard.isPresent() && guard.get().isIn(text);
        Policy policy = matter.ask().responder().session().policy();
        return new ActionReader(
                matter.permit().host(),
                host ->
                        policy.decideStorage(matter.permit(), host)
                                instanceof Decision.Allow<EgressPermit>,
                secret,
                Instant.now());
    }

    private void answer(LfsCase matter, BatchRequest batch, BatchAnswer upstream) {
        ObjectNode root = LfsJson.JSON.object();
        root.put("transfer", "basic");
        ArrayNode list = root.putArray("objects");
        for (LfsObject object : batch.objects()) {
            ObjectNode node = object.write(list.addObject());
            Refusal reason = denied.get(object.oid());
            if (reason != null) {
                error(matter, node, reason, limit(matter, reason));
            } else {
                describe(matter, node, upstream.of(object.oid()));
            }
        }
        root.put("hash_algo", "sha256");
        LfsAnswer.write(ask, 200, root);
    }

    private static String limit(LfsCase matter, Refusal reason) {
        return reason == Refusal.LFS_OBJECT_TOO_LARGE
                ? "at most " + matter.permit().lfs().objectBytesMax() + " bytes"
                : "at most " + matter.permit().lfs().uploadBytesMax() + " bytes in all";
    }

    private void describe(LfsCase matter, ObjectNode node, BatchAnswer.Result result) {
        switch (result) {
            case BatchAnswer.Result.Failed(int code) ->
                    node.putObject("error")
                            .put("code", code == 404 || code == 410 ? code : 422)
                            .put("message", "The git host answered " + code + " for this object");
            case BatchAnswer.Result.Denied(Refusal reason, String host) -> {
                shared.audit().failed(ask, Failure.of(reason), host);
                error(matter, node, reason, host);
            }
            case BatchAnswer.Result.Actions(Map<Action.Verb, Action> byVerb) -> {
                node.put("authenticated", true);
                if (!byVerb.isEmpty()) {
                    offer(matter, node, byVerb);
                }
            }
        }
    }

    private void offer(LfsCase matter, ObjectNode node, Map<Action.Verb, Action> byVerb) {
        ObjectNode actions = LfsJson.JSON.object();
        for (Map.Entry<Action.Verb, Action> entry : byVerb.entrySet()) {
            Action action = entry.getValue();
            shared.actions().put(matter.permit(), entry.getKey(), action);
            actions.putObject(entry.getKey().word())
                    .put("href", href(matter.permit(), entry.getKey(), action.object().oid()))
                    .put("expires_in", action.seconds());
        }
        node.set("actions", actions);
    }

    /// At the git host's own name, where git in the sandbox finds this door.
    private static String href(GitPermit permit, Action.Verb verb, Oid oid) {
        return "http://"
                + permit.host()
                + "/"
                + permit.repo().owner()
                + "/"
                + permit.repo().name()
                + ".git/info/lfs/objects/"
                + oid
                + (verb == Action.Verb.VERIFY ? "/verify" : "");
    }

    private static void error(LfsCase matter, ObjectNode node, Refusal reason, String detail) {
        String text =
                LfsAnswer.text(matter.ask(), Optional.of(matter.permit().repo()), reason, detail);
        node.putObject("error").put("code", 422).put("message", text);
    }

    private void leave() {
        over = true;
        if (call != null) {
            call.close();
        }
    }
}
