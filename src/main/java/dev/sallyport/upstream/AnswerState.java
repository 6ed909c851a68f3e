package dev.sallyport.upstream;

import dev.sallyport.config.Limits;
import dev.sallyport.http.HeadScan;
import dev.sallyport.upstream.AnswerHead.Framing;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Where in an answer the reader stands.
///
/// ```
/// InHead ── 1xx ──▶ InHead
///    ├───── sized ──▶ InSized ───────────────────────────────▶ AtRest
///    ├───── chunked ─▶ InChunkSize ─▶ InChunk ─▶ InChunkSize …
///    │                    └─ last ─▶ InTrailer ── fields ────▶ InSized(0)
///    └───── neither ─▶ UntilClose
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
                case Framing.None _ -> new InSized(0);
                case Framing.Sized(long bytes) -> new InSized(bytes);
                case Framing.Chunked _ -> new InChunkSize(limits);
                case Framing.UntilClose _ -> new UntilClose();
            };
        }
    }

    /// This much is left of the body.
    record InSized(long left) implements AnswerState {
        @Override
        public Optional<Step> step(ByteBuf in) {
            if (left == 0) {
                return Step.of(new AtRest(), new AnswerPart.End());
            }
            if (!in.isReadable()) {
                return Optional.empty();
            }
            int bytes = (int) Math.min(left, in.readableBytes());
            return Step.of(
                    new InSized(left - bytes), new AnswerPart.Piece(in.readRetainedSlice(bytes)));
        }
    }

    /// A chunk's size line: hex digits and CRLF, nothing else.
    record InChunkSize(Limits.Upstream limits) implements AnswerState {
        private static final int DIGITS_MAX = 8;

        @Override
        public Optional<Step> step(ByteBuf in) throws BadAnswerException {
            long size = 0;
            int digits = 0;
            int start = in.readerIndex();
            int end = Math.min(in.readableBytes(), DIGITS_MAX);
            for (; digits < end && hex(in, start + digits) >= 0; digits++) {
                size = size * 16 + hex(in, start + digits);
            }
            boolean over = digits < in.readableBytes();
            if (!over && digits < DIGITS_MAX) {
                return Optional.empty();
            }
            if (digits == 0) {
                throw new BadAnswerException();
            }
            if (!LineEnd.isAt(in, start + digits)) {
                return Optional.empty();
            }
            in.skipBytes(digits + 2);
            return Step.silent(size == 0 ? new InTrailer(limits, 0) : new InChunk(limits, size));
        }

        private static int hex(ByteBuf in, int index) {
            return Character.digit(in.getByte(index), 16);
        }
    }

    /// This much is left of the chunk, and then its CRLF.
    record InChunk(Limits.Upstream limits, long left) implements AnswerState {
        @Override
        public Optional<Step> step(ByteBuf in) throws BadAnswerException {
            if (left == 0) {
                if (!LineEnd.isAt(in, in.readerIndex())) {
                    return Optional.empty();
                }
                in.skipBytes(2);
                return Step.silent(new InChunkSize(limits));
            }
            if (!in.isReadable()) {
                return Optional.empty();
            }
            int bytes = (int) Math.min(left, in.readableBytes());
            return Step.of(
                    new InChunk(limits, left - bytes),
                    new AnswerPart.Piece(in.readRetainedSlice(bytes)));
        }
    }

    /// After the last chunk: perhaps fields, and an empty line.
    record InTrailer(Limits.Upstream limits, int scanned) implements AnswerState {
        @Override
        public Optional<Step> step(ByteBuf in) throws BadAnswerException {
            if (in.readableBytes() < 2) {
                return Optional.empty();
            }
            if (in.getByte(in.readerIndex()) == '\r' && LineEnd.isAt(in, in.readerIndex())) {
                in.skipBytes(2);
                return Step.of(new AtRest(), new AnswerPart.End());
            }
            return switch (HeadScan.of(in, scanned, limits.headBytesMax())) {
                case HeadScan.Unfinished(int clean) when clean == scanned -> Optional.empty();
                case HeadScan.Unfinished(int clean) -> Step.silent(new InTrailer(limits, clean));
                case HeadScan.TooLarge _, HeadScan.Dirty _ -> throw new BadAnswerException();
                case HeadScan.Complete(int bytes) -> complete(in, bytes);
            };
        }

        private Optional<Step> complete(ByteBuf in, int bytes) throws BadAnswerException {
            String text = in.toString(in.readerIndex(), bytes - 4, StandardCharsets.ISO_8859_1);
            in.skipBytes(bytes);
            return Step.of(
                    new InSized(0),
                    new AnswerPart.Trailers(AnswerHeadParser.trailers(text, limits)));
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

    /// Looks for CRLF at one place.
    final class LineEnd {
        private LineEnd() {}

        /// False when there are too few bytes to tell.
        static boolean isAt(ByteBuf in, int index) throws BadAnswerException {
            int available = in.writerIndex() - index;
            boolean wrong =
                    (available >= 1 && in.getByte(index) != '\r')
                            || (available >= 2 && in.getByte(index + 1) != '\n');
            if (wrong) {
                throw new BadAnswerException();
            }
            return available >= 2;
        }
    }
}
