package dev.sallyport.gateway;

import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.TokenAnswer;
import dev.sallyport.credential.TokenAnswer.BadTokenAnswerException;
import dev.sallyport.http.BodyFraming;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.upstream.AnswerHead;
import dev.sallyport.upstream.Client;
import dev.sallyport.upstream.Protocol;
import dev.sallyport.upstream.Room;
import dev.sallyport.upstream.WebOrder;
import dev.sallyport.upstream.WholeCall;
import io.netty.channel.EventLoop;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/// Asks a token endpoint for a token, once, on a connection of its own. Whatever is not plainly an
/// answer of such an endpoint says nothing about the login: a proxy or a gateway of the provider's
/// may have answered in its place.
final class TokenCall {
    /// What came of it.
    sealed interface Outcome {
        record Granted(TokenAnswer tokens) implements Outcome {}

        /// The endpoint itself says no, and will again.
        record Refused(int status, String error) implements Outcome {}

        /// Nothing was learned about the login.
        ///
        /// @param why for the record
        record Unavailable(String why) implements Outcome {}
    }

    private static final int SECONDS_MAX = 30;
    private static final Set<Integer> REFUSALS = Set.of(400, 401, 403);

    private TokenCall() {}

    /// Never fails. Takes over the question and wipes it.
    static CompletableFuture<Outcome> post(
            Client client,
            EventLoop loop,
            EgressPermit permit,
            String path,
            String mediaType,
            byte[] question) {
        WebOrder order =
                new WebOrder(
                        permit,
                        true,
                        "POST",
                        path,
                        Map.of(
                                "content-type",
                                mediaType,
                                "accept",
                                "application/json",
                                "user-agent",
                                "sallyport"),
                        new BodyFraming.Sized(question.length),
                        Protocol.HTTP_1_1);
        int bytesMax = TokenAnswer.BYTES_MAX;
        return WholeCall.ask(
                client,
                loop,
                order,
                new CredentialBook(List.of()),
                question,
                new WholeCall.Terms(bytesMax, SECONDS_MAX, Room.of(bytesMax)),
                TokenCall::outcome);
    }

    private static Outcome outcome(WholeCall.Outcome told) {
        return switch (told) {
            case WholeCall.Outcome.Answered(AnswerHead head, byte[] body) ->
                    isOfEndpoint(head) ? read(head.status(), body) : strange(head.status());
            case WholeCall.Outcome.Failed(var _, int status, String why) ->
                    status == 0 || isSaying(status) ? unavailable(why) : strange(status);
        };
    }

    private static Outcome strange(int status) {
        return unavailable("status-" + status);
    }

    private static Outcome unavailable(String why) {
        return new Outcome.Unavailable(why);
    }

    private static boolean isSaying(int status) {
        return status == 200 || REFUSALS.contains(status);
    }

    private static boolean isOfEndpoint(AnswerHead head) {
        return isSaying(head.status())
                && head.one("content-type").filter(TokenCall::isJson).isPresent()
                && head.values("content-encoding").isEmpty();
    }

    private static boolean isJson(String type) {
        return type.split(";", 2)[0].trim().equalsIgnoreCase("application/json");
    }

    private static Outcome read(int status, byte[] body) {
        return status == 200 ? granted(body) : refused(status, body);
    }

    private static Outcome granted(byte[] whole) {
        try {
            return new Outcome.Granted(TokenAnswer.parse(whole, Instant.now()));
        } catch (BadTokenAnswerException _) {
            return unavailable("malformed");
        }
    }

    private static Outcome refused(int status, byte[] whole) {
        return TokenAnswer.error(whole)
                .<Outcome>map(error -> new Outcome.Refused(status, error))
                .orElseGet(() -> strange(status));
    }
}
