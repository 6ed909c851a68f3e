package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Where in a request the decoder stands.
///
/// ```
/// InHead ── no body, sized ──▶ InSized ──────────────────────▶ InHead
///    └───── chunked ─▶ InChunkSize ─▶ InChunkData ─▶ InChunkSize …
///                          └─ last ─▶ InLastChunk ───────────▶ InHead
/// any ── fault ──▶ Broken
/// ```
sealed interface DecodeState {
    /// Takes what it can from `in`; empty when more bytes are needed.
    Optional<Step> step(ByteBuf in);

    record Step(DecodeState next, Optional<Inbound> item) {
        static Optional<Step> of(DecodeState next, Inbound item) {
            return Optional.of(new Step(next, Optional.of(item)));
        }

        static Optional<Step> silent(DecodeState next) {
            return Optional.of(new Step(next, Optional.empty()));
        }

        static Optional<Step> ambiguous() {
            return of(new Broken(), new Inbound.Ambiguous());
        }
    }

    /// Waits for the whole head. `scanned` bytes of it are known to be clean, so that a head that
    /// arrives byte by byte is still scanned once only.
    record InHead(DecodeTerms terms, boolean begun, int scanned) implements DecodeState {
        private static final String HEAD = "HEAD ";

        static InHead first(DecodeTerms terms) {
            return new InHead(terms, false, 0);
        }

        @Override
        public Optional<Step> step(ByteBuf in) {
            if (!in.isReadable()) {
                return Optional.empty();
            }
            if (!begun) {
                return Step.of(new InHead(terms, true, 0), new Inbound.Begun());
            }
            HeadScan scan = HeadScan.of(in, scanned, terms.limits().headBytesMax());
            return switch (scan) {
                case HeadScan.Unfinished(int clean) when clean == scanned -> Optional.empty();
                case HeadScan.Unfinished(int clean) -> Step.silent(new InHead(terms, true, clean));
                case HeadScan.TooLarge _ -> tooLarge(in);
                case HeadScan.Dirty _ -> Step.ambiguous();
                case HeadScan.Complete(int bytes) -> complete(in, bytes);
            };
        }

        private static Optional<Step> tooLarge(ByteBuf in) {
            int bytes = Math.min(HEAD.length(), in.readableBytes());
            String method = in.toString(in.readerIndex(), bytes, StandardCharsets.ISO_8859_1);
            return Step.of(
                    new Broken(), new Inbound.Refused(Refusal.HEAD_TOO_LARGE, method.equals(HEAD)));
        }

        private Optional<Step> complete(ByteBuf in, int bytes) {
            String text = in.toString(in.readerIndex(), bytes - 4, StandardCharsets.ISO_8859_1);
            in.skipBytes(bytes);
            try {
                RequestHead head = HeadParser.parse(text, terms);
                return Step.of(body(head.framing()), new Inbound.Head(head));
            } catch (BadHead e) {
                return Step.of(new Broken(), e.verdict(text.startsWith(HEAD)));
            }
        }

        private DecodeState body(BodyFraming framing) {
            return switch (framing) {
                case BodyFraming.None _ -> new InSized(terms, 0);
                case BodyFraming.Sized(long bytes) -> new InSized(terms, bytes);
                case BodyFraming.Chunked _ -> new InChunkSize(terms);
            };
        }
    }

    record InSized(DecodeTerms terms, long left) implements DecodeState {
        @Override
        public Optional<Step> step(ByteBuf in) {
            if (left == 0) {
                return Step.of(InHead.first(terms), new Inbound.End());
            }
            if (!in.isReadable()) {
                return Optional.empty();
            }
            int bytes = (int) Math.min(left, in.readableBytes());
            return Step.of(
                    new InSized(terms, left - bytes),
                    new Inbound.Piece(in.readRetainedSlice(bytes)));
        }
    }

    /// A chunk's size line: hex digits and CRLF, nothing else. Extensions are where readers differ
    /// (CVE-2025-22871), and no client of ours needs one.
    record InChunkSize(DecodeTerms terms) implements DecodeState {
        private static final int DIGITS_MAX = 8;

        @Override
        public Optional<Step> step(ByteBuf in) {
            long size = 0;
            int start = in.readerIndex();
            int digits = 0;
            int end = Math.min(in.readableBytes(), DIGITS_MAX);
            while (digits < end && Ascii.hex(in.getUnsignedByte(start + digits)) >= 0) {
                size = size * 16 + Ascii.hex(in.getUnsignedByte(start + digits));
                digits++;
            }
            Optional<Boolean> lineEnds = LineEnd.at(in, start + digits);
            if (lineEnds.isEmpty()) {
                return Optional.empty();
            }
            if (digits == 0 || !lineEnds.get()) {
                return Step.ambiguous();
            }
            in.skipBytes(digits + 2);
            return Step.silent(
                    size == 0 ? new InLastChunk(terms, 0) : new InChunkData(terms, size));
        }
    }

    record InChunkData(DecodeTerms terms, long left) implements DecodeState {
        @Override
        public Optional<Step> step(ByteBuf in) {
            if (left == 0) {
                return afterLineEnd(in, new InChunkSize(terms));
            }
            if (!in.isReadable()) {
                return Optional.empty();
            }
            int bytes = (int) Math.min(left, in.readableBytes());
            return Step.of(
                    new InChunkData(terms, left - bytes),
                    new Inbound.Piece(in.readRetainedSlice(bytes)));
        }

        private static Optional<Step> afterLineEnd(ByteBuf in, DecodeState next) {
            Optional<Boolean> lineEnds = LineEnd.at(in, in.readerIndex());
            if (lineEnds.isEmpty()) {
                return Optional.empty();
            }
            if (!lineEnds.get()) {
                return Step.ambiguous();
            }
            in.skipBytes(2);
            return Step.silent(next);
        }
    }

    /// After the last chunk: an empty line, or fields and then one. `scanned` bytes of the fields
    /// are known to be clean. The front door has no use for such fields and takes none.
    record InLastChunk(DecodeTerms terms, int scanned) implements DecodeState {
        @Override
        public Optional<Step> step(ByteBuf in) {
            if (!in.isReadable()) {
                return Optional.empty();
            }
            boolean empty = in.getByte(in.readerIndex()) == '\r';
            return empty || terms.form() == HeadForm.FRONT ? end(in) : trailers(in);
        }

        private Optional<Step> trailers(ByteBuf in) {
            return switch (HeadScan.of(in, scanned, terms.limits().headBytesMax())) {
                case HeadScan.Unfinished(int clean) when clean == scanned -> Optional.empty();
                case HeadScan.Unfinished(int clean) -> Step.silent(new InLastChunk(terms, clean));
                case HeadScan.TooLarge _, HeadScan.Dirty _ -> Step.ambiguous();
                case HeadScan.Complete(int bytes) -> complete(in, bytes);
            };
        }

        private Optional<Step> complete(ByteBuf in, int bytes) {
            String text = in.toString(in.readerIndex(), bytes - 4, StandardCharsets.ISO_8859_1);
            in.skipBytes(bytes);
            try {
                return Step.of(
                        new InSized(terms, 0), new Inbound.Trailers(Trailers.parse(text, terms)));
            } catch (BadHead _) {
                return Step.ambiguous();
            }
        }

        private Optional<Step> end(ByteBuf in) {
            Optional<Boolean> lineEnds = LineEnd.at(in, in.readerIndex());
            if (lineEnds.isEmpty()) {
                return Optional.empty();
            }
            if (!lineEnds.get()) {
                return Step.ambiguous();
            }
            in.skipBytes(2);
            return Step.of(InHead.first(terms), new Inbound.End());
        }
    }

    /// Nothing after a fault means anything; the bytes are thrown away.
    record Broken() implements DecodeState {
        @Override
        public Optional<Step> step(ByteBuf in) {
            in.skipBytes(in.readableBytes());
            return Optional.empty();
        }
    }

    /// Looks for CRLF at one place.
    final class LineEnd {
        private LineEnd() {}

        /// Empty when there are too few bytes to tell; a wrong first byte is told at once.
        static Optional<Boolean> at(ByteBuf in, int index) {
            int available = in.writerIndex() - index;
            if (available >= 1 && in.getByte(index) != '\r') {
                return Optional.of(false);
            }
            return available < 2 ? Optional.empty() : Optional.of(in.getByte(index + 1) == '\n');
        }
    }
}
