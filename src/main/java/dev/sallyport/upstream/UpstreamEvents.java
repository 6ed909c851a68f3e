package dev.sallyport.upstream;

import io.netty.buffer.ByteBuf;
import java.util.OptionalLong;

/// What happens to one call. All of it on the call's event loop, never from inside a method of
/// [UpstreamCall]; after `complete` or `failed` nothing more.
public interface UpstreamEvents {
    /// More of the body may, or for now may not, be written. The first `true` says that the host
    /// was verified and the head is on its way.
    void writable(boolean writable);

    /// A good answer begins: status 200 and the expected type.
    void begun(OptionalLong length);

    /// A piece of the answer's body; the receiver owns it.
    void piece(ByteBuf piece);

    /// The answer is complete by its own framing, and the request had been sent in full.
    void complete();

    /// There is no answer, or no more of it: whatever was relayed so far is not the whole.
    void failed(Failure failure);
}
