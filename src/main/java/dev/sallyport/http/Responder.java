package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.Remedy;
import dev.sallyport.session.LiveSession;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// The one answer that a request gets. Calls come on [#loop]; after [#end], [#refuse] or [#cut] all
/// further calls do nothing (buffers are still released).
public interface Responder {
    EventLoop loop();

    /// The session with the rights that it has now; those of the request are what it had when the
    /// request came.
    LiveSession session();

    /// Whether the client speaks HTTP/2.
    boolean isHttp2();

    /// Sends `100 Continue` if the client waits for it; otherwise does nothing.
    void proceed();

    void pauseBody();

    void resumeBody();

    boolean isWritable();

    /// Begins the answer. Without a length it is chunked.
    ///
    /// @param fields names from a fixed set of the caller's, values checked by the caller's parser;
    ///   the encoder refuses control bytes
    void start(int status, Map<String, String> fields, OptionalLong length);

    /// Takes ownership of the buffer.
    void write(ByteBuf piece);

    /// The answer is complete.
    ///
    /// @param trailers fields after the body, as those of [#start]; a client that did not ask for
    ///   them, or an answer that has no place for them, goes without
    void end(Map<String, String> trailers);

    default void end() {
        end(Map.of());
    }

    /// The whole answer. Takes ownership of the body.
    default void answer(int status, Map<String, String> fields, ByteBuf body) {
        start(status, fields, OptionalLong.of(body.readableBytes()));
        write(body);
        end();
    }

    /// Answers with the fixed sentence for this refusal and `id`, which the audit resolves. If an
    /// answer has begun, cuts it.
    default void refuse(Refusal refusal, String id) {
        refuse(refusal, id, OptionalLong.empty(), "", Optional.empty());
    }

    /// The same, for what a person can allow.
    default void refuse(Refusal refusal, String id, Optional<Remedy> remedy) {
        refuse(refusal, id, OptionalLong.empty(), "", remedy);
    }

    /// The same.
    ///
    /// @param retrySeconds how long upstream asks to wait
    /// @param rule what of a rule's text is against the request; empty when the sentence says all
    /// @param remedy what would allow it
    void refuse(
            Refusal refusal,
            String id,
            OptionalLong retrySeconds,
            String rule,
            Optional<Remedy> remedy);

    /// Leaves HTTP: answers with a head that no body follows, and hands the connection over. For
    /// the `200` of a `CONNECT` and for a `101`, which gets its `connection: upgrade` here and
    /// names the protocol in its field `upgrade`. The request must be one without a body, and its
    /// answer must not have begun; otherwise the connection is cut. The door's handler hears
    /// nothing more of this request, and when the connection has ended before, the successor is not
    /// called.
    void takeOver(int status, Map<String, String> fields, Successor successor);

    /// Ends the connection in the middle of an answer, so that the client cannot take a part for
    /// the whole.
    void cut();
}
