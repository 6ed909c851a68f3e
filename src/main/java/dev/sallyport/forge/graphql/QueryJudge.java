package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SessionId;
import graphql.language.Document;
import graphql.language.OperationDefinition;
import graphql.validation.OperationValidationRule;
import graphql.validation.ValidationError;
import graphql.validation.Validator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/// Judges GraphQL queries for the API of GitHub (G22). Pure: work on the caller's thread that the
/// length of the body bounds (`limits: api: request-bytes-max`, which the door holds), no I/O, and
/// no exception for whatever a client sends.
///
/// A query is read against a schema of ours, fragments and variables are put in place, each leaf
/// needs a right in the repository that it is read from, and what is sent is printed from the
/// result. Objects that say which repository they belong to are made to say so in the answer, where
/// [Shaping] takes out what is not granted.
public final class QueryJudge {
    /// Held by others. What can be selected under one name is [Picks]' to say: GitHub takes
    /// documents of gh that the language's own rule would not (`state` of issues and pull
    /// requests). Questions about the schema are counted in [QueryRoots].
    private static final Set<OperationValidationRule> OTHERS =
            EnumSet.of(
                    OperationValidationRule.OVERLAPPING_FIELDS_CAN_BE_MERGED,
                    OperationValidationRule.GOOD_FAITH_INTROSPECTION);

    private final GithubSchema schema = GithubSchema.load();
    private final ReadDocuments read;

    public QueryJudge() {
        this(new ReadDocuments());
    }

    QueryJudge(ReadDocuments read) {
        this.read = read;
    }

    /// Judges one query.
    ///
    /// @param session whose it is
    public Verdict judge(SessionId session, byte[] body, Rights rights) {
        try {
            QueryRequest request = QueryRequest.parse(body, text -> read.known(session, text));
            return judged(session, request, new Judging(schema, rights));
        } catch (RefusedQueryException e) {
            return e.denied();
        } catch (RuntimeException | StackOverflowError _) {
            // Of the library or of ours: a query that nobody understands is not sent.
            return new Verdict.Denied(Refusal.BAD_REQUEST, "the query could not be read");
        }
    }

    private Verdict judged(SessionId session, QueryRequest request, Judging judging)
            throws RefusedQueryException {
        Picks root = Expansion.of(schema, request);
        if (read.known(session, request.text()).isEmpty()) {
            validate(request);
            read.keep(session, request.text(), request.document());
        }
        Plan plan =
                request.operation().getOperation() == OperationDefinition.Operation.MUTATION
                        ? judging.mutation(root)
                        : judging.query(root);
        if (!judging.unplaced().isEmpty()) {
            return new Verdict.AskFirst(judging.unplaced());
        }
        AnswerShaping shaping = new AnswerShaping(plan, schema, judging.rights());
        List<Pick> sent = plan.sent().stream().map(Plan.There::pick).toList();
        if (sent.isEmpty()) {
            ObjectNode answer = shaping.alone();
            return new Verdict.Answered(Json.JSON.bytes(answer), judging.withheld());
        }
        byte[] body = QueryPrinter.print(schema, request.operation(), sent).body();
        return new Verdict.Forward(body, judging.uses(), judging.withheld(), shaping);
    }

    /// The rules of the language itself, such as the types of variables, by the library.
    /// Afterwards, because the expansion has found the document to be of a bounded size.
    private void validate(QueryRequest request) throws RefusedQueryException {
        List<ValidationError> errors =
                new Validator()
                        .validateDocument(
                                schema.types(),
                                request.document(),
                                rule -> !OTHERS.contains(rule),
                                Locale.ROOT);
        if (!errors.isEmpty()) {
            throw RefusedQueryException.malformed(
                    "the query is not valid: " + errors.getFirst().getDescription());
        }
    }

    /// Documents that were read and found valid. A client sends the same one again and again, with
    /// other variables beside it, and reading it takes longer than judging it. Nothing that was
    /// judged is kept here: rights, variables and places are looked at each time.
    ///
    /// Each session has its own, so that no sandbox can find out from the time of an answer what
    /// another one has asked; how many others have is not hidden. The tree of a document takes many
    /// times the memory of its text, so few are kept for all sessions together, those that were
    /// used last, and no long ones.
    static final class ReadDocuments {
        static final int DOCUMENTS_MAX = 32;
        static final int CHARACTERS_MAX = 8_192;

        private final SequencedMap<Key, Document> known = new LinkedHashMap<>(16, 0.75f, true);

        private record Key(SessionId session, String query) {}

        synchronized Optional<Document> known(SessionId session, String query) {
            return Optional.ofNullable(known.get(new Key(session, query)));
        }

        synchronized void keep(SessionId session, String query, Document valid) {
            if (query.length() > CHARACTERS_MAX) {
                return;
            }
            known.put(new Key(session, query), valid);
            if (known.size() > DOCUMENTS_MAX) {
                known.pollFirstEntry();
            }
        }

        synchronized int size() {
            return known.size();
        }
    }
}
