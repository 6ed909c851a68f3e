package dev.sallyport.forge;

import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.RefusedException;
import dev.sallyport.relay.Relay;
import dev.sallyport.relay.WholeCall;
import dev.sallyport.session.LiveSession;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.ApiOrder;
import dev.sallyport.upstream.Failure;
import dev.sallyport.upstream.UpstreamCall;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// How a request goes upstream: with the credential of the session's present rights, and only while
/// these allow what it relies on.
final class ApiCalls {
    private ApiCalls() {}

    static WholeCall whole(
            ApiRequest request,
            ApiOrder order,
            byte[] body,
            WholeCall.Terms terms,
            List<ApiPermit> relies,
            Consumer<WholeCall.Outcome> told) {
        return WholeCall.begin(
                request.ask().responder().loop(),
                caller(request, order),
                body,
                terms,
                () -> holds(request, relies),
                told);
    }

    static Relay.Caller caller(ApiRequest request, ApiOrder order) {
        return events ->
                found(
                        request.shared()
                                .upstream()
                                .call(
                                        order,
                                        now(request).credentials(),
                                        request.ask().responder().loop(),
                                        events));
    }

    static UpstreamCall found(Optional<UpstreamCall> call) throws RefusedException {
        return call.orElseThrow(
                () ->
                        new RefusedException(
                                Refusal.UPSTREAM_UNREACHABLE, "the host is not configured"));
    }

    static boolean holds(ApiRequest request, List<ApiPermit> relies) {
        return relies.stream().allMatch(request.ask()::holds);
    }

    private static LiveSession now(ApiRequest request) {
        return request.ask().responder().session();
    }

    /// What the status of an answer means that is told in our words.
    static Failure failure(ApiRequest request, ApiPermit permit, AnswerHead head) {
        return Failure.of(head, now(request).credentials().identity(permit) != null);
    }
}
