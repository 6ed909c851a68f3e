package dev.sallyport.proof;

import java.util.List;

/// What the warden says about the values of the session's secrets, which only it may know.
///
/// @param secrets names of those that it looked for
/// @param skipped names of those too short to be looked for
/// @param places how many environments, command lines and files it searched
/// @param found what it found where, and what it could not search
public record Searched(List<String> secrets, List<String> skipped, int places, List<String> found) {
    public Searched {
        secrets = List.copyOf(secrets);
        skipped = List.copyOf(skipped);
        found = List.copyOf(found);
    }

    Row row() {
        String probe = "values of the " + secrets.size() + " secrets that it may use";
        String expected = "in no environment, command line or Sallyport file";
        if (!found.isEmpty()) {
            return Row.of(probe, expected, false, String.join("; ", found));
        }
        if (!skipped.isEmpty()) {
            return Row.notProbed(probe, expected, "too short: " + String.join(" ", skipped));
        }
        return Row.of(probe, expected, places > 0, "none in " + places);
    }
}
