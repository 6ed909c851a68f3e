package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.policy.ApiOperation;
import graphql.schema.GraphQLArgument;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// One judgement: asks for the right to read each leaf, finds out where ids lie, and collects what
/// the door has to know.
final class Judging {
    private static final int IDS_MAX = 100;
    private static final int ID_MAX_CHARS = 200;

    private final GithubSchema schema;
    private final Rights rights;
    private final Set<String> unplaced = new LinkedHashSet<>();
    private final Set<Verdict.Use> uses = new LinkedHashSet<>();
    private final List<String> withheld = new ArrayList<>();

    Judging(GithubSchema schema, Rights rights) {
        this.schema = schema;
        this.rights = rights;
    }

    GithubSchema schema() {
        return schema;
    }

    Rights rights() {
        return rights;
    }

    Set<String> unplaced() {
        return unplaced;
    }

    List<Verdict.Use> uses() {
        return List.copyOf(uses);
    }

    List<String> withheld() {
        return withheld;
    }

    void use(Verdict.Use use) {
        uses.add(use);
    }

    /// Notes for the record that something was answered as if it did not exist.
    void withhold(String what) {
        withheld.add(what);
    }

    /// Where an id lies, if that is known; else it is noted as a question.
    Optional<Placed> place(JsonNode id) throws RefusedQueryException {
        String text = id.textValue();
        boolean plain = text.chars().allMatch(c -> c > ' ' && c < 0x7f);
        if (text.isEmpty() || text.length() > ID_MAX_CHARS || !plain) {
            throw RefusedQueryException.malformed("this is no id of a node");
        }
        Optional<Placed> placed = rights.place(text);
        if (placed.isEmpty()) {
            unplaced.add(text);
        }
        if (unplaced.size() > IDS_MAX) {
            throw RefusedQueryException.malformed("at most %d ids at once".formatted(IDS_MAX));
        }
        return placed;
    }

    /// Whether it still is: what was learned may be older than the rights.
    boolean isGranted(RepositoryView repository) {
        return rights.repository(repository.name().owner(), repository.name().name()).isPresent();
    }

    /// Asks for everything that is read below a field.
    ///
    /// @param scope the repositories that it is read from
    /// @param operation what reading is, where a type does not say it
    void read(Picks picks, List<RepositoryView> scope, ApiOperation operation)
            throws RefusedQueryException {
        ApiOperation here = schema.allow(picks.type()).orElse(operation);
        for (Pick pick : picks.always()) {
            read(pick, scope, here);
        }
        for (Picks member : picks.cases().values()) {
            read(member, scope, here);
        }
    }

    /// What leads outside is not asked for here: whether it is granted is known only when the
    /// answer says which repository it is about ([AnswerShaping]).
    private void read(Pick pick, List<RepositoryView> scope, ApiOperation operation)
            throws RefusedQueryException {
        if (schema.isWithheld(pick.field()) || schema.isNarrow(pick.field())) {
            return;
        }
        for (GraphQLArgument argument : pick.field().getArguments()) {
            JsonNode value = pick.arguments().get(argument.getName());
            boolean names =
                    schema.meaning(argument).equals(Optional.of(GithubSchema.Meaning.PULL_REQUEST));
            if (names && value != null && !value.isNull()) {
                checkLiesIn(scope, value);
            }
        }
        if (pick.below().isPresent()) {
            read(pick.below().get(), scope, operation);
        } else if (!pick.name().equals("__typename")) {
            allow(scope, operation, pick);
        }
    }

    private void allow(List<RepositoryView> scope, ApiOperation operation, Pick pick)
            throws RefusedQueryException {
        for (RepositoryView repository : scope) {
            if (!rights.allows(repository, operation)) {
                throw RefusedQueryException.notAllowed(
                        "%s is %s, which is not allowed in %s"
                                .formatted(
                                        pick.name(),
                                        operation.label(),
                                        repository.nameWithOwner()));
            }
            uses.add(new Verdict.Use(operation, repository, Optional.empty()));
        }
    }

    private void checkLiesIn(List<RepositoryView> scope, JsonNode id) throws RefusedQueryException {
        Optional<Placed> placed = place(id);
        boolean there =
                placed.isEmpty()
                        || (placed.get() instanceof Placed.PullRequest pull
                                && scope.stream()
                                        .anyMatch(
                                                view ->
                                                        view.name()
                                                                .equals(pull.repository().name())));
        if (!there) {
            throw RefusedQueryException.notAllowed("this is no id of a pull request here");
        }
    }

    /// Ready when no id is left to be asked for.
    Plan query(Picks root) throws RefusedQueryException {
        Map<String, Plan.Root> roots = new LinkedHashMap<>();
        QueryRoots known = new QueryRoots(this);
        for (Pick pick : root.always()) {
            roots.put(pick.key(), known.root(pick));
        }
        return new Plan(roots);
    }

    /// One change in one document: several would run one after the other, also after one failed.
    Plan mutation(Picks root) throws RefusedQueryException {
        if (root.always().size() != 1) {
            throw RefusedQueryException.malformed("a document has one mutation only");
        }
        Pick mutation = root.always().iterator().next();
        Plan.Root answer =
                mutation.name().equals("__typename")
                        ? Plan.Here.of(Json.NODES.textNode("Mutation"))
                        : ChangeReading.judge(this, mutation);
        return new Plan(Map.of(mutation.key(), answer));
    }
}
