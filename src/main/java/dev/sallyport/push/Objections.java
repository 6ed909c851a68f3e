package dev.sallyport.push;

import dev.sallyport.policy.RefName;
import dev.sallyport.policy.Refusal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The objections to each ref of a push, as many as somebody would read.
final class Objections {
    private static final int PER_REF_MAX = 10;

    private final Map<RefName, List<Objection>> byRef = new LinkedHashMap<>();

    void add(RefName ref, Refusal reason, String detail) {
        List<Objection> here = byRef.computeIfAbsent(ref, _ -> new ArrayList<>());
        if (here.size() < PER_REF_MAX) {
            here.add(new Objection(ref, reason, detail));
        }
    }

    boolean isEmpty() {
        return byRef.isEmpty();
    }

    boolean isFull(RefName ref) {
        return byRef.getOrDefault(ref, List.of()).size() >= PER_REF_MAX;
    }

    Verdict.Refused refusal() {
        return new Verdict.Refused(byRef.values().stream().flatMap(List::stream).toList());
    }
}
