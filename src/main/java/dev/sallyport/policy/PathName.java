package dev.sallyport.policy;

import java.util.List;

/// A path in the forms in which [PathPattern]s look at it: they are made once, however many
/// patterns there are.
///
/// @param exact its components
/// @param loose all that a careless file system may take it for
public record PathName(List<String> exact, List<List<String>> loose) {
    public static PathName of(String path) {
        List<String> exact = List.of(path.split("/", -1));
        return new PathName(exact, LooseForm.readings(exact));
    }
}
