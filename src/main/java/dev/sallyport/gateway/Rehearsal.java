package dev.sallyport.gateway;

import dev.sallyport.channel.Message;
import dev.sallyport.config.Limits;
import dev.sallyport.forge.graphql.QueryJudge;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// A gateway from its first object to the moment when it could take sessions, without warden,
/// socket or sandbox: for a JVM that notes which classes the real one will need (JEP 514).
public final class Rehearsal {
    private Rehearsal() {}

    /// Returns when it has come that far and is put away again.
    ///
    /// @param directory stands for those that a gateway may write to; nothing is written
    public static void run(Path directory) {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        Gateway gateway =
                new Gateway(
                        loops,
                        _ -> {},
                        _ -> CompletableFuture.completedFuture(null),
                        new JudgingGitDoor(loops, directory, directory),
                        directory,
                        reason -> {
                            throw new IllegalStateException(reason);
                        });
        gateway.received(
                new Message.Configure(Limits.standard(), List.of(), Optional.empty()), List.of());
        var _ = new QueryJudge();
        loops.shutdownGracefully(0, 1_000, TimeUnit.MILLISECONDS).syncUninterruptibly();
    }
}
