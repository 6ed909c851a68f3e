package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.Refusal;
import graphql.schema.GraphQLArgument;
import graphql.schema.GraphQLInputObjectField;
import graphql.schema.GraphQLInputObjectType;
import graphql.schema.GraphQLTypeUtil;
import java.util.ArrayList;
import java.util.HashMap;
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
                throw notAllowed(pick, operation, repository);
            }
            uses.add(new Verdict.Use(operation, repository, Optional.empty()));
        }
    }

    private static RefusedQueryException notAllowed(
            Pick pick, ApiOperation operation, RepositoryView repository) {
        return RefusedQueryException.notAllowed(
                "%s is %s, which is not allowed in %s"
                        .formatted(pick.name(), operation.label(), repository.nameWithOwner()));
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

    /// Makes a [Change] of a mutation: what the inputs mean is said in the schema, where ids lie is
    /// known to the session.
    static final class ChangeReading {
        private final Judging judging;
        private final GithubSchema schema;
        private final Pick mutation;
        private final ObjectNode input;
        private final Map<String, String> texts = new HashMap<>();
        private final List<String> reviewers = new ArrayList<>();
        private Optional<Placed> target = Optional.empty();
        private Optional<String> head = Optional.empty();
        private Optional<String> base = Optional.empty();
        private Optional<String> missing = Optional.empty();

        private ChangeReading(Judging judging, Pick mutation) {
            this.judging = judging;
            this.schema = judging.schema();
            this.mutation = mutation;
            this.input = mutation.argument("input").deepCopy();
        }

        /// The mutation as it is sent, after every question about it was answered with yes.
        static Plan.Root judge(Judging judging, Pick mutation) throws RefusedQueryException {
            ChangeReading reading = new ChangeReading(judging, mutation);
            reading.read();
            if (!judging.unplaced().isEmpty()) {
                return new Plan.There(mutation, List.of());
            }
            if (reading.missing.isPresent()) {
                String id = reading.missing.get();
                judging.withhold(id);
                return Plan.Here.notFound(mutation.key(), QueryRoots.noNode(id));
            }
            return reading.allowed();
        }

        private void read() throws RefusedQueryException {
            var type =
                    GraphQLTypeUtil.unwrapNonNull(mutation.field().getArgument("input").getType());
            for (GraphQLInputObjectField field :
                    ((GraphQLInputObjectType) type).getFieldDefinitions()) {
                Optional<GithubSchema.Meaning> meaning = schema.meaning(field);
                JsonNode value = input.path(field.getName());
                if (meaning.equals(Optional.of(GithubSchema.Meaning.ALWAYS_TRUE))) {
                    input.put(field.getName(), true);
                } else if (meaning.isPresent() && !value.isNull() && !value.isMissingNode()) {
                    read(field, meaning.get(), value);
                }
            }
        }

        private void read(
                GraphQLInputObjectField field, GithubSchema.Meaning meaning, JsonNode value)
                throws RefusedQueryException {
            switch (meaning) {
                case TARGET -> target(value, schema.meantType(field).orElseThrow());
                case HEAD -> head = Optional.of(value.textValue());
                case BASE -> base = Optional.of(value.textValue());
                case TEXT -> texts.put(field.getName(), value.textValue());
                case REVIEWERS -> value.forEach(login -> reviewers.add(login.textValue()));
                // No login has a slash, so none of these is taken for a person who is listed.
                case OTHER_REVIEWERS ->
                        value.forEach(
                                name -> reviewers.add(field.getName() + "/" + name.textValue()));
                case REVIEWER_IDS -> reviewers(value);
                case ALWAYS_TRUE, PULL_REQUEST -> throw new IllegalStateException("not for inputs");
            }
        }

        private void target(JsonNode id, String type) throws RefusedQueryException {
            Optional<Placed> placed = judging.place(id);
            boolean onIssue = schema.change(mutation.field(), true).isPresent();
            if (placed.isPresent()) {
                boolean fits =
                        switch (placed.get()) {
                            case Placed.Repository(var view) ->
                                    type.equals("Repository") && judging.isGranted(view);
                            case Placed.PullRequest pull ->
                                    type.equals("PullRequest")
                                            && judging.isGranted(pull.repository());
                            case Placed.Discussion(var pull) ->
                                    type.equals("PullRequestReviewThread")
                                            && judging.isGranted(pull.repository());
                            case Placed.Issue(var view) -> onIssue && judging.isGranted(view);
                            case Placed.Person _, Placed.Team _, Placed.Elsewhere _ -> false;
                        };
                target = placed.filter(_ -> fits);
                missing = fits ? missing : Optional.of(id.textValue());
            }
        }

        private void reviewers(JsonNode ids) throws RefusedQueryException {
            for (JsonNode id : ids) {
                Optional<Placed> placed = judging.place(id);
                if (placed.isPresent()) {
                    switch (placed.get()) {
                        case Placed.Person(var login) -> reviewers.add(login);
                        case Placed.Team(var name) -> reviewers.add(name);
                        case Placed.Repository _,
                                Placed.PullRequest _,
                                Placed.Discussion _,
                                Placed.Issue _,
                                Placed.Elsewhere _ ->
                                missing = Optional.of(id.textValue());
                    }
                }
            }
        }

        private Plan.Root allowed() throws RefusedQueryException {
            Change change = change(target.orElseThrow());
            if (!judging.rights().allows(change.repository(), change.operation())) {
                throw notAllowed(mutation, change.operation(), change.repository());
            }
            Optional<Verdict.Denied> objection = judging.rights().objection(change);
            if (objection.isPresent()) {
                throw RefusedQueryException.because(objection.get());
            }
            judging.use(
                    new Verdict.Use(change.operation(), change.repository(), Optional.of(change)));
            List<RepositoryView> scope = List.of(change.repository());
            judging.read(mutation.below().orElseThrow(), scope, change.operation());
            return new Plan.There(mutation.with(Map.of("input", input)), scope);
        }

        private Change change(Placed placed) throws RefusedQueryException {
            return switch (placed) {
                case Placed.Repository(var view) ->
                        change(
                                false,
                                view,
                                head.isPresent()
                                        ? Optional.of(
                                                new Change.Head(Optional.of(view), branch(view)))
                                        : Optional.empty());
                case Placed.PullRequest pull -> change(pull);
                case Placed.Discussion(var pull) -> change(pull);
                case Placed.Issue(var view) -> change(true, view, Optional.empty());
                case Placed.Person _, Placed.Team _, Placed.Elsewhere _ ->
                        throw new IllegalStateException("was sorted out before");
            };
        }

        private Change change(Placed.PullRequest pull) {
            return change(
                    false,
                    pull.repository(),
                    Optional.of(new Change.Head(pull.headRepository(), pull.headBranch())));
        }

        private Change change(boolean onIssue, RepositoryView view, Optional<Change.Head> from) {
            ApiOperation operation = schema.change(mutation.field(), onIssue).orElseThrow();
            return new Change(operation, view, from, base, texts, reviewers);
        }

        /// The head of a new pull request, as a branch of the repository itself. `owner:branch`
        /// means whatever fork that owner has in the network, so only the repository's own owner
        /// may be there.
        private String branch(RepositoryView view) throws RefusedQueryException {
            String written = head.orElseThrow();
            int colon = written.indexOf(':');
            if (colon >= 0 && !written.substring(0, colon).equalsIgnoreCase(view.name().owner())) {
                throw RefusedQueryException.because(
                        new Verdict.Denied(
                                Refusal.REF_NOT_ALLOWED,
                                "a pull request must come from a branch of %s itself"
                                        .formatted(view.nameWithOwner())));
            }
            String branch = written.substring(colon + 1);
            input.put("headRefName", branch);
            return branch;
        }
    }
}
