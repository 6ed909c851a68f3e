package dev.sallyport.sidecar;

import dev.sallyport.channel.ChannelClient;
import dev.sallyport.channel.Message;
import dev.sallyport.confine.CachePages;
import dev.sallyport.confine.PrivateMemory;
import dev.sallyport.confine.Seccomp;
import dev.sallyport.confine.SyscallFilter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.logging.Logger;

/// Entry point of a sidecar process: connects to the warden that started it and carries until the
/// warden is gone.
public final class SidecarMain {
    /// Who would warn at each start, with a stack trace, that there is no network.
    private static final List<Logger> SURPRISED =
            List.of(
                    Logger.getLogger("io.netty.util.NetUtilInitializations"),
                    Logger.getLogger("io.netty.util.internal.MacAddressUtil"));

    private SidecarMain() {}

    /// Takes two arguments: the channel's directory, and the session, for those who look at it.
    public static void main(String[] args) {
        if (args.length != 2) {
            halt("a sidecar takes two arguments, the channel's directory and the session");
            return;
        }
        SURPRISED.forEach(logger -> logger.setLevel(java.util.logging.Level.OFF));
        // One loop, so that each connection and what carries it are on the same thread.
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        CompletableFuture<ChannelClient> client = new CompletableFuture<>();
        Consumer<Message> warden =
                message -> {
                    var _ = client.thenAccept(channel -> channel.send(message));
                };
        try {
            PrivateMemory.ofThisProcess();
            Seccomp.onEveryThread(SyscallFilter.ofGateway());
            Sidecar sidecar =
                    new Sidecar(
                            loop,
                            warden,
                            SidecarMain::halt,
                            connects -> Seccomp.onEveryThread(SyscallFilter.ofSidecar(connects)));
            client.complete(
                    ChannelClient.connect(
                            loop.next(), Path.of(args[0]), ChannelClient.wardenPid(), sidecar));
            CachePages.giveBackWith(loop);
        } catch (IOException e) {
            halt(String.valueOf(e.getMessage()));
        }
    }

    /// At once: a sidecar without a warden must not carry one more byte.
    private static void halt(String reason) {
        System.getLogger(SidecarMain.class.getName()).log(Level.ERROR, "sidecar ends: {0}", reason);
        Runtime.getRuntime().halt(1);
    }
}
