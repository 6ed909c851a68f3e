package dev.sallyport.egress;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.sallyport.fixture.Cut;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;

final class ClientHelloFuzz {
    private static final int BYTES_MAX = 2_048;

    @FuzzTest
    void namesTheSameHostHoweverItArrivesAndToWhomever(byte[] input) {
        Cut cut = Cut.of(input);
        long held = Cut.held();
        ClientHello hello = read(cut.whole());
        assertThat(read(cut.pieces())).isEqualTo(hello);
        assertThat(Cut.held()).isEqualTo(held);
        if (hello instanceof ClientHello.Hello good) {
            assertThat(good.bytes()).isBetween(50, Math.min(BYTES_MAX, cut.body().length));
            assertThat(good.serverName().value()).matches("[a-z0-9-]+(\\.[a-z0-9-]+)+");
            assertThat(good.alpn()).allSatisfy(name -> assertThat(name).isNotEmpty());
            Optional<String> other = SecondReader.nameIn(cut.body());
            other.ifPresent(name -> assertThat(name).isEqualTo(good.serverName().value()));
        }
    }

    private static ClientHello read(List<ByteBuf> pieces) {
        HelloParser parser = new HelloParser(BYTES_MAX);
        ClientHello last = new ClientHello.NeedMore();
        for (ByteBuf piece : pieces) {
            if (last instanceof ClientHello.NeedMore) {
                last = parser.read(piece);
            }
            piece.release();
        }
        return last;
    }
}
