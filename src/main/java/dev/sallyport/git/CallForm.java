package dev.sallyport.git;

import dev.sallyport.config.Limits;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.http.RequestHead;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.BodySource;
import dev.sallyport.relay.PieceQueue;
import java.util.Optional;

/// What the head of a POST must look like before a byte of its body is read.
final class CallForm {
    private CallForm() {}

    static Optional<Refusal> objection(RequestHead head, GitPermit permit, Limits.Git limits) {
        GitService service = permit.service();
        boolean typed =
                head.field("content-type").filter(GitWire.requestType(service)::equals).isPresent();
        boolean readable = head.field("content-encoding").isEmpty() || isGzip(head);
        if (!typed || !readable || head.framing() instanceof BodyFraming.None) {
            return Optional.of(Refusal.BAD_REQUEST);
        }
        boolean tooLarge =
                head.framing() instanceof BodyFraming.Sized(long bytes)
                        && bytes > bytesMax(permit, limits);
        return tooLarge ? Optional.of(Refusal.BODY_TOO_LARGE) : Optional.empty();
    }

    static boolean isGzip(RequestHead head) {
        return head.field("content-encoding").filter("gzip"::equals).isPresent();
    }

    /// Where the body is read from: as it is, or inflated. The same limit holds for both.
    static BodySource source(RequestHead head, GitPermit permit, Limits.Git limits) {
        long bytesMax = bytesMax(permit, limits);
        return isGzip(head) ? new GzipBody(bytesMax) : new PieceQueue(bytesMax);
    }

    private static long bytesMax(GitPermit permit, Limits.Git limits) {
        return switch (permit.service()) {
            case UPLOAD_PACK -> limits.fetchBodyBytesMax();
            case RECEIVE_PACK -> limits.packBytesMax(permit.push()) + limits.pushCommandBytesMax();
        };
    }
}
