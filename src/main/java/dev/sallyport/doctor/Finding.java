package dev.sallyport.doctor;

/// One thing that was looked at, and how it stands.
///
/// @param subject what was looked at
/// @param seen what was found
/// @param remedy what to do; empty when nothing is
public record Finding(String subject, Level level, String seen, String remedy) {

    /// How bad it is.
    public enum Level {
        OK,
        /// Something works less well, or only for some.
        WARN,
        /// Something that Sallyport needs or relies on does not hold.
        FAIL
    }

    static Finding ok(String subject, String seen) {
        return new Finding(subject, Level.OK, seen, "");
    }

    static Finding warn(String subject, String seen, String remedy) {
        return new Finding(subject, Level.WARN, seen, remedy);
    }

    static Finding fail(String subject, String seen, String remedy) {
        return new Finding(subject, Level.FAIL, seen, remedy);
    }
}
