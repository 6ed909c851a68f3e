package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.OptionalLong;

/// How far the answer on a stream of HTTP/2 has come: heads in between, the head, its body, perhaps
/// fields after it. Whatever else comes is none (RFC 9113, section 8.1).
final class StreamAnswer {
    private final Limits.Upstream limits;
    private final boolean headRequest;
    private boolean begun;
    private boolean ended;

    /// Of a body whose length is known.
    private OptionalLong left = OptionalLong.empty();

    StreamAnswer(Limits.Upstream limits, boolean headRequest) {
        this.limits = limits;
        this.headRequest = headRequest;
    }

    /// Takes a frame of fields: one of a head, or the one after the body.
    AnswerPart headers(Http2Headers headers, boolean endStream) throws BadAnswerException {
        if (ended || (begun && !endStream)) {
            throw new BadAnswerException();
        }
        AnswerPart part =
                begun
                        ? new AnswerPart.Trailers(Http2Fields.trailers(headers, limits))
                        : new AnswerPart.Head(head(headers));
        if (!begun && endStream) {
            throw new BadAnswerException();
        }
        end(endStream);
        return part;
    }

    private AnswerHead head(Http2Headers headers) throws BadAnswerException {
        AnswerHead head = Http2Fields.answer(headers, headRequest, limits);
        begun = !head.isInterim();
        left =
                switch (head.framing()) {
                    case AnswerHead.Framing.None _ -> OptionalLong.of(0);
                    case AnswerHead.Framing.Sized(long bytes) -> OptionalLong.of(bytes);
                    case AnswerHead.Framing.Chunked _, AnswerHead.Framing.UntilClose _ ->
                            OptionalLong.empty();
                };
        return head;
    }

    void data(int bytes, boolean endStream) throws BadAnswerException {
        if (!begun || ended || (left.isPresent() && bytes > left.getAsLong())) {
            throw new BadAnswerException();
        }
        if (left.isPresent()) {
            left = OptionalLong.of(left.getAsLong() - bytes);
        }
        end(endStream);
    }

    private void end(boolean endStream) throws BadAnswerException {
        ended = endStream;
        if (endStream && left.orElse(0) > 0) {
            throw new BadAnswerException();
        }
    }

    boolean isEnded() {
        return ended;
    }

    /// Whether the piece that came last completes a body of known length.
    boolean isSizedBodyComplete() {
        return begun && left.isPresent() && left.getAsLong() == 0;
    }
}
