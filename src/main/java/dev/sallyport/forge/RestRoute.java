package dev.sallyport.forge;

import dev.sallyport.policy.ApiOperation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// One operation of the REST API that can be allowed: one line of [RestTable].
public final class RestRoute {
    private final String method;
    private final String template;
    private final List<PathPart> parts;
    private final ApiOperation operation;
    private final Optional<ApiOperation> otherwise;
    private final boolean own;
    private final Set<RestMedia> media;
    private final Optional<RestBody> body;
    private final Set<String> parameters;

    /// A path that fits.
    ///
    /// @param path below the repository, as it goes upstream
    /// @param number the first one in it
    /// @param comment the one that is replied to
    record Match(RestRoute route, String path, Optional<Long> number, Optional<Long> comment) {}

    /// @param line method, path and operation, then in any order `own`, kinds of media,
    ///   `body=KIND`, and names of parameters, each after a question mark
    RestRoute(String line) {
        String[] words = line.strip().split("\\s+");
        List<String> rest = Arrays.asList(words).subList(3, words.length);
        String[] operations = words[2].split("\\|");
        this.method = words[0];
        this.template = words[1];
        this.parts = Arrays.stream(words[1].split("/")).skip(1).map(PathPart::of).toList();
        this.operation = operation(operations[0]);
        this.otherwise = Arrays.stream(operations).skip(1).map(RestRoute::operation).findFirst();
        this.own = rest.contains("own");
        this.media = RestMedia.in(rest);
        this.body = rest.stream().filter(w -> w.startsWith("body=")).map(RestBody::of).findFirst();
        this.parameters = RestQuery.parametersIn(rest);
    }

    private static ApiOperation operation(String label) {
        return ApiOperation.valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    String method() {
        return method;
    }

    /// As the table has it: `R` stands for the repository.
    public String template() {
        return template;
    }

    /// What it is; with a number that may be a pull request's or an issue's, what it is for a pull
    /// request.
    public ApiOperation operation() {
        return operation;
    }

    /// What it is when the number is no pull request's, if that can be allowed.
    Optional<ApiOperation> otherwise() {
        return otherwise;
    }

    /// Whether it changes a pull request, whose head must be this session's.
    boolean isForOwnPulls() {
        return own;
    }

    /// What can be asked for; the first one is what is meant by default.
    Set<RestMedia> media() {
        return media;
    }

    Optional<RestBody> body() {
        return body;
    }

    /// Of the query.
    Set<String> parameters() {
        return parameters;
    }

    /// @param segments below the repository
    Optional<Match> match(String asked, List<String> segments) {
        if (!method.equals(asked) || segments.size() < parts.size()) {
            return Optional.empty();
        }
        List<String> path = new ArrayList<>();
        Optional<Long> number = Optional.empty();
        Optional<Long> comment = Optional.empty();
        int at = 0;
        for (PathPart part : parts) {
            Optional<String> taken = part.take(segments.subList(at, segments.size()));
            if (taken.isEmpty()) {
                return Optional.empty();
            }
            path.add(part.escaped(taken.get()));
            at = part.takesRest() ? segments.size() : at + 1;
            number = number.isPresent() ? number : part.number(PathPart.Kind.NUMBER, taken.get());
            comment =
                    comment.isPresent() ? comment : part.number(PathPart.Kind.COMMENT, taken.get());
        }
        return at == segments.size()
                ? Optional.of(new Match(this, String.join("/", path), number, comment))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return method + " " + template;
    }
}
