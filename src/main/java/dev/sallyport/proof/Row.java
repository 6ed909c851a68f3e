package dev.sallyport.proof;

/// One line of the proof table.
///
/// @param probe what was tried
/// @param expected what must be seen for the sandbox to be isolated
/// @param seen what was seen
public record Row(String probe, String expected, String seen, Outcome outcome) {

    /// What a probe has shown.
    public enum Outcome {
        PASS,
        FAIL,
        /// The sandbox has no program to try it with, or we may not look; nothing is shown.
        NOT_PROBED
    }

    static Row of(String probe, String expected, boolean holds, String seen) {
        return new Row(probe, expected, seen, holds ? Outcome.PASS : Outcome.FAIL);
    }

    static Row notProbed(String probe, String expected, String why) {
        return new Row(probe, expected, "not probed: " + why, Outcome.NOT_PROBED);
    }
}
