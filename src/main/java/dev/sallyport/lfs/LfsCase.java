package dev.sallyport.lfs;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.Ask;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.StorePlace;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.LfsOrder;
import dev.sallyport.upstream.UpstreamCall;
import dev.sallyport.upstream.UpstreamEvents;
import dev.sallyport.upstream.WholeCall;
import io.netty.channel.EventLoop;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// One permitted request about large files, with what it needs to go upstream.
record LfsCase(Ask ask, GitPermit permit, LfsShared shared) {
    private static final int SECONDS_MAX = 60;

    EventLoop loop() {
        return ask.responder().loop();
    }

    /// Whether the session may still do this, and in the same way.
    boolean holds() {
        Policy now = ask.responder().session().policy();
        return now.equals(ask.session().policy())
                || (now.decideLfs(permit.repo(), permit.service())
                                instanceof Decision.Allow<GitPermit>(GitPermit present)
                        && present.isLike(permit));
    }

    /// A request to the LFS API of the repository.
    ///
    /// @param endpoint what follows `info/lfs/`
    /// @param kept whether the gateway keeps the answer to itself
    LfsOrder api(String method, String endpoint, int bytes, boolean kept) {
        return api(permit, method, endpoint, bytes, kept);
    }

    static LfsOrder api(GitPermit permit, String method, String endpoint, int bytes, boolean kept) {
        Map<String, String> fields = new HashMap<>();
        fields.put("accept", LfsJson.TYPE);
        if (bytes > 0) {
            fields.put("content-type", LfsJson.TYPE);
        }
        String repo = "/" + permit.repo().owner() + "/" + permit.repo().name() + ".git";
        return new LfsOrder(
                permit,
                Optional.empty(),
                method,
                repo + "/info/lfs/" + endpoint,
                fields,
                BodyFraming.of(bytes),
                kept);
    }

    /// A request to where an object is transferred.
    ///
    /// @param more fields besides those that the git host said to send
    LfsOrder order(String method, Action action, Map<String, String> more, long bytes)
            throws RefusedException {
        Map<String, String> fields = new HashMap<>(more);
        fields.putAll(action.fields());
        return new LfsOrder(
                permit,
                action.own() ? Optional.empty() : Optional.of(store(action.place())),
                method,
                action.place().target(),
                fields,
                BodyFraming.of(bytes),
                false);
    }

    /// Asked again each time, because what was listed may be listed no longer.
    EgressPermit store(StorePlace place) throws RefusedException {
        Policy now = ask.responder().session().policy();
        return switch (now.decideStorage(permit, place.host())) {
            case Decision.Allow(EgressPermit store) -> store;
            case Decision.Deny<EgressPermit> _ ->
                    throw new RefusedException(Refusal.LFS_STORAGE_NOT_ALLOWED, "another store");
        };
    }

    Optional<UpstreamCall> call(LfsOrder order, UpstreamEvents events) {
        CredentialBook now = ask.responder().session().credentials();
        return shared.upstream().call(order, now, loop(), events);
    }

    /// Asks for an answer as a whole.
    WholeCall whole(LfsOrder order, byte[] question, Consumer<WholeCall.Outcome> told) {
        WholeCall.Terms terms =
                new WholeCall.Terms(BatchAnswer.BYTES_MAX, SECONDS_MAX, shared.answers());
        return WholeCall.begin(
                loop(), events -> call(order, events), question, terms, this::holds, told);
    }

    /// What the status of an answer means that is not passed on.
    Failure failure(AnswerHead head) {
        boolean authorized = ask.responder().session().credentials().identity(permit) != null;
        return Failure.of(head, authorized);
    }

    /// What the status of a store means. One that does not take an address any more is asked for
    /// another, by a new batch.
    static Failure storeFailure(AnswerHead head) {
        return switch (head.status()) {
            case 401, 403, 404, 410 ->
                    new Failure(Refusal.LFS_ACTION_GONE, head.status(), OptionalLong.empty());
            default -> Failure.of(head, false);
        };
    }

    /// In the record before a byte of the object goes anywhere.
    CompletableFuture<Void> record(Action.Verb verb, Action action, Optional<Refusal> reason) {
        return shared.audit().transfer(ask, permit.repo(), verb, action, reason);
    }

    void refuse(Failure failure) {
        LfsAnswer.refuse(ask, permit.repo(), failure);
    }

    /// It came to nothing after it was allowed.
    void fail(Failure failure, String why) {
        shared.audit().failed(ask, failure, why);
        refuse(failure);
    }

    void fail(Refusal reason) {
        fail(Failure.of(reason), "");
    }
}
