package dev.sallyport.policy;

import java.util.List;

/// A path in the forms in which [PathPattern]s look at it: they are made once, however many
/// patterns there are.
public final class PathName {
    private final List<String> exact;
    private final List<List<String>> loose;

    private PathName(List<String> exact) {
        this.exact = exact;
        this.loose = LooseForm.readings(exact);
    }

    public static PathName of(String path) {
        return new PathName(List.of(path.split("/", -1)));
    }

    /// Its components.
    List<String> exact() {
        return exact;
    }

    /// All that some file system may take it for.
    List<List<String>> loose() {
        return loose;
    }
}
