package dev.sallyport.http;

import dev.sallyport.policy.Refusal;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Where in a request the decoder stands.
///
/// ```
/// InHead ── head ──▶ InBody ── end ──▶ InHead
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
                return Step.of(new InBody(terms, body(head)), new Inbound.Head(head));
            } catch (BadHead e) {
                return Step.of(new Broken(), e.verdict(text.startsWith(HEAD)));
            }
        }

        /// The front door has no use for fields after a body and takes none.
        private BodyReader body(RequestHead head) {
            return switch (head.framing()) {
                case BodyFraming.None _ -> BodyReader.NONE;
                case BodyFraming.Sized(long bytes) -> BodyReader.sized(bytes);
                case BodyFraming.Chunked _ ->
                        BodyReader.chunked(
                                terms.form() == HeadForm.FRONT ? 0 : terms.limits().headBytesMax());
            };
        }
    }

    record InBody(DecodeTerms terms, BodyReader body) implements DecodeState {
        @Override
        public Optional<Step> step(ByteBuf in) {
            return switch (body.read(in)) {
                case STARVED -> Optional.empty();
                case PIECE -> Step.of(this, new Inbound.Piece(body.piece(in)));
                case TRAILERS -> trailers(body.trailers(in));
                case END -> Step.of(InHead.first(terms), new Inbound.End());
                case BAD -> Step.ambiguous();
            };
        }

        private Optional<Step> trailers(String text) {
            try {
                return Step.of(this, new Inbound.Trailers(Trailers.parse(text, terms)));
            } catch (BadHead _) {
                return Step.ambiguous();
            }
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
}
