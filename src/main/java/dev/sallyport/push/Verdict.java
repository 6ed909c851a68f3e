package dev.sallyport.push;

import java.util.List;

/// What came of judging a push. There is no third case: whatever could not be judged is refused.
public sealed interface Verdict {
    /// It may go upstream.
    ///
    /// @param warnings lines of printable text for whoever pushed
    record Accepted(List<String> warnings) implements Verdict {
        public Accepted {
            warnings = List.copyOf(warnings);
        }
    }

    /// Nothing of it goes upstream.
    ///
    /// @param objections at least one
    record Refused(List<Objection> objections) implements Verdict {
        public Refused {
            objections = List.copyOf(objections);
            if (objections.isEmpty()) {
                throw new IllegalArgumentException("a refusal says why");
            }
        }
    }
}
