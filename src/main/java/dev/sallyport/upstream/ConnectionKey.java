package dev.sallyport.upstream;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.policy.SessionId;
import io.netty.channel.EventLoop;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Whose a connection is. It serves only requests with an equal key, and a TLS session is resumed
/// only by one: nothing passes between sessions, hosts, secrets or versions of them (E12).
///
/// @param http2 whether HTTP/2 may be spoken on it, which TLS has to know
/// @param lane the sandbox's connection that it belongs to, if it serves no other
/// @param book the session's rights; other rights come with another book
/// @param credential the very secret that was written on it, or null when none was
record ConnectionKey(
        EventLoop loop,
        SessionId session,
        Place place,
        boolean http2,
        Optional<Lane> lane,
        CredentialBook book,
        @Nullable Object credential) {
    static ConnectionKey of(Asked asked, Optional<Lane> lane, CredentialBook book, EventLoop loop) {
        return new ConnectionKey(
                loop,
                asked.permit().session(),
                asked.place(),
                asked.protocol() == Protocol.HTTP_2,
                lane,
                book,
                book.identity(asked.permit()));
    }

    boolean isFor(ConnectionKey other) {
        return loop.equals(other.loop) && lane.equals(other.lane) && sharesTls(other);
    }

    /// Secrets are the same when they are one object: two of equal value may be two versions.
    @SuppressWarnings("ReferenceEquality")
    boolean sharesTls(ConnectionKey other) {
        return book == other.book
                && credential == other.credential
                && session.equals(other.session)
                && http2 == other.http2
                && place.equals(other.place);
    }

    /// Whether anything may still be kept under it.
    boolean holds() {
        return !book.isRetired() && lane.filter(Lane::isClosed).isEmpty();
    }
}
