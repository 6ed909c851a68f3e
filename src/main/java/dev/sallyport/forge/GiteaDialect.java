package dev.sallyport.forge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.RepoName;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Gitea's and Forgejo's: repositories as at GitHub, and no numbers of them.
enum GiteaDialect implements Dialect {
    INSTANCE;

    /// What can be allowed of the REST API of Gitea and Forgejo, in the form of [RestTable].
    ///
    /// Not here, besides what is not in GitHub's: timelines and dependencies of issues, which lead
    /// to other repositories; running a workflow again, which only some versions have.
    private static final String READS =
            """
            GET R                                 repository-read
            GET R/branches                        repository-read  ?pages
            GET R/branches/{revision}             repository-read
            GET R/commits                         repository-read  ?pages ?sha ?path ?stat ?verification ?files ?since ?until
            GET R/git/commits/{object}            repository-read  ?stat ?verification ?files
            GET R/git/commits/{commit-diff}       repository-read  file
            GET R/git/refs                        repository-read  ?pages
            GET R/git/refs/{ref...}               repository-read  ?pages
            GET R/git/trees/{revision}            repository-read  ?recursive ?pages
            GET R/git/blobs/{object}              repository-read
            GET R/git/tags/{object}               repository-read
            GET R/compare/{range}                 repository-read
            GET R/contents                        repository-read  ?ref
            GET R/contents/{file...}              repository-read  ?ref
            GET R/raw/{file...}                   repository-read  file ?ref
            GET R/media/{file...}                 repository-read  file ?ref
            GET R/archive/{archive...}            repository-read  file
            GET R/languages                       repository-read
            GET R/topics                          repository-read  ?pages
            GET R/labels                          repository-read  ?pages
            GET R/labels/{number}                 repository-read
            GET R/milestones                      repository-read  ?pages ?state ?name
            GET R/milestones/{number}             repository-read
            GET R/tags                            repository-read  ?pages
            GET R/tags/{tag}                      repository-read
            GET R/releases                        repository-read  ?pages ?draft ?pre-release
            GET R/releases/latest                 repository-read
            GET R/releases/{number}               repository-read
            GET R/releases/tags/{tag}             repository-read

            GET R/pulls                           pull-read  ?pages ?state ?sort ?labels ?milestone ?base_branch
            GET R/pulls/{number}                  pull-read
            GET R/pulls/{pull-diff}               pull-read  file
            GET R/pulls/{number}/files            pull-read  ?pages
            GET R/pulls/{number}/commits          pull-read  ?pages ?verification ?files
            GET R/pulls/{number}/reviews          pull-read  ?pages
            GET R/pulls/{number}/reviews/{number}  pull-read
            GET R/pulls/{number}/reviews/{number}/comments  pull-read
            GET R/pulls/{number}/merge            pull-read  status
            GET R/commits/{object}/pull           pull-read

            GET R/issues                          issue-read  ?pages ?state ?labels ?q ?type ?milestones ?since ?created_by ?assigned_by
            GET R/issues/{number}                 issue-read
            GET R/issues/{number}/comments        issue-read  ?since
            GET R/issues/{number}/labels          issue-read
            GET R/issues/comments                 issue-read  ?pages ?since
            GET R/issues/comments/{number}        issue-read

            GET R/commits/{revision}/status       checks-read  ?pages
            GET R/commits/{revision}/statuses     checks-read  ?pages ?sort ?state
            GET R/statuses/{object}               checks-read  ?pages ?sort ?state
            GET R/actions/tasks                   checks-read  ?pages
            GET R/actions/runs                    checks-read  ?pages ?event ?branch ?status ?actor ?head_sha
            GET R/actions/runs/{number}           checks-read
            GET R/actions/runs/{number}/jobs      checks-read  ?pages ?status
            GET R/actions/runs/{number}/artifacts  checks-read  ?pages ?name
            GET R/actions/jobs                    checks-read  ?pages ?status
            GET R/actions/jobs/{number}           checks-read
            GET R/actions/artifacts               checks-read  ?pages ?name
            GET R/actions/artifacts/{number}      checks-read
            GET R/actions/workflows               checks-read
            GET R/actions/workflows/{workflow}    checks-read

            GET R/actions/jobs/{number}/logs      logs-read  file
            GET R/actions/artifacts/{number}/zip  logs-read  download
            """;

    private static final String WRITES =
            """
            POST   R/pulls                               pull-open       body=gitea-pull-open
            PATCH  R/pulls/{number}                      pull-edit       own body=gitea-pull-edit
            PATCH  R/issues/{number}                     pull-edit       own body=issue-edit
            POST   R/issues/{number}/comments            pull-comment|issue-comment  own body=comment
            POST   R/pulls/{number}/reviews              pull-comment    own body=gitea-review
            POST   R/pulls/{number}/requested_reviewers  pull-reviewers  own body=reviewers
            DELETE R/pulls/{number}/requested_reviewers  pull-reviewers  own body=reviewers
            POST   R/issues                              issue-open      body=gitea-issue-open
            """;

    private static final List<RestRoute> ROUTES = RestTable.parse(READS + WRITES);

    /// Clients ask for it and leave out what an older one would not know.
    private static final String VERSION = "1.24.0";

    @Override
    public Forge forge() {
        return Forge.GITEA;
    }

    @Override
    public List<RestRoute> routes() {
        return ROUTES;
    }

    @Override
    public Optional<JsonNode> own(HostName host, List<String> segments, String login) {
        return switch (String.join("/", segments)) {
            case "version" -> Optional.of(ApiJson.empty().put("version", VERSION));
            case "user" -> Optional.of(user(host, login));
            case "settings/api" -> Optional.of(settings());
            default -> Optional.empty();
        };
    }

    private static ObjectNode user(HostName host, String login) {
        return ApiJson.empty()
                .put("id", 0)
                .put("login", login)
                .put("username", login)
                .put("full_name", "")
                .put("email", "")
                .put("avatar_url", "")
                .put("html_url", "https://" + host + "/" + login)
                .put("is_admin", false);
    }

    private static ObjectNode settings() {
        return ApiJson.empty()
                .put("max_response_items", 50)
                .put("default_paging_num", 30)
                .put("default_git_trees_per_page", 1_000)
                .put("default_max_blob_size", 10_485_760);
    }

    @Override
    public Optional<String> loginMember() {
        return Optional.of("login");
    }

    @Override
    public AnswerForm form(AnswerForm.Ground ground) {
        return new GiteaForm(ground);
    }

    /// Gitea's objects are much like GitHub's, but people have a `full_name` as well, which they
    /// choose themselves; only what has an owner is a repository. A pull request has the address of
    /// its page and says by its `base` where it lies.
    record GiteaForm(Ground ground) implements AnswerForm {
        private static boolean isRepository(AnswerObject object) {
            return object.part("owner").isPresent() || object.text("owner").isPresent();
        }

        private Optional<RepoName> named(AnswerObject object) {
            return isRepository(object)
                    ? object.text("full_name")
                            .flatMap(name -> RepoUrl.named(ground.asked().host(), name))
                    : Optional.empty();
        }

        @Override
        public boolean isAway(AnswerObject object) {
            boolean repository = isRepository(object) && object.text("full_name").isPresent();
            return (repository && !ground.isGranted(named(object)))
                    || object.text("url").filter(this::leadsAway).isPresent()
                    || object.part("repository").filter(this::isAway).isPresent();
        }

        @Override
        public Optional<RepoName> place(AnswerObject object) {
            return named(object)
                    .or(() -> object.part("repository").flatMap(this::named))
                    .or(
                            () ->
                                    object.part("base")
                                            .flatMap(b -> b.part("repo"))
                                            .flatMap(this::named));
        }

        @Override
        public void learn(AnswerObject object, Consumer<Consumer<Learner>> lessons) {
            Optional<RepoName> named = named(object);
            long id = object.number("id");
            long number = object.number("number");
            if (named.isPresent() && id > 0) {
                lessons.accept(learner -> learner.repository(named.get(), id));
            } else if (number > 0 && object.part("base").isPresent()) {
                // Of one that came by `refs/for/…` there is no branch.
                Optional<PullHead> head =
                        object.part("head").flatMap(from -> PullHead.of(from, this::named));
                place(object)
                        .filter(ground.granted())
                        .ifPresent(repo -> lessons.accept(l -> l.pull(repo, number, head)));
            }
        }

        @Override
        public boolean leadsAway(String address) {
            return new GithubForm(ground).leadsAway(address);
        }
    }
}
