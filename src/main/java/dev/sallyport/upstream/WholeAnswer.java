package dev.sallyport.upstream;

import dev.sallyport.credential.CredentialBook;
import io.netty.channel.EventLoop;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/// One question of our own to a host besides git, and the whole answer: nothing of a sandbox's is
/// in it, and little is expected. Bounded in bytes and time; no redirect is followed, because an
/// answer with one is like any other.
public final class WholeAnswer {
    private static final int SECONDS_MAX = 30;

    /// What came of it.
    public sealed interface Outcome {
        /// The host has answered, whatever that means.
        ///
        /// @param json the body, if it is one of JSON and not encoded; whoever has it wipes it
        record Answered(int status, Optional<byte[]> json) implements Outcome {}

        /// There is no answer that could be read.
        ///
        /// @param why for the record
        record Unanswered(String why) implements Outcome {}
    }

    private WholeAnswer() {}

    /// Never fails.
    ///
    /// @param question the body that the order announces; taken over and wiped
    /// @param bytesMax of the answer's body; 0 reads none
    public static CompletableFuture<Outcome> of(
            Client client,
            EventLoop loop,
            WebOrder order,
            CredentialBook credentials,
            byte[] question,
            int bytesMax) {
        Predicate<AnswerHead> read = head -> bytesMax > 0 && isJson(head);
        return WholeCall.ask(
                client,
                loop,
                order,
                credentials,
                question,
                new WholeCall.Terms(bytesMax, SECONDS_MAX, Room.of(bytesMax), read),
                told -> outcome(told, read));
    }

    private static Outcome outcome(WholeCall.Outcome told, Predicate<AnswerHead> read) {
        return switch (told) {
            case WholeCall.Outcome.Answered(AnswerHead head, byte[] body) ->
                    new Outcome.Answered(
                            head.status(),
                            Optional.of(body).filter(_ -> read.test(head)).map(byte[]::clone));
            case WholeCall.Outcome.Failed(var _, var _, String why) -> new Outcome.Unanswered(why);
        };
    }

    private static boolean isJson(AnswerHead head) {
        return head.one("content-type").filter(WholeAnswer::isJson).isPresent()
                && head.values("content-encoding").isEmpty();
    }

    private static boolean isJson(String type) {
        return type.split(";", 2)[0].trim().equalsIgnoreCase("application/json");
    }
}
