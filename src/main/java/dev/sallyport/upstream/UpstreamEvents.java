package dev.sallyport.upstream;

import dev.sallyport.credential.EchoGuard;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Optional;

/// What happens to one [UpstreamCall]. All of it on the call's event loop, never from inside a
/// method of the call; after `complete`, `switched` or `failed` nothing more.
public interface UpstreamEvents {
    /// Whether the request may still be made. Asked before anything of it is written, which may be
    /// long after the call began.
    default boolean holds() {
        return true;
    }

    /// More of the body may, or for now may not, be written. The first `true` says that the host
    /// was verified and the head is on its way.
    void writable(boolean writable);

    /// A well-formed answer begins; to a request of git, one with status 200 and the expected type.
    /// It may do so before the request is complete. Neither its head, if that is relayed, nor its
    /// pieces have the secret in them that went along with the request.
    void begun(AnswerHead head);

    /// A piece of the answer's body; the receiver owns it.
    void piece(ByteBuf piece);

    /// Fields after the body, without the secret in them; `complete` follows. Who does not pass
    /// them on need not look at them.
    default void trailers(List<AnswerHead.Field> fields) {}

    /// The answer is complete by its own framing; to a request of git, after that was sent in full.
    void complete();

    /// There is no answer, or no more of it: whatever was relayed so far is not the whole.
    void failed(Failure failure);

    /// The connection goes on as something else than HTTP. Only for those who asked for that.
    ///
    /// @param head with status 101; whether it answers the request is for the receiver to check
    /// @param channel now the receiver's, on the call's event loop; auto-read is off
    /// @param unread what the host has said since; ownership passes
    /// @param guard for what it says from here on, with the secret that went along
    default void switched(
            AnswerHead head, Channel channel, ByteBuf unread, Optional<EchoGuard> guard) {
        unread.release();
        var _ = channel.close();
        throw new IllegalStateException("nobody asked for another protocol");
    }
}
