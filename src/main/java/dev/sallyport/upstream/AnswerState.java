package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.http.BodyReader;
import dev.sallyport.http.HeadScan;
import dev.sallyport.upstream.AnswerHead.Framing;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// Where in an answer the reader stands.
///
/// ```
/// InHead ── 1xx ──▶ InHead
///    ├───── with an end of its own ─▶ InBody ── end ──▶ AtRest
///    └───── without ─▶ UntilClose
/// ```
sealed interface AnswerState {
    /// Takes what it can from `in`; empty when more bytes are needed.
    Optional<Step> step(ByteBuf in) throws BadAnswerException;

    /// What one step made of the bytes.
    record Step(AnswerState next, Optional<AnswerPart> part) {
        static Optional<Step> of(AnswerState next, AnswerPart part) {
            return Optional.of(new Step(next, Optional.of(part)));
        }

        static Optional<Step> silent(AnswerState next) {
            return Optional.of(new Step(next, Optional.empty()));
        }
    }

    /// Waits for the whole head, of which `scanned` bytes are known to be clean.
    record InHead(Limits.Upstream limits, boolean headRequest, int scanned) implements AnswerState {
        @Override
        public Optional<Step> step(ByteBuf in) throws BadAnswerException {
            return switch (HeadScan.of(in, scanned, limits.headBytesMax())) {
                case HeadScan.Unfinished(int clean) when clean == scanned -> Optional.empty();
                case HeadScan.Unfinished(int clean) ->
                        Step.silent(new InHead(limits, headRequest, clean));
                case HeadScan.TooLarge _, HeadScan.Dirty _ -> throw new BadAnswerException();
                case HeadScan.Complete(int bytes) -> complete(in, bytes);
            };
        }

        private Optional<Step> complete(ByteBuf in, int bytes) throws BadAnswerException {
            String text = in.toString(in.readerIndex(), bytes - 4, StandardCharsets.ISO_8859_1);
            in.skipBytes(bytes);
            AnswerHead head = AnswerHeadParser.parse(text, headRequest, limits);
            return Step.of(after(head), new AnswerPart.Head(head));
        }

        private AnswerState after(AnswerHead head) {
            if (head.isInterim()) {
                return new InHead(limits, headRequest, 0);
            }
            return switch (head.framing()) {
                case Framing.None _ -> new InBody(limits, BodyReader.NONE);
                case Framing.Sized(long bytes) -> new InBody(limits, BodyReader.sized(bytes));
                case Framing.Chunked _ ->
                        new InBody(limits, BodyReader.chunked(limits.headBytesMax()));
                case Framing.UntilClose _ -> new UntilClose();
            };
        }
    }

    record InBody(Limits.Upstream limits, BodyReader body) implements AnswerState {
        @Override
        public Optional<Step> step(ByteBuf in) throws BadAnswerException {
            return switch (body.read(in)) {
                case STARVED -> Optional.empty();
                case PIECE -> Step.of(this, new AnswerPart.Piece(body.piece(in)));
                case TRAILERS -> {
                    List<AnswerHead.Field> fields =
                            AnswerHeadParser.trailers(body.trailers(in), limits);
                    yield Step.of(this, new AnswerPart.Trailers(fields));
                }
                case END -> Step.of(new AtRest(), new AnswerPart.End());
                case BAD -> throw new BadAnswerException();
            };
        }
    }

    /// Everything until upstream closes is body.
    record UntilClose() implements AnswerState {
        @Override
        public Optional<Step> step(ByteBuf in) {
            return in.isReadable()
                    ? Step.of(this, new AnswerPart.Piece(in.readRetainedSlice(in.readableBytes())))
                    : Optional.empty();
        }
    }

    /// No answer is owed; what arrives belongs to none.
    record AtRest() implements AnswerState {
        @Override
        public Optional<Step> step(ByteBuf in) {
            return Optional.empty();
        }
    }
}
