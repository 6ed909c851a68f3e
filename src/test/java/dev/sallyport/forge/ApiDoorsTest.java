package dev.sallyport.forge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import dev.sallyport.upstream.Client;
import io.netty.channel.DefaultEventLoop;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ApiDoorsTest {
    /// I17: a place that was never given back would be missing for all sandboxes.
    @Test
    void i17WorkThatFailsInWhateverWayGivesItsPlaceBackAndIsAnswered() throws Exception {
        Limits limits = Limits.standard();
        DefaultEventLoop loop = new DefaultEventLoop();
        try (ApiDoors doors =
                new ApiDoors(
                        new Client(limits.upstream(), List.of()),
                        _ -> CompletableFuture.completedFuture(null),
                        (_, _) -> {},
                        limits.api(),
                        1)) {
            for (int i = 0; i < 3; i++) {
                CompletableFuture<Optional<String>> done = new CompletableFuture<>();
                Optional<Refusal> refused =
                        doors.work(
                                new SessionId("0123456789abcdef"),
                                loop,
                                () -> {
                                    throw new AssertionError("what nobody thought of");
                                },
                                done::complete);

                assertThat(refused).isEmpty();
                assertThat(done.get(60, TimeUnit.SECONDS)).isEmpty();
            }
        } finally {
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }
}
