package dev.sallyport.policy;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// A constant that people write as a word: its name in lower case, with hyphens.
public interface Word {
    String name();

    default String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /// What a person means by this word.
    static <E extends Enum<E> & Word> Optional<E> of(Class<E> type, String label) {
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> constant.label().equals(label))
                .findFirst();
    }
}
