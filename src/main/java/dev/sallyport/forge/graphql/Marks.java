package dev.sallyport.forge.graphql;

import graphql.language.OperationDefinition;
import graphql.language.Selection;
import graphql.parser.Parser;
import java.util.List;

/// Fields that we add to a query and take out of its answer, each under a name that no client can
/// use: they say which repository an object belongs to, whatever the client asked for.
final class Marks {
    static final String TYPE = Expansion.OURS + "type";
    static final String NAME = Expansion.OURS + "name";
    static final String NUMBER = Expansion.OURS + "number";
    static final String REPOSITORY = Expansion.OURS + "repository";
    static final String HEAD = Expansion.OURS + "head";
    static final String PULL = Expansion.OURS + "pull";
    static final String FROM = Expansion.OURS + "from";
    static final String LOGIN = Expansion.OURS + "login";
    static final String FOUND = Expansion.OURS + "found";

    /// What a repository says of itself, and what belongs to one says of it.
    static final String WHOLE = "%s: nameWithOwner %s: databaseId".formatted(NAME, NUMBER);

    static final String OWNED = "%s: repository { %s }".formatted(REPOSITORY, WHOLE);

    /// What a pull request says besides, since writes to it depend on where its branch is.
    static final String PULL_REQUEST =
            "%s %s: headRefName %s: headRepository { %s }".formatted(OWNED, HEAD, FROM, WHOLE);

    static final List<Selection<?>> ABSTRACT = parse("%s: __typename".formatted(TYPE));
    private static final List<Selection<?>> OF_REPOSITORY = parse(WHOLE);
    private static final List<Selection<?>> OF_ISSUE = parse(OWNED);
    private static final List<Selection<?>> OF_PULL_REQUEST = parse(PULL_REQUEST);
    private static final List<Selection<?>> OF_PERSON = parse("%s: login".formatted(LOGIN));

    /// All that a search found, also if the client asks only how much that is.
    private static final List<Selection<?>> OF_SEARCH =
            parse(
                    "%s: nodes { %s: __typename ... on Issue { %s } ... on PullRequest { %s } }"
                            .formatted(FOUND, TYPE, OWNED, OWNED));

    private Marks() {}

    /// @param type GitHub's name of it
    /// @param named whether the client asks for the id, which is then worth to be learned
    static List<Selection<?>> of(String type, boolean named) {
        return switch (type) {
            case "Repository" -> OF_REPOSITORY;
            case "Issue" -> OF_ISSUE;
            case "PullRequest" -> named ? OF_PULL_REQUEST : OF_ISSUE;
            case "User", "Bot" -> named ? OF_PERSON : List.of();
            case "SearchResultItemConnection" -> OF_SEARCH;
            default -> List.of();
        };
    }

    /// Whether objects of this type say which repository they belong to, and are checked by it.
    static boolean isOwned(String type) {
        return switch (type) {
            case "Repository", "Issue", "PullRequest" -> true;
            default -> false;
        };
    }

    private static List<Selection<?>> parse(String selections) {
        OperationDefinition operation =
                (OperationDefinition)
                        Parser.parse("{ " + selections + " }").getDefinitions().getFirst();
        return operation.getSelectionSet().getSelections().stream()
                .<Selection<?>>map(selection -> selection)
                .toList();
    }
}
