package dev.sallyport.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AnswerReaderTest {
    /// Whoever gets the end of an answer asks for nothing more, and the connection may rest.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 204 No Content\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
            })
    void noBufferIsHeldAfterAnAnswer(String answer) throws Exception {
        ByteBuf arrived = Unpooled.copiedBuffer(answer, StandardCharsets.US_ASCII);
        AnswerReader reader = new AnswerReader(Limits.standard().upstream());
        reader.expect(false);
        reader.feed(arrived);
        Optional<AnswerPart> part = reader.next();
        while (!(part.orElseThrow() instanceof AnswerPart.End)) {
            if (part.get() instanceof AnswerPart.Piece(ByteBuf piece)) {
                piece.release();
            }
            part = reader.next();
        }
        assertThat(arrived.refCnt()).isZero();
        assertThat(reader.hasMore()).isFalse();
    }
}
