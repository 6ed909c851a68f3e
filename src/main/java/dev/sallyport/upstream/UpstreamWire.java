package dev.sallyport.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpRequest;
import java.util.Map;

/// How the requests of a [Connection] and their answers look on it: HTTP/1.1 or HTTP/2. It
/// translates what it is given, which has been checked, and reads answers strictly. It tells the
/// connection what arrives, and decides nothing about it.
sealed interface UpstreamWire permits Http1Wire, Http2Wire {
    /// Writes the head of a request, whose answer is owed from now on.
    ///
    /// @param bodyFollows whether more than the end follows; the head then waits for a piece of it
    ///   or for [#flush]
    void begin(HttpRequest head, boolean bodyFollows);

    /// Sends what waits.
    void flush();

    /// Takes ownership.
    void write(ByteBuf piece);

    /// Writes the end of a request, and flushes.
    ///
    /// @param trailers fields after the body; where they cannot be written they are lost
    void end(Map<String, String> trailers);

    /// Whether the host takes more of a body now.
    boolean isWritable();

    /// Lets the answer come, or holds it back.
    void reading(boolean wanted);

    /// Whether the piece of the answer that was given out last completes it.
    boolean isAnswerComplete();

    /// The answer is complete.
    ///
    /// @return whether another request can follow on this connection
    boolean rest();

    /// The host has closed.
    ///
    /// @param clean whether it meant to
    /// @return whether the answer is complete with that
    boolean isWholeAtClose(boolean clean);

    /// Gives the channel away, to what is not HTTP.
    ///
    /// @return what arrived and was not read; ownership passes
    /// @throws IllegalStateException where that cannot be
    ByteBuf leave();

    /// The connection is over.
    ///
    /// @return whether its channel is, too: nobody else is served on it
    boolean release();
}
