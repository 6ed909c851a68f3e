package dev.sallyport.fleet;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What several gateways know of other machines together, in a database (ADR 39). Each change has a
/// number, so that a gateway sees what others have changed since it looked last.
public interface SharedRecords extends AutoCloseable {
    /// For a gateway that has seen nothing yet.
    long NOTHING = -1;

    /// One record.
    ///
    /// @param value empty when it was removed
    record Row(String kind, String name, Optional<byte[]> value) {}

    /// What has changed.
    ///
    /// @param version the newest
    /// @param whole whether this is all that there is, and not only what is new
    record Changes(long version, boolean whole, List<Row> rows) {}

    /// What became of a request.
    enum Remembered {
        NEW,
        BEFORE,
        TOO_MANY
    }

    /// What is done while no other gateway changes anything; all of it or nothing.
    interface Work<T> {
        T with(Turn turn) throws IOException;
    }

    /// The time in which this gateway alone changes something.
    interface Turn {
        Changes since(long version) throws IOException;

        void write(String kind, String name, byte[] value) throws IOException;

        void remove(String kind, String name) throws IOException;

        /// The newest, with what was done in this turn.
        long version();

        /// Remembers a request for ten minutes, and then that nothing is accepted which was signed
        /// before it.
        ///
        /// @param max of one host
        Remembered remember(String host, String nonce, Instant signed, int max) throws IOException;

        /// Nothing of this host is remembered any more.
        void forget(String host) throws IOException;
    }

    <T> T alone(Work<T> work) throws IOException;

    /// What has changed since a gateway looked last.
    Changes since(long version) throws IOException;

    /// Something that one gateway at a time has a use for, and that is no part of [#since].
    Optional<byte[]> kept(String kind, String name) throws IOException;

    /// Keeps it.
    void keep(String kind, String name, byte[] value) throws IOException;

    /// Forgets it, if it was there.
    void discard(String kind, String name) throws IOException;

    /// Removes what nobody asks for any more, up to [#SWEPT_MAX] rows of each: gateways that were
    /// not heard of for a day, and what is kept of this kind under the id of a session that is not
    /// in the store. What was kept within the last hour stays.
    ///
    /// @return how many
    int sweep(String kind) throws IOException;

    /// The most that is removed at once.
    int SWEPT_MAX = 1_000;

    /// Says that this gateway can be reached, for the next [#ALIVE_SECONDS].
    ///
    /// @param address `HOST:PORT`
    void announce(String address) throws IOException;

    /// Says that it cannot be reached any more.
    void withdraw() throws IOException;

    /// How long others believe that a gateway can be reached.
    int ALIVE_SECONDS = 20;

    /// A gateway that can be reached.
    ///
    /// @param id as in leases of sessions
    record Gateway(String id, String address) {}

    /// Those that said so lately, and this one first.
    List<Gateway> gateways() throws IOException;

    @Override
    void close() throws IOException;
}
