package dev.sallyport.warden;

import dev.sallyport.policy.SessionId;
import dev.sallyport.session.PortTraffic;
import dev.sallyport.session.Session;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The sessions that lost their doors or rights a moment ago. Its owner lets one thread in at a
/// time.
final class Departed {
    private static final int LEAVING_MAX = 2_048;
    private static final int LEFT_MAX = 256;

    /// Longer than a renewal may take.
    private static final Duration LEFT_FOR = Duration.ofMinutes(2);

    /// Of the sessions that were detached last: the gateway may still say what it denied them, what
    /// they read, and what passed through each socket of their published ports.
    private final Set<LastWord> leaving = new LinkedHashSet<>();

    /// Those that were detached or lost rights last: a login that was being renewed for one of them
    /// is not lost with that.
    private final Deque<Left> left = new ArrayDeque<>();

    private record Left(Session session, long nanos) {}

    private record LastWord(SessionId session, String about, int number) {}

    void leave(Session session) {
        if (left.size() >= LEFT_MAX) {
            left.removeFirst();
        }
        left.addLast(new Left(session, System.nanoTime()));
    }

    void awaitLastWord(Session session) {
        while (leaving.size() >= LEAVING_MAX) {
            leaving.remove(leaving.iterator().next());
        }
        leaving.add(new LastWord(session.id(), "deny", 0));
        leaving.add(new LastWord(session.id(), "allow", 0));
        int sockets = session.published().stream().mapToInt(port -> port.addresses().size()).sum();
        for (int i = 0; i < sockets; i++) {
            leaving.add(new LastWord(session.id(), PortTraffic.KIND, i));
        }
    }

    /// Whether a session has just lost its doors; true once for each decision and socket.
    boolean takeLastWord(String session, String about) {
        Optional<LastWord> word =
                leaving.stream()
                        .filter(one -> one.session().value().equals(session))
                        .filter(one -> one.about().equals(about))
                        .findFirst();
        word.ifPresent(leaving::remove);
        return word.isPresent();
    }

    /// The session as it was until a moment ago.
    Stream<Session> before(String session) {
        return left.stream()
                .filter(gone -> gone.session().id().value().equals(session))
                .filter(gone -> System.nanoTime() - gone.nanos() < LEFT_FOR.toNanos())
                .map(Left::session);
    }
}
