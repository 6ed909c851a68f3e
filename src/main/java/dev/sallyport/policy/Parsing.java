package dev.sallyport.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Makes a name, a rule or the like of what was written.
public interface Parsing<S, T> {
    T parse(S written) throws MalformedNameException;

    /// Empty for what is malformed.
    static <S, T> Optional<T> attempt(S written, Parsing<S, T> parsing) {
        try {
            return Optional.of(parsing.parse(written));
        } catch (MalformedNameException _) {
            return Optional.empty();
        }
    }

    /// What the program itself has written.
    static <S, T> T known(S written, Parsing<S, T> parsing) {
        try {
            return parsing.parse(written);
        } catch (MalformedNameException e) {
            throw new AssertionError(e);
        }
    }

    /// All of them, in their order.
    static <S, T> List<T> all(List<S> written, Parsing<S, T> parsing)
            throws MalformedNameException {
        List<T> parsed = new ArrayList<>();
        for (S each : written) {
            parsed.add(parsing.parse(each));
        }
        return parsed;
    }
}
