package dev.sallyport.push;

import dev.sallyport.policy.Refusal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.lib.ObjectId;

/// What was found wrong, by the commit or tag that it was found in. Bounded: who made thousands of
/// mistakes is told of the first.
final class Findings {
    private static final int TOTAL_MAX = 1_000;
    private static final int PER_OBJECT_MAX = 10;

    /// One thing that is wrong.
    record Finding(Refusal reason, String detail) {}

    private static final int TOUCHED_MAX = 10;

    private final List<String> touched = new ArrayList<>();
    private final Map<ObjectId, List<Finding>> byObject = new HashMap<>();
    private int total;

    void add(ObjectId object, Refusal reason, String detail) {
        List<Finding> here = byObject.computeIfAbsent(object, _ -> new ArrayList<>());
        if (here.size() < PER_OBJECT_MAX) {
            here.add(new Finding(reason, detail));
            total++;
        }
    }

    /// A path is changed that a person is asked about, which is nothing wrong.
    void touch(String detail) {
        if (touched.size() < TOUCHED_MAX) {
            touched.add(detail);
        }
    }

    List<String> touched() {
        return touched;
    }

    boolean isEmpty() {
        return byObject.isEmpty();
    }

    boolean isFull() {
        return total >= TOTAL_MAX;
    }

    List<Finding> of(ObjectId object) {
        return byObject.getOrDefault(object, List.of());
    }
}
