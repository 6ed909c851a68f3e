package dev.sallyport.proof;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What the probes said from inside, by part.
///
/// @param parts raw bytes as ISO 8859-1
record Testimony(Map<String, String> parts) {
    Testimony {
        parts = Map.copyOf(parts);
    }

    static Testimony parse(String mark, String said) {
        Map<String, String> parts = new HashMap<>();
        String[] pieces = said.split("\n" + mark + " ", -1);
        for (int i = 1; i < pieces.length; i++) {
            int end = pieces[i].indexOf('\n');
            if (end > 0) {
                parts.putIfAbsent(pieces[i].substring(0, end), pieces[i].substring(end + 1));
            }
        }
        return new Testimony(parts);
    }

    boolean isComplete() {
        return parts.containsKey("end");
    }

    /// Empty when the sandbox has nothing to try it with.
    Optional<String> part(String name) {
        return Optional.ofNullable(parts.get(name));
    }

    String text(String name) {
        return parts.getOrDefault(name, "");
    }

    List<String> lines(String name) {
        return text(name).lines().filter(line -> !line.isBlank()).toList();
    }

    /// Value of a line such as `Seccomp: 2`.
    Optional<String> field(String name, String field) {
        return lines(name).stream()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1).strip())
                .findFirst();
    }
}
