package dev.sallyport.forge;

import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.upstream.ApiOrder;
import java.util.List;
import java.util.Map;

/// What becomes of a request to the API, whichever of its two wires it uses.
@SuppressWarnings("ArrayRecordComponent") // Nobody compares rulings.
sealed interface Ruling {
    /// Nothing goes upstream.
    ///
    /// @param message what the client shows to its user, without a full stop
    /// @param hidden whether the answer is the one for a repository that does not exist
    /// @param detail for the record
    record Denied(Refusal reason, String message, boolean hidden, Map<String, String> detail)
            implements Ruling {
        /// The one answer for what is foreign, missing or renamed.
        static Denied notFound(Map<String, String> detail) {
            return new Denied(Refusal.REPO_UNAVAILABLE, "Not Found", true, detail);
        }

        /// With the sentence that every wire has for it.
        static Denied of(Refusal reason) {
            return new Denied(reason, reason.sentence(), false, Map.of());
        }
    }

    /// The gateway answers alone.
    record Answered(int status, byte[] json, Map<String, String> detail) implements Ruling {}

    /// Something must be known first.
    record Ask(Question question) implements Ruling {}

    /// It goes upstream.
    ///
    /// @param body what the order announces
    /// @param relies on what it was permitted
    /// @param shape what happens to a whole answer
    record Send(
            ApiOrder order,
            byte[] body,
            List<ApiPermit> relies,
            AnswerTreatment treatment,
            Shape shape,
            Map<String, String> detail)
            implements Ruling {
        boolean isWrite() {
            return relies.stream().anyMatch(permit -> permit.operation().isWrite());
        }
    }

    /// Makes of a whole answer of upstream what the sandbox gets. Work for a processor.
    interface Shape {
        Shaped of(int status, byte[] answer);
    }

    /// What the sandbox gets.
    sealed interface Shaped {
        record Clean(byte[] json) implements Shaped {}

        /// It is about another repository than the one that was granted.
        record Foreign() implements Shaped {}

        /// It is not what was asked for.
        record Unfit() implements Shaped {}

        /// It is an error that is told in our words.
        record Failed() implements Shaped {}
    }
}
