package dev.sallyport.upstream;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;

/// Lookups block, so they have threads of their own, and every session has a line of its own in
/// front of them: a sandbox that asks for many slow names keeps nobody waiting but itself.
///
/// A free thread serves the session that was served longest ago. Two who want the same name in the
/// same session wait for one lookup; a lookup that nobody waits for any more leaves the line. One
/// that runs cannot be stopped, and counts until it ends.
final class LookupLines {
    private static final int THREADS_MAX = 32;
    private static final int RUNNING_PER_SESSION_MAX = 2;

    /// Names of one session that are looked up or in line.
    static final int NAMES_PER_SESSION_MAX = 64;

    private static final int WAITERS_PER_NAME_MAX = 1_024;

    private static final ThreadFactory FACTORY =
            Thread.ofPlatform().daemon().name("resolver-", 0).factory();

    private final Resolver.Lookup lookup;
    private final SequencedMap<SessionId, Line> lines = new LinkedHashMap<>();
    private int threads;

    LookupLines(Resolver.Lookup lookup) {
        this.lookup = lookup;
    }

    /// What one session wants to know, by name and in the order of asking.
    private static final class Line {
        private final SequencedMap<HostName, Question> questions = new LinkedHashMap<>();
        private int running;

        Optional<Question> next() {
            return running >= RUNNING_PER_SESSION_MAX
                    ? Optional.empty()
                    : questions.values().stream().filter(one -> !one.running).findFirst();
        }
    }

    /// One name, and who wants its addresses.
    private static final class Question {
        private final SessionId session;
        private final HostName name;
        private final List<CompletableFuture<List<InetAddress>>> waiters = new ArrayList<>();
        private boolean running;

        Question(SessionId session, HostName name) {
            this.session = session;
            this.name = name;
        }
    }

    /// All addresses of a name. Whoever cancels the future gives its place up; it fails with an
    /// [UpstreamException].
    CompletableFuture<List<InetAddress>> ask(SessionId session, HostName name) {
        CompletableFuture<List<InetAddress>> waiter = new CompletableFuture<>();
        Optional<Question> joined = join(session, name, waiter);
        if (joined.isEmpty()) {
            return CompletableFuture.failedFuture(new UpstreamException(Refusal.GATEWAY_BUSY));
        }
        var _ = waiter.whenComplete((_, _) -> leave(joined.get(), waiter));
        return waiter;
    }

    private synchronized Optional<Question> join(
            SessionId session, HostName name, CompletableFuture<List<InetAddress>> waiter) {
        Line line = lines.computeIfAbsent(session, _ -> new Line());
        Question question = line.questions.get(name);
        if (question == null) {
            if (line.questions.size() >= NAMES_PER_SESSION_MAX) {
                return Optional.empty();
            }
            question = new Question(session, name);
            line.questions.put(name, question);
        }
        if (question.waiters.size() >= WAITERS_PER_NAME_MAX) {
            return Optional.empty();
        }
        question.waiters.add(waiter);
        if (threads < THREADS_MAX && line.next().isPresent()) {
            FACTORY.newThread(this::work).start();
            threads++;
        }
        return Optional.of(question);
    }

    @SuppressWarnings("ReferenceEquality") // A future is equal to itself alone.
    private synchronized void leave(
            Question question, CompletableFuture<List<InetAddress>> waiter) {
        question.waiters.removeIf(one -> one == waiter);
        if (question.waiters.isEmpty() && !question.running) {
            remove(question);
        }
    }

    private void remove(Question question) {
        lines.computeIfPresent(
                question.session,
                (_, line) -> {
                    line.running -= question.running ? 1 : 0;
                    line.questions.remove(question.name, question);
                    return line.questions.isEmpty() ? null : line;
                });
    }

    private void work() {
        for (Optional<Question> next = next(); next.isPresent(); next = next()) {
            Question question = next.get();
            CompletableFuture<List<InetAddress>> answer =
                    CompletableFuture.supplyAsync(() -> addresses(question.name), Runnable::run);
            finished(question).forEach(waiter -> tell(waiter, answer));
        }
    }

    private List<InetAddress> addresses(HostName name) {
        try {
            return List.of(lookup.all(name.value()));
        } catch (UnknownHostException e) {
            throw new CompletionException(new UpstreamException(Refusal.UPSTREAM_UNREACHABLE, e));
        }
    }

    private static void tell(
            CompletableFuture<List<InetAddress>> waiter,
            CompletableFuture<List<InetAddress>> answer) {
        var _ =
                answer.whenComplete(
                        (found, problem) -> {
                            if (problem == null) {
                                waiter.complete(found);
                            } else {
                                waiter.completeExceptionally(problem);
                            }
                        });
    }

    /// Empty when there is nothing to do for the thread that asks; it ends then.
    private synchronized Optional<Question> next() {
        for (Map.Entry<SessionId, Line> entry : lines.entrySet()) {
            Line line = entry.getValue();
            Optional<Question> next = line.next();
            if (next.isPresent()) {
                next.get().running = true;
                line.running++;
                lines.putLast(entry.getKey(), line);
                return next;
            }
        }
        threads--;
        return Optional.empty();
    }

    private synchronized List<CompletableFuture<List<InetAddress>>> finished(Question question) {
        remove(question);
        return List.copyOf(question.waiters);
    }
}
