package dev.sallyport.relay;

import dev.sallyport.credential.EchoGuard;
import dev.sallyport.policy.Refusal;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Where a relayed answer goes, and how it is told when there is none.
public interface Outlet {
    /// Once; upstream begins an answer. Refuses one that is not to be passed on.
    ///
    /// @param length of what will be written, if it is known
    void begin(AnswerHead head, OptionalLong length) throws RefusedException;

    /// Takes ownership.
    void write(ByteBuf piece);

    /// Fields after the body; its end follows. Refuses what it cannot pay for.
    default void trailers(List<AnswerHead.Field> fields) throws RefusedException {}

    /// The answer is complete.
    void complete();

    /// Records that the request came to nothing after it was allowed, so that the id in a refusal
    /// leads somewhere. Nothing waits for that: the refusal happens either way.
    void failed(Failure failure);

    /// There is no answer, or no more of it.
    void refuse(Failure failure);

    /// The connection goes on as something else than HTTP, for a door that asked for that; what it
    /// is given is its own unless it refuses.
    default void switched(
            AnswerHead head, Channel channel, ByteBuf unread, Optional<EchoGuard> guard)
            throws RefusedException {
        throw new RefusedException(Refusal.UPSTREAM_MISBEHAVED, "nobody asked for that");
    }
}
