package dev.sallyport.forge.graphql;

import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.Refusal;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What becomes of a query.
public sealed interface Verdict {
    /// HTTP 403 with this message, and not a byte upstream. The message says what was refused in
    /// words of ours, with names from the query in it.
    record Denied(Refusal refusal, String message) implements Verdict {}

    /// The gateway answers alone, with status 200.
    ///
    /// @param withheld what was asked for and is not granted, for the record
    @SuppressWarnings("ArrayRecordComponent")
    record Answered(byte[] json, List<String> withheld) implements Verdict {
        public Answered {
            withheld = List.copyOf(withheld);
        }
    }

    /// Place these ids ([PlacingQuestion]), then judge again.
    record AskFirst(Set<String> nodeIds) implements Verdict {
        public AskFirst {
            nodeIds = Set.copyOf(nodeIds);
        }
    }

    /// Send this body, printed anew, and shape the answer.
    ///
    /// @param uses what it does; each was allowed, and each is recorded
    /// @param withheld what was asked for, is not granted and was left out, for the record
    @SuppressWarnings("ArrayRecordComponent")
    record Forward(byte[] body, List<Use> uses, List<String> withheld, Shaping shaping)
            implements Verdict {
        public Forward {
            uses = List.copyOf(uses);
            withheld = List.copyOf(withheld);
        }
    }

    /// One kind of thing that a query does in one repository.
    ///
    /// @param change what is written; empty for reads. A document has at most one.
    record Use(ApiOperation operation, RepositoryView repository, Optional<Change> change) {}
}
