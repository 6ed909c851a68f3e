package dev.sallyport.upstream;

import dev.sallyport.policy.Refusal;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Decides whether the head of a final answer is one that may be relayed. Nothing of it is copied;
/// what the sandbox gets is written anew.
final class AnswerCheck {
    private AnswerCheck() {}

    /// Why the answer is not relayed, if it is not. Refused, missing and hidden repositories are
    /// one reason; a redirect is never followed (CVE-2026-41506).
    static Optional<Refusal> objection(HttpResponse answer, String expectedType) {
        if (answer.decoderResult().isFailure()) {
            return Optional.of(Refusal.UPSTREAM_MISBEHAVED);
        }
        return switch (answer.status().code()) {
            case 200 ->
                    isRelayable(answer, expectedType)
                            ? Optional.empty()
                            : Optional.of(Refusal.UPSTREAM_MISBEHAVED);
            case 401, 403, 404 -> Optional.of(Refusal.REPO_UNAVAILABLE);
            case 429, 500, 502, 503, 504 -> Optional.of(Refusal.UPSTREAM_UNREACHABLE);
            default -> Optional.of(Refusal.UPSTREAM_MISBEHAVED);
        };
    }

    private static boolean isRelayable(HttpResponse answer, String expectedType) {
        HttpHeaders headers = answer.headers();
        return answer.protocolVersion().equals(HttpVersion.HTTP_1_1)
                && headers.getAll(HttpHeaderNames.CONTENT_TYPE).equals(List.of(expectedType))
                && !headers.contains(HttpHeaderNames.CONTENT_ENCODING)
                && hasVisibleEnd(headers);
    }

    /// A body that ends when the connection does cannot be told from one that was cut.
    private static boolean hasVisibleEnd(HttpHeaders headers) {
        List<String> codings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (codings.isEmpty()) {
            return headers.contains(HttpHeaderNames.CONTENT_LENGTH);
        }
        return codings.size() == 1
                && HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(codings.getFirst());
    }

    static OptionalLong length(HttpResponse answer) {
        long length = HttpUtil.getContentLength(answer, -1L);
        return length < 0 || HttpUtil.isTransferEncodingChunked(answer)
                ? OptionalLong.empty()
                : OptionalLong.of(length);
    }
}
