package dev.sallyport.gateway;

import dev.sallyport.approval.Asker;
import dev.sallyport.approval.Outcome;
import dev.sallyport.approval.Question;
import dev.sallyport.approval.Withdrawals;
import dev.sallyport.channel.Message;
import dev.sallyport.config.Limits;
import dev.sallyport.policy.SessionId;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// The questions that this gateway waits for an answer to. Each is answered once, by the warden,
/// for exactly the question that was asked; when nothing comes, the answer is no.
final class PendingQuestions implements Asker {
    private static final SecureRandom RANDOM = new SecureRandom();

    /// Nobody takes one of these for another.
    private static final String LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";

    private static final int ID_LETTERS = 10;

    /// The warden says itself that it is too late; this is for one that does not.
    private static final int GRACE_SECONDS = 15;

    private final ScheduledExecutorService clock;
    private final Consumer<Message> warden;
    private final Limits.Approvals limits;
    private final int perSessionMax;
    private final Map<String, Waiting> waiting = new HashMap<>();
    private final Withdrawals withdrawals =
            new Withdrawals(() -> Duration.ofNanos(System.nanoTime()));

    private record Waiting(SessionId session, String digest, CompletableFuture<Reply> reply) {}

    PendingQuestions(ScheduledExecutorService clock, Consumer<Message> warden, Limits limits) {
        this.clock = clock;
        this.warden = warden;
        this.limits = limits.approvals();
        // What waits holds a place of its sandbox: one is left for what does not.
        int places = limits.sharing().requestsInFlightPerSandboxMax() - 1;
        this.perSessionMax = Math.max(1, Math.min(this.limits.waitingPerSandboxMax(), places));
    }

    @Override
    public Asked ask(SessionId session, Question question) {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        String digest = question.digest(session.value());
        String id;
        synchronized (this) {
            long open = count(session);
            if (waiting.size() >= limits.waitingTotalMax()
                    || open >= perSessionMax
                    || !withdrawals.allow(session.value(), open, waiting.size())) {
                return Asked.not(Outcome.TOO_MANY);
            }
            do {
                id = randomId();
            } while (waiting.putIfAbsent(id, new Waiting(session, digest, reply)) != null);
        }
        begin(id, session, question, reply);
        return new Asked(id, reply);
    }

    private void begin(
            String id, SessionId session, Question question, CompletableFuture<Reply> reply) {
        warden.accept(new Message.Ask(session.value(), id, question));
        var late =
                clock.schedule(
                        () -> reply.complete(new Reply(Outcome.EXPIRED, "")),
                        (long) limits.waitSecondsMax() + GRACE_SECONDS,
                        TimeUnit.SECONDS);
        var _ =
                reply.whenComplete(
                        (_, _) -> {
                            late.cancel(false);
                            if (takeBack(id, session)) {
                                warden.accept(new Message.Withdraw(session.value(), id));
                            }
                        });
    }

    private long count(SessionId session) {
        return waiting.values().stream().filter(w -> w.session().equals(session)).count();
    }

    private synchronized boolean takeBack(String id, SessionId session) {
        if (waiting.remove(id) == null) {
            return false;
        }
        withdrawals.count(session.value());
        return true;
    }

    /// What the warden says. An answer to another question than ours is none.
    void answered(Message.Answered answer) {
        Waiting asked;
        synchronized (this) {
            asked = waiting.remove(answer.id());
        }
        if (asked != null) {
            boolean ours = asked.digest().equals(answer.digest());
            asked.reply()
                    .complete(
                            new Reply(ours ? answer.outcome() : Outcome.WITHDRAWN, answer.note()));
        }
    }

    private static String randomId() {
        StringBuilder id = new StringBuilder(ID_LETTERS);
        for (int i = 0; i < ID_LETTERS; i++) {
            id.append(LETTERS.charAt(RANDOM.nextInt(LETTERS.length())));
        }
        return id.toString();
    }
}
