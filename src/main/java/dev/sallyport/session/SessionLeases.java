package dev.sallyport.session;

import dev.sallyport.policy.SessionId;
import java.util.Optional;
import java.util.function.Consumer;

/// Which sessions this gateway may serve. Where several gateways share a store, each session is
/// attached to one of them at a time.
public interface SessionLeases extends AutoCloseable {
    /// Of a store that one gateway has for itself: it may serve whatever is there.
    SessionLeases ALL =
            new SessionLeases() {
                @Override
                public boolean holds(SessionId id) {
                    return true;
                }

                @Override
                public boolean take(SessionId id) {
                    return true;
                }

                @Override
                public Optional<Holder> holder(SessionId id) {
                    return Optional.empty();
                }

                @Override
                public void release(SessionId id) {}

                @Override
                public void onLost(Consumer<SessionId> listener) {}

                @Override
                public void close() {}
            };

    /// Whether it may serve this session at this moment. Asks nobody: the answer is as good as the
    /// clock since the last renewal.
    boolean holds(SessionId id);

    /// Attaches a session to this gateway, if it is there and no other gateway has it. Whoever had
    /// it before can change nothing from then on.
    boolean take(SessionId id) throws StoreException;

    /// The gateway that has a session, or had it last.
    ///
    /// @param gateway its id
    /// @param good whether its lease has not run out
    record Holder(String gateway, boolean good) {}

    /// Asks the store who has a session; empty when there is no such session, and of a store that
    /// one gateway has for itself.
    Optional<Holder> holder(SessionId id) throws StoreException;

    /// Lets others take the session at once. It is not served here from before this returns.
    void release(SessionId id) throws StoreException;

    /// Who is told when a session must not be served any more. One whose lease could only not be
    /// renewed in time may be held again later.
    void onLost(Consumer<SessionId> listener);

    @Override
    void close() throws StoreException;
}
