package dev.sallyport.witness;

import dev.sallyport.audit.FileWitness;
import dev.sallyport.audit.Witness;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.PostUrl;
import dev.sallyport.config.WitnessPlace;
import dev.sallyport.post.Post;
import dev.sallyport.post.UrlPost;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/// Makes the witness that a policy file names, beside one that is there anyway.
public final class Witnesses {
    private Witnesses() {}

    /// Who is told of heads.
    ///
    /// @param other who is told first; there may be none
    public static Witness of(PolicyFile policy, Witness other) {
        return policy.audit().witness().map(place -> both(other, of(place, policy))).orElse(other);
    }

    /// Each is told whether the other fails or not; one that has a head already takes it again.
    private static Witness both(Witness one, Witness other) {
        if (one.equals(Witness.NONE)) {
            return other;
        }
        return head -> {
            try {
                one.tell(head);
            } finally {
                other.tell(head);
            }
        };
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

    /// Posts each head to the one URL that a policy file names.
    record HttpWitness(Post post) implements Witness {
        @Override
        public void tell(String head) throws IOException {
            post.send("text/plain", Map.of(), head.getBytes(StandardCharsets.US_ASCII));
        }
    }
}
