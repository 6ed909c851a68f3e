package dev.sallyport.witness;

import dev.sallyport.audit.FileWitness;
import dev.sallyport.audit.Witness;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.PostUrl;
import dev.sallyport.config.WitnessPlace;
import dev.sallyport.post.UrlPost;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.nio.file.Path;

/// Makes the witness that a policy file names.
public final class Witnesses {
    private Witnesses() {}

    public static Witness of(PolicyFile policy) {
        return policy.audit().witness().map(place -> of(place, policy)).orElse(Witness.NONE);
    }

    private static Witness of(WitnessPlace place, PolicyFile policy) {
        return switch (place) {
            case WitnessPlace.InFile(Path file) -> new FileWitness(file);
            case WitnessPlace.AtUrl(PostUrl url) ->
                    new HttpWitness(
                            new UrlPost(
                                    url, policy.limits().upstream(), policy.resolver(), loop()));
        };
    }

    /// One of its own, because the record is there before anything else is.
    private static EventLoop loop() {
        return new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory()).next();
    }
}
