package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.control.Api;
import dev.sallyport.session.Session;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whoever changes rights learns when the gateway goes by them.
class GatewayLinkTest {
    @TempDir Path temporary;

    @Test
    void aChangeIsOverWhenTheGatewayHasAnsweredAllThatItWasTold() throws Exception {
        WardenParts parts = new WardenParts(temporary);
        try {
            Session session = parts.create("one", Api.LifeRequest.STANDARD);
            String id = session.id().value();
            GatewayLink link = new GatewayLink(parts.messages, parts.leases());
            assertThat(link.settled(session.id())).as("without doors").isCompleted();

            var opened = link.attach(session, List.of(), OpenPorts.NONE, () -> {});
            assertThat(opened).isNotDone();
            link.attached(id);
            assertThat(opened).isCompleted();

            link.change(session);
            link.change(session);
            CompletableFuture<Void> second = link.settled(session.id());
            link.attached(id);
            assertThat(second).as("only the first was answered").isNotDone();
            link.attached(id);
            assertThat(second).isCompleted();

            link.attached(id);
            link.change(session);
            CompletableFuture<Void> third = link.settled(session.id());
            assertThat(third).as("an answer that nobody asked for").isNotDone();
            link.detach(session.id());
            assertThat(third).isCancelled();
        } finally {
            parts.close();
        }
    }
}
