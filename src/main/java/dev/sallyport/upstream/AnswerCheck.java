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

    /// Why the answer is not relayed, if it is not. The repository is granted, so the sandbox may
    /// know what upstream has against it; a redirect is never followed (CVE-2026-41506).
    ///
    /// @param authorized whether the request carried a credential
    static Optional<Failure> objection(
            HttpResponse answer, String expectedType, boolean authorized) {
        if (answer.decoderResult().isFailure()) {
            return Optional.of(Failure.of(Refusal.UPSTREAM_MISBEHAVED));
        }
        int status = answer.status().code();
        if (status == 200 && isRelayable(answer, expectedType)) {
            return Optional.empty();
        }
        return Optional.of(
                new Failure(
                        reason(status, authorized), status, RetryAfter.seconds(answer.headers())));
    }

    private static Refusal reason(int status, boolean authorized) {
        return switch (status) {
            case 401 -> authorized ? Refusal.CREDENTIAL_REFUSED : Refusal.CREDENTIAL_MISSING;
            case 403 -> Refusal.UPSTREAM_FORBIDDEN;
            case 404 -> Refusal.REPO_NOT_FOUND;
            case 413 -> Refusal.UPSTREAM_TOO_LARGE;
            case 429 -> Refusal.UPSTREAM_BUSY;
            default -> status >= 500 ? Refusal.UPSTREAM_FAILED : Refusal.UPSTREAM_MISBEHAVED;
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
