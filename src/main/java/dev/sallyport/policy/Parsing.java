package dev.sallyport.policy;

import java.util.ArrayList;
import java.util.List;

/// Makes a name, a rule or the like of what was written.
public interface Parsing<S, T> {
    T parse(S written) throws MalformedNameException;

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
