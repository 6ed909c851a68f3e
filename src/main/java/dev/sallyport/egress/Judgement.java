package dev.sallyport.egress;

import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.UrlPath;
import java.util.Optional;

/// What came of looking at one request.
sealed interface Judgement {
    /// It is not made.
    ///
    /// @param permit absent when the host itself is not allowed any more
    /// @param rule what of the permit's rules is against it, if that is one of many
    record Denied(Refusal reason, Optional<EgressPermit> permit, Optional<String> rule)
            implements Judgement {
        Denied(Refusal reason, Optional<EgressPermit> permit) {
            this(reason, permit, Optional.empty());
        }
    }

    /// It may be made, from these parts.
    ///
    /// @param query without a parameter that is injected
    /// @param learned whether it passes only because the session learns
    /// @param approval the question that a person said yes to; empty when nobody was asked
    record Allowed(
            EgressPermit permit, UrlPath path, WebQuery query, boolean learned, String approval)
            implements Judgement {
        Allowed(EgressPermit permit, UrlPath path, WebQuery query, boolean learned) {
            this(permit, path, query, learned, "");
        }

        Allowed approved(String question) {
            return new Allowed(permit, path, query, learned, question);
        }

        /// Whether a person has to say yes first.
        boolean asks() {
            return permit.asks();
        }

        String target() {
            return query.text().isEmpty() ? path.toString() : path + "?" + query.text();
        }
    }
}
