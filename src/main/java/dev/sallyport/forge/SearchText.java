package dev.sallyport.forge;

import dev.sallyport.policy.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What is searched for among issues and pull requests: words, `name:value`, and one repository.
/// Scopes add up when there are several, and operators and brackets can set one aside, so only what
/// narrows a search passes, as in queries; the text is written anew with its repository in front.
/// Every result is checked as well ([AnswerScrubber]), but how many there are is told by the host.
///
/// @param words all but the repository
record SearchText(String owner, String name, List<String> words) {
    private static final int WORDS_MAX = 40;
    private static final Pattern WORD =
            Pattern.compile("\\G\\s*+((?:[^\\s\"]|\"[^\"]*+\")++)(?:\\s++|$)");
    private static final Pattern REPOSITORY =
            Pattern.compile("(?i)repo:\"?([A-Za-z0-9_.-]+)/([A-Za-z0-9_.-]+)\"?");

    static SearchText parse(String text) throws ObjectionException {
        List<String> words = new ArrayList<>();
        Optional<Matcher> repository = Optional.empty();
        for (String word : split(text)) {
            Matcher named = REPOSITORY.matcher(word);
            if (named.matches() && repository.isEmpty()) {
                repository = Optional.of(named);
            } else {
                words.add(judged(word));
            }
        }
        if (repository.isEmpty() || words.size() > WORDS_MAX) {
            throw bad("a search names one repository, as in repo:OWNER/NAME, and has few words");
        }
        return new SearchText(repository.get().group(1), repository.get().group(2), words);
    }

    private static List<String> split(String text) throws ObjectionException {
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(text);
        int end = 0;
        while (matcher.find()) {
            words.add(matcher.group(1));
            end = matcher.end();
        }
        if (!text.substring(end).isBlank()) {
            throw bad("the quotes of the search are not closed");
        }
        return words;
    }

    private static String judged(String word) throws ObjectionException {
        return dev.sallyport.forge.graphql.SearchText.narrowing(word)
                .orElseThrow(
                        () ->
                                bad(
                                        "a search has words and one repo:OWNER/NAME, but no other"
                                                + " scope, no operator and no brackets;"
                                                + " to list pull requests, use gh pr list"));
    }

    private static ObjectionException bad(String message) {
        return new ObjectionException(Refusal.BAD_REQUEST, message);
    }

    /// As it goes upstream.
    ///
    /// @param granted owner and name as they are granted
    String text(String granted) {
        return ("repo:" + granted + " " + String.join(" ", words)).strip();
    }
}
