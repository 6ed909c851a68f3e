package dev.sallyport.forge.graphql;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.Refusal;
import graphql.schema.GraphQLInputObjectField;
import graphql.schema.GraphQLInputObjectType;
import graphql.schema.GraphQLTypeUtil;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Makes a [Change] of a mutation: what the inputs mean is said in the schema, where ids lie is
/// known to the session.
final class ChangeReading {
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
        var type = GraphQLTypeUtil.unwrapNonNull(mutation.field().getArgument("input").getType());
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

    private void read(GraphQLInputObjectField field, GithubSchema.Meaning meaning, JsonNode value)
            throws RefusedQueryException {
        switch (meaning) {
            case TARGET -> target(value, schema.meantType(field).orElseThrow());
            case HEAD -> head = Optional.of(value.textValue());
            case BASE -> base = Optional.of(value.textValue());
            case TEXT -> texts.put(field.getName(), value.textValue());
            case REVIEWERS -> value.forEach(login -> reviewers.add(login.textValue()));
            // No login has a slash, so none of these is taken for a person who is listed.
            case OTHER_REVIEWERS ->
                    value.forEach(name -> reviewers.add(field.getName() + "/" + name.textValue()));
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
                                type.equals("PullRequest") && judging.isGranted(pull.repository());
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
            throw RefusedQueryException.notAllowed(
                    "%s is %s, which is not allowed in %s"
                            .formatted(
                                    mutation.name(),
                                    change.operation().label(),
                                    change.repository().nameWithOwner()));
        }
        Optional<Verdict.Denied> objection = judging.rights().objection(change);
        if (objection.isPresent()) {
            throw RefusedQueryException.because(objection.get());
        }
        judging.use(new Verdict.Use(change.operation(), change.repository(), Optional.of(change)));
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
                                    ? Optional.of(new Change.Head(Optional.of(view), branch(view)))
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

    /// The head of a new pull request, as a branch of the repository itself. `owner:branch` means
    /// whatever fork that owner has in the network, so only the repository's own owner may be
    /// there.
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
