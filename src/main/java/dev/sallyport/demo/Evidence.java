package dev.sallyport.demo;

import java.util.ArrayList;
import java.util.List;

/// Collects what must hold for one claim; the first thing that does not becomes the evidence
/// against it.
final class Evidence {
    private final List<String> seen = new ArrayList<>();
    private final List<String> against = new ArrayList<>();

    /// Something that must hold, and how it is told.
    Evidence require(boolean holds, String told) {
        if (holds) {
            seen.add(told);
        } else {
            against.add("not: " + told);
        }
        return this;
    }

    /// Something that must hold but is only worth telling when it does not.
    Evidence check(boolean holds, String otherwise) {
        if (!holds) {
            against.add(otherwise);
        }
        return this;
    }

    Claim claim(String text) {
        return against.isEmpty()
                ? new Claim(text, true, String.join("; ", seen))
                : new Claim(text, false, String.join("; ", against));
    }
}
