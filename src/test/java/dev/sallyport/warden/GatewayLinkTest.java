package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.channel.ChannelServer;
import dev.sallyport.control.Api;
import dev.sallyport.session.Session;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whoever changes rights learns when the gateway goes by them.
class GatewayLinkTest {
    @TempDir Path temporary;

    private GatewayLink link(WardenParts parts) {
        return new GatewayLink(parts.messages, parts.leases());
    }

    private ChannelServer gateway(WardenParts parts, String directory) throws Exception {
        return ChannelServer.open(
                parts.loops.next(),
                Files.createDirectory(temporary.resolve(directory)),
                OptionalInt.empty(),
                parts.messages(parts.ledger));
    }

    @Test
    void aChangeIsOverWhenTheGatewayHasAnsweredAllThatItWasTold() throws Exception {
        WardenParts parts = new WardenParts(temporary);
        try {
            Session session = parts.create("one", Api.LifeRequest.STANDARD);
            String id = session.id().value();
            GatewayLink link = link(parts);
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

    @Test
    void anotherGatewayOwesOneAnswerAndEachChangeAfterItAnother() throws Exception {
        WardenParts parts = new WardenParts(temporary);
        try (ChannelServer first = gateway(parts, "first");
                ChannelServer second = gateway(parts, "second")) {
            Session session = parts.create("one", Api.LifeRequest.STANDARD);
            String id = session.id().value();
            GatewayLink link = link(parts);
            link.begin(first);
            var opened = link.attach(session, List.of(), OpenPorts.NONE, () -> {});
            link.stopWaiting();
            assertThat(opened).as("nobody may think that its doors are open").isNotDone();
            link.change(session);
            link.end(first);
            link.begin(second);
            link.attached(id);
            assertThat(opened).as("what the first one owed does not come").isCompleted();

            link.change(session);
            CompletableFuture<Void> changed = link.settled(session.id());
            assertThat(changed).isNotDone();
            assertThat(link.allSettled()).isNotDone();
            link.attached(id);
            assertThat(changed).isCompleted();
            assertThat(link.allSettled()).isCompleted();

            link.change(session);
            link.stopWaiting(session.id());
            assertThat(link.settled(session.id())).as("no longer waited for").isCompleted();
            link.change(session);
            assertThat(link.settled(session.id())).as("a later change").isNotDone();
        } finally {
            parts.close();
        }
    }
}
