package dev.sallyport.push;

import java.util.List;

/// What came of judging a push. There is no third case: whatever could not be judged is refused.
public sealed interface Verdict {
    /// It may go upstream.
    ///
    /// @param warnings lines of printable text for whoever pushed
    /// @param pointers to large files, of which upstream must have the objects
    /// @param touched which paths that a person is asked about are changed, and where
    record Accepted(List<String> warnings, List<LfsPointer> pointers, List<String> touched)
            implements Verdict {
        public Accepted {
            touched = List.copyOf(touched);
            warnings = List.copyOf(warnings);
            pointers = List.copyOf(pointers);
        }

        /// One without large files.
        public Accepted(List<String> warnings) {
            this(warnings, List.of(), List.of());
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
