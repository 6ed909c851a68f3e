package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.util.Map;

/// What carries an [Exchange]: a connection of HTTP/1.1 while it has a request, or a stream of
/// HTTP/2. It translates, and decides nothing: what is written through it has been checked. It
/// tells the exchange what arrives, as far as the exchange wants it, and when a second has passed.
sealed interface HttpWire permits RequestConnection, Http2Request {
    /// Says how much the client has not taken yet, and has the event loop of all calls.
    Channel channel();

    /// What the exchange wants may have changed.
    void updateDemand();

    /// Writes `100 Continue`, and flushes.
    void writeContinue();

    /// Writes the head of the answer, which is flushed later.
    ///
    /// @param framing how the body is announced
    /// @param bodyFollows false when the head alone is the answer, whatever it announces
    /// @param last whether this wire carries nothing after the answer
    void writeHead(
            int status,
            Map<String, String> fields,
            BodyFraming framing,
            boolean bodyFollows,
            boolean last);

    /// Takes ownership of the piece, which is not empty.
    void writeBody(ByteBuf piece);

    /// Writes the end of the answer, and flushes. The future completes when everything has left.
    ///
    /// @param trailers fields after the body, as far as this wire and its client take them
    ChannelFuture writeEnd(Map<String, String> trailers);

    /// Sends what was written.
    void flush();

    boolean isHttp2();

    /// The request is read and its answer has left: the next one may come.
    void done();

    /// The answer has left; what still comes of the request is not waited for.
    void stop();

    /// Ends in the middle, so that the client cannot take a part for the whole.
    void cut(Refusal reason);

    /// A sandbox that asks too much is not read from for a moment.
    void rest();

    /// Writes the head of an answer after which there is no HTTP any more, and flushes.
    ///
    /// @throws UnsupportedOperationException where that cannot be
    void writeLeave(int status, Map<String, String> fields);

    void handOver(Successor successor);
}
