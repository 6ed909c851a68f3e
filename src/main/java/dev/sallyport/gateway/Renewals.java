package dev.sallyport.gateway;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.audit.Recorder;
import dev.sallyport.channel.Message;
import dev.sallyport.credential.InjectedCredential;
import dev.sallyport.credential.Login;
import dev.sallyport.credential.Renewer.NotRenewedException;
import dev.sallyport.credential.TokenAnswer;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Refusal;
import dev.sallyport.upstream.Client;
import io.netty.channel.EventLoopGroup;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Renews logins: one renewal for each version of a login, whichever sessions wait for it, because
/// providers take a refresh token once and may revoke the login when it comes again. It does not
/// end with the session that began it: what the provider has given out would be lost.
///
/// ```
/// recorded --> asked --> given --> stored by the warden, sessions told --> done
///                \         \--> not stored --after a pause--> given
///                 \--> refused: for good
///                  \--> unavailable --after a pause--> recorded
/// ```
final class Renewals {
    private static final int KNOWN_MAX = 1_024;
    private static final long PAUSE_SECONDS_MAX = 60;
    private static final int DOUBLINGS_MAX = 6;

    private final EventLoopGroup loops;
    private final Client client;
    private final Recorder recorder;
    private final Consumer<Message> warden;
    private final LongSupplier nanos;

    /// By version. Those that are done stay for a while, for whoever still has the version before.
    private final Map<String, Renewal> known = new LinkedHashMap<>();

    /// @param nanos a clock that is never set
    Renewals(
            EventLoopGroup loops,
            Client client,
            Recorder recorder,
            Consumer<Message> warden,
            LongSupplier nanos) {
        this.loops = loops;
        this.client = client;
        this.recorder = recorder;
        this.warden = warden;
        this.nanos = nanos;
    }

    /// As [dev.sallyport.credential.Renewer#renew] for a session with these rights.
    CompletableFuture<Void> renew(Policy policy, InjectedCredential due) {
        String version = due.login().orElseThrow().version();
        Renewal renewal;
        CompletableFuture<Void> done;
        boolean begins;
        synchronized (this) {
            renewal = known.computeIfAbsent(version, _ -> new Renewal(version, due.name()));
            begins = renewal.begins();
            done = renewal.done;
            forgetOldest();
        }
        if (begins) {
            begin(renewal, policy, due.login().orElseThrow());
        }
        return done.copy();
    }

    /// Never one that is under way, or whose tokens are nowhere else.
    private void forgetOldest() {
        if (known.size() > KNOWN_MAX) {
            known.values().stream()
                    .filter(Renewal::isOver)
                    .findFirst()
                    .ifPresent(oldest -> known.remove(oldest.version));
        }
    }

    private void begin(Renewal renewal, Policy policy, Login login) {
        Message.@Nullable LoginRenewed given = renewal.given();
        if (given != null) {
            warden.accept(given);
            return;
        }
        switch (policy.decide(login.endpoint())) {
            case Decision.Deny(Refusal reason) -> renewal.fail(reason, true);
            case Decision.Allow(EgressPermit permit) -> ask(renewal, permit, login);
        }
    }

    private void ask(Renewal renewal, EgressPermit permit, Login login) {
        byte[] question;
        try {
            question = login.request(permit);
        } catch (IllegalStateException _) {
            renewal.fail(Refusal.SESSION_ENDED, true);
            return;
        }
        Map<String, String> detail = renewal.detail(permit);
        var _ =
                recorder.record(
                                new AuditEvent(
                                        "egress.renew", permit.session().value(), "allow", detail))
                        .thenCompose(
                                _ ->
                                        TokenCall.post(
                                                client,
                                                loops.next(),
                                                permit,
                                                login.endpoint().path(),
                                                login.client().form().mediaType(),
                                                question))
                        .whenComplete(
                                (outcome, problem) -> {
                                    if (problem == null) {
                                        asked(renewal, permit, outcome);
                                    } else {
                                        Arrays.fill(question, (byte) 0);
                                        renewal.fail(Recorder.refusal(problem), true);
                                    }
                                });
    }

    private void asked(Renewal renewal, EgressPermit permit, TokenCall.Outcome outcome) {
        Map<String, String> detail = renewal.detail(permit);
        switch (outcome) {
            case TokenCall.Outcome.Granted(TokenAnswer tokens) ->
                    warden.accept(renewal.given(permit, tokens));
            case TokenCall.Outcome.Refused(int status, String error) -> {
                detail.put("error", error);
                detail.put("upstream-status", Integer.toString(status));
                failed(renewal, permit, Refusal.LOGIN_EXPIRED, detail);
            }
            case TokenCall.Outcome.Unavailable(String why) -> {
                detail.put("error", why);
                failed(renewal, permit, Refusal.LOGIN_NOT_RENEWED, detail);
            }
        }
    }

    private void failed(
            Renewal renewal, EgressPermit permit, Refusal reason, Map<String, String> detail) {
        detail.put("reason", reason.code());
        var _ =
                recorder.record(
                        new AuditEvent(
                                "egress.renew-failed", permit.session().value(), "", detail));
        renewal.fail(reason, reason != Refusal.LOGIN_EXPIRED);
    }

    /// The warden says what became of new tokens. Sessions that hold the login have been told.
    void stored(Message.LoginStored answer) {
        Renewal renewal;
        synchronized (this) {
            renewal = known.get(answer.version());
        }
        if (renewal == null) {
            return;
        }
        if (answer.settled()) {
            renewal.settle();
        } else {
            renewal.fail(Refusal.LOGIN_NOT_RENEWED, true);
        }
    }

    /// The renewal of one version.
    private final class Renewal {
        private final String version;
        private final String name;
        private CompletableFuture<Void> done = new CompletableFuture<>();
        private boolean begun;
        private boolean again;
        private int failures;
        private long againNanos;
        private Message.@Nullable LoginRenewed message;

        Renewal(String version, String name) {
            this.version = version;
            this.name = name;
        }

        /// Whether whoever asks has to begin it, or to begin it again.
        boolean begins() {
            if (!begun) {
                begun = true;
                return true;
            }
            if (!again || nanos.getAsLong() - againNanos < 0) {
                return false;
            }
            again = false;
            done = new CompletableFuture<>();
            return true;
        }

        boolean isOver() {
            return done.isDone() && message == null;
        }

        Message.@Nullable LoginRenewed given() {
            synchronized (Renewals.this) {
                return message;
            }
        }

        Message.LoginRenewed given(EgressPermit permit, TokenAnswer answer) {
            synchronized (Renewals.this) {
                message =
                        new Message.LoginRenewed(
                                permit.session().value(),
                                name,
                                version,
                                answer.access(),
                                answer.refresh(),
                                answer.expires().map(Instant::toString));
                return message;
            }
        }

        Map<String, String> detail(EgressPermit permit) {
            Map<String, String> detail = new TreeMap<>();
            detail.put("secret", name);
            detail.put("host", permit.host().value());
            detail.put("port", Integer.toString(permit.port()));
            return detail;
        }

        void settle() {
            CompletableFuture<Void> settled;
            synchronized (Renewals.this) {
                if (message != null) {
                    message.wipe();
                }
                message = null;
                settled = done;
            }
            settled.complete(null);
        }

        void fail(Refusal reason, boolean mayChange) {
            CompletableFuture<Void> failed;
            synchronized (Renewals.this) {
                long pause = Math.min(PAUSE_SECONDS_MAX, 1L << Math.min(failures++, DOUBLINGS_MAX));
                again = mayChange;
                againNanos = nanos.getAsLong() + TimeUnit.SECONDS.toNanos(pause);
                failed = done;
            }
            failed.completeExceptionally(new NotRenewedException(reason));
        }
    }
}
