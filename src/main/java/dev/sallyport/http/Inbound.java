package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import java.util.Map;

/// What the decoder tells the connection, in the order of the wire.
sealed interface Inbound {
    /// The first byte of a head arrived; the clock for the head runs from here.
    record Begun() implements Inbound {}

    record Head(RequestHead head) implements Inbound {}

    /// A piece of a body, without its framing. The receiver releases it.
    record Piece(ByteBuf bytes) implements Inbound {}

    /// What came after the last chunk. The end follows.
    record Trailers(Map<String, String> fields) implements Inbound {}

    /// The body, possibly empty, is complete.
    record End() implements Inbound {}

    /// A request that can mean only one thing, and not one that we serve. Nothing follows.
    ///
    /// @param headRequest whether its answer has no body
    record Refused(Refusal refusal, boolean headRequest) implements Inbound {}

    /// Two readers could disagree about where this request ends or what it says. Nothing follows,
    /// and nothing is answered: an answer could land on a request that the client did not send.
    record Ambiguous() implements Inbound {}
}
