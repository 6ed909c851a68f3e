package dev.sallyport.forge;

import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Refusal;
import java.util.Map;

/// What becomes of a request to the REST API.
public sealed interface RestVerdict {
    /// For the record: at most 16 entries, whose values are short and made of judged parts.
    Map<String, String> detail();

    /// Nothing goes upstream.
    ///
    /// @param message what the client shows to its user
    /// @param hidden whether the answer is the one for a repository that does not exist (404, `Not
    ///   Found`) instead of 403 with the message
    record Denied(Refusal reason, String message, boolean hidden, Map<String, String> detail)
            implements RestVerdict {
        public Denied {
            detail = Map.copyOf(detail);
        }

        static Denied of(Objection objection, Map<String, String> detail) {
            return new Denied(objection.reason(), objection.message(), false, detail);
        }
    }

    /// The gateway answers alone.
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares verdicts.
    record Answered(int status, byte[] json, Map<String, String> detail) implements RestVerdict {
        public Answered {
            detail = Map.copyOf(detail);
        }
    }

    /// The door must first ask upstream what this number is ([Facts#number]), then have the request
    /// judged again. When that is asked for a second time, the request is [#NOT_FOUND].
    ///
    /// @param permit one that the request would need; good for this question
    record NeedsNumber(ApiPermit permit, long number, Map<String, String> detail)
            implements RestVerdict {
        public NeedsNumber {
            detail = Map.copyOf(detail);
        }
    }

    /// The door must first ask upstream which pull request this comment on a line is of
    /// ([Facts#commented]), then have the request judged again.
    ///
    /// @param permit as above
    record NeedsComment(ApiPermit permit, long comment, Map<String, String> detail)
            implements RestVerdict {
        public NeedsComment {
            detail = Map.copyOf(detail);
        }
    }

    /// The door may ask upstream for the ids of granted repositories ([Facts#repository]), then
    /// have the request judged again. When that is asked for a second time, the request is
    /// [#NOT_FOUND].
    record NeedsRepository(long id, Map<String, String> detail) implements RestVerdict {
        public NeedsRepository {
            detail = Map.copyOf(detail);
        }
    }

    /// The door must first ask upstream for the id of this repository ([Facts#id]), then have the
    /// request judged again. When that is asked for a second time, the request is [#NOT_FOUND].
    ///
    /// @param permit one that the request would need; good for this question
    record NeedsId(ApiPermit permit, Map<String, String> detail) implements RestVerdict {
        public NeedsId {
            detail = Map.copyOf(detail);
        }
    }

    /// Goes upstream as it stands here; no byte is the sandbox's own.
    ///
    /// @param target path and query as the API's host takes them, with the root of the API
    /// @param fields `accept`, `content-type`, the version of the API
    /// @param body empty when there is none
    @SuppressWarnings("ArrayRecordComponent") // Nobody compares verdicts.
    record Forward(
            ApiPermit permit,
            String method,
            String target,
            Map<String, String> fields,
            byte[] body,
            AnswerTreatment treatment,
            Map<String, String> detail)
            implements RestVerdict {
        public Forward {
            fields = Map.copyOf(fields);
            detail = Map.copyOf(detail);
        }
    }

    /// The one answer for a repository that is foreign, missing or renamed.
    Denied NOT_FOUND = new Denied(Refusal.REPO_UNAVAILABLE, "Not Found", true, Map.of());
}
