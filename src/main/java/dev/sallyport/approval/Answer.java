package dev.sallyport.approval;

/// What a person said to a question.
///
/// @param digest of the question that the person was shown
/// @param who the person's account or name
/// @param how by which means, such as `cli`, `watch` or `page`
/// @param note for those inside; may be empty
public record Answer(boolean yes, String digest, String who, String how, String note) {
    public static final int WORD_CHARACTERS_MAX = 64;
    public static final int NOTE_CHARACTERS_MAX = 300;

    public Answer {
        if (who.isBlank() || who.length() > WORD_CHARACTERS_MAX) {
            throw new IllegalArgumentException("who answers has at most 64 characters");
        }
        if (how.isBlank() || how.length() > WORD_CHARACTERS_MAX) {
            throw new IllegalArgumentException("how it is answered has at most 64 characters");
        }
        if (note.length() > NOTE_CHARACTERS_MAX || !note.chars().allMatch(Answer::isShown)) {
            throw new IllegalArgumentException("a note is one line of at most 300 characters");
        }
    }

    /// It is printed in a sandbox's terminal.
    private static boolean isShown(int character) {
        return !Character.isISOControl(character);
    }

    public Outcome outcome() {
        return yes ? Outcome.YES : Outcome.NO;
    }
}
