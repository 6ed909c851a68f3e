package dev.sallyport.forge.graphql;

import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.RepoName;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// The rights of a session that has `acme/app`, and what it has learned.
final class SessionRights implements Rights, Shaping.Learner {
    static final RepositoryView APP = view("acme", "app", OptionalLong.of(1));

    final Set<ApiOperation> allowed = EnumSet.allOf(ApiOperation.class);
    final Map<String, RepositoryView> granted = new HashMap<>(Map.of("acme/app", APP));
    final Map<String, Placed> places = new HashMap<>();
    final List<Change> changes = new ArrayList<>();
    Optional<Verdict.Denied> objection = Optional.empty();

    static RepositoryView view(String owner, String name, OptionalLong number) {
        return new RepositoryView(new RepoName(new HostName("github.com"), owner, name), number);
    }

    /// With the ids that recorded queries use.
    static SessionRights usual() {
        SessionRights rights = new SessionRights();
        rights.places.put("R_1", new Placed.Repository(APP));
        rights.places.put("PR_1", new Placed.PullRequest(APP, Optional.of(APP), "agent/x"));
        rights.places.put(
                "PRRT_1",
                new Placed.Discussion(new Placed.PullRequest(APP, Optional.of(APP), "agent/x")));
        rights.places.put("I_2", new Placed.Issue(APP));
        rights.places.put("U_1", new Placed.Person("bob"));
        rights.places.put("PR_foreign", new Placed.Elsewhere());
        // Learned, and not granted any more.
        Placed.PullRequest lost =
                new Placed.PullRequest(
                        view("acme", "lost", OptionalLong.of(9)), Optional.of(APP), "agent/x");
        rights.places.put("PR_lost", lost);
        rights.places.put("PRRT_lost", new Placed.Discussion(lost));
        return rights;
    }

    @Override
    public String login() {
        return "octocat";
    }

    @Override
    public Optional<RepositoryView> repository(String owner, String name) {
        return Optional.ofNullable(
                granted.get((owner + "/" + name).toLowerCase(java.util.Locale.ROOT)));
    }

    @Override
    public boolean allows(RepositoryView repository, ApiOperation operation) {
        return granted.containsValue(repository) && allowed.contains(operation);
    }

    @Override
    public Optional<Placed> place(String nodeId) {
        return Optional.ofNullable(places.get(nodeId));
    }

    @Override
    public Optional<Verdict.Denied> objection(Change change) {
        changes.add(change);
        return objection;
    }

    @Override
    public void placed(String nodeId, Placed placed) {
        places.put(nodeId, placed);
    }

    @Override
    public void numbered(RepositoryView repository, long databaseId) {
        granted.put(
                repository.nameWithOwner(),
                new RepositoryView(repository.name(), OptionalLong.of(databaseId)));
    }
}
