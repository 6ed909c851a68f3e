package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.OptionalLong;

/// The one answer that a request gets. Calls come on [#loop]; after [#end], [#refuse] or [#cut] all
/// further calls do nothing (buffers are still released).
public interface Responder {
    EventLoop loop();

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

    void end();

    /// Answers with the fixed sentence for this refusal and `id`, which the audit resolves. If an
    /// answer has begun, cuts it.
    default void refuse(Refusal refusal, String id) {
        refuse(refusal, id, OptionalLong.empty(), "");
    }

    /// The same.
    ///
    /// @param retrySeconds how long upstream asks to wait
    /// @param rule what of a rule's text is against the request; empty when the sentence says all
    void refuse(Refusal refusal, String id, OptionalLong retrySeconds, String rule);

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
