package dev.sallyport.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.SessionId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class ConnectionTest {
    /// Like TLS that cannot say its goodbye, because the host takes nothing.
    private static final class LateClose extends ChannelOutboundHandlerAdapter {
        @Override
        public void close(ChannelHandlerContext ctx, ChannelPromise promise) {}
    }

    private static EmbeddedChannel opened() {
        SessionId session = SessionId.random();
        EmbeddedChannel channel = new EmbeddedChannel(new ReadTurns(session), new LateClose());
        Place place =
                Place.git(
                        new HostName("git.test.example"),
                        new Reach(false, Optional.empty(), Optional.empty()));
        ConnectionKey key =
                new ConnectionKey(
                        channel.eventLoop(),
                        session,
                        place,
                        false,
                        Optional.empty(),
                        new CredentialBook(List.of()),
                        null);
        Client client = new Client(Limits.standard().upstream(), List.of());
        Connection.open(channel, Optional.empty(), key, client, new CompletableFuture<>());
        return channel;
    }

    private static ByteBuf said(EmbeddedChannel channel) {
        ByteBuf bytes = channel.alloc().buffer();
        bytes.writeCharSequence("nobody asked for this", StandardCharsets.US_ASCII);
        return bytes;
    }

    /// A host could otherwise fill the memory of the gateway, for good, with what it says between
    /// its fault and the end of the channel.
    @Test
    void whatAHostSaysAfterItsConnectionIsOverIsNotKept() {
        EmbeddedChannel channel = opened();
        for (int i = 0; i < 3; i++) {
            ByteBuf bytes = said(channel);
            channel.pipeline().fireChannelRead(bytes);
            assertThat(bytes.refCnt()).isZero();
        }
        assertThat(channel.isOpen()).isTrue();
    }
}
