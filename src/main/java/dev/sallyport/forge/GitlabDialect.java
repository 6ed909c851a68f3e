package dev.sallyport.forge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.RepoName;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// GitLab's: `/projects/ID`, where the id is a number or the whole path in one segment, as in
/// `acme%2Fapp` or `group%2Fsub%2Fapp`.
enum GitlabDialect implements Dialect {
    INSTANCE;

    /// What can be allowed of GitLab's REST API, in the form of [RestTable]. `R` is a project.
    ///
    /// Not here: merging, approving, rebasing, merging by itself; starting pipelines, manual jobs
    /// and their variables; comments that are there already; and what leads to people, groups and
    /// other projects. A comment on a line of a diff (`/discussions`) is not written, because a
    /// reply to one has the same path with any number in it.
    private static final String READS =
            """
            GET R                                         repository-read  ?license
            GET R/languages                               repository-read
            GET R/repository/branches                     repository-read  ?pages ?search
            GET R/repository/branches/{revision}          repository-read
            GET R/repository/commits                      repository-read  ?pages ?ref_name ?path ?author ?since ?until ?all ?with_stats ?first_parent ?order
            GET R/repository/commits/{revision}           repository-read  ?stats
            GET R/repository/commits/{revision}/diff      repository-read  ?pages ?unidiff
            GET R/repository/commits/{revision}/comments  repository-read  ?pages
            GET R/repository/commits/{revision}/refs      repository-read  ?pages ?type
            GET R/repository/compare                      repository-read  ?from ?to ?straight ?unidiff
            GET R/repository/tree                         repository-read  ?pages ?path ?ref ?recursive
            GET R/repository/files/{file}                 repository-read  ?ref
            GET R/repository/files/{file}/raw             repository-read  file ?ref
            GET R/repository/blobs/{object}               repository-read
            GET R/repository/blobs/{object}/raw           repository-read  file
            GET R/repository/archive.tar.gz               repository-read  file ?sha ?path
            GET R/repository/archive.zip                  repository-read  file ?sha ?path
            GET R/repository/tags                         repository-read  ?pages ?search ?order_by ?sort
            GET R/repository/tags/{tag}                   repository-read
            GET R/labels                                  repository-read  ?pages ?search ?with_counts
            GET R/milestones                              repository-read  ?pages ?state ?search
            GET R/milestones/{number}                     repository-read
            GET R/releases                                repository-read  ?pages ?order_by ?sort
            GET R/releases/{tag}                          repository-read

            GET R/merge_requests                          pull-read  ?pages ?state ?scope ?order_by ?sort ?search ?in ?source_branch ?target_branch ?author_username ?assignee_username ?reviewer_username ?labels ?wip ?draft ?view ?iids[] ?with_labels_details ?created_after ?created_before ?updated_after ?updated_before
            GET R/merge_requests/{number}                 pull-read  ?include_diverged_commits_count ?include_rebase_in_progress
            GET R/merge_requests/{number}/commits         pull-read  ?pages
            GET R/merge_requests/{number}/changes         pull-read  ?access_raw_diffs ?unidiff
            GET R/merge_requests/{number}/diffs           pull-read  ?pages ?unidiff
            GET R/merge_requests/{number}/raw_diffs       pull-read  file
            GET R/merge_requests/{number}/versions        pull-read  ?pages
            GET R/merge_requests/{number}/versions/{number}  pull-read  ?unidiff
            GET R/merge_requests/{number}/notes           pull-read  ?pages ?order_by ?sort ?activity_filter
            GET R/merge_requests/{number}/notes/{number}  pull-read
            GET R/merge_requests/{number}/discussions     pull-read  ?pages
            GET R/merge_requests/{number}/approvals       pull-read
            GET R/repository/commits/{revision}/merge_requests  pull-read  ?pages ?state

            GET R/issues                                  issue-read  ?pages ?state ?scope ?order_by ?sort ?search ?in ?author_username ?assignee_username ?labels ?iids[] ?with_labels_details ?issue_type ?created_after ?created_before ?updated_after ?updated_before
            GET R/issues/{number}                         issue-read
            GET R/issues/{number}/notes                   issue-read  ?pages ?order_by ?sort ?activity_filter
            GET R/issues/{number}/notes/{number}          issue-read
            GET R/issues/{number}/discussions             issue-read  ?pages
            GET R/issues/{number}/related_merge_requests  issue-read  ?pages
            GET R/merge_requests/{number}/closes_issues   issue-read  ?pages

            GET R/repository/commits/{revision}/statuses  checks-read  ?pages ?ref ?stage ?name ?all
            GET R/merge_requests/{number}/pipelines       checks-read  ?pages
            GET R/pipelines                               checks-read  ?pages ?scope ?status ?ref ?sha ?source ?username ?order_by ?sort ?updated_after ?updated_before
            GET R/pipelines/latest                        checks-read  ?ref
            GET R/pipelines/{number}                      checks-read
            GET R/pipelines/{number}/jobs                 checks-read  ?pages ?scope[] ?scope ?include_retried
            GET R/pipelines/{number}/bridges              checks-read  ?pages ?scope[] ?scope
            GET R/pipelines/{number}/test_report          checks-read
            GET R/pipelines/{number}/test_report_summary  checks-read
            GET R/jobs                                    checks-read  ?pages ?scope[] ?scope
            GET R/jobs/{number}                           checks-read

            GET R/jobs/{number}/trace                     logs-read  file
            GET R/jobs/{number}/artifacts                 logs-read  file
            GET R/jobs/{number}/artifacts/{file...}       logs-read  file
            """;

    private static final String WRITES =
            """
            POST  R/merge_requests                  pull-open      body=merge-request-open
            PUT   R/merge_requests/{number}         pull-edit      own body=merge-request-edit
            POST  R/merge_requests/{number}/notes   pull-comment   own body=comment
            POST  R/issues                          issue-open     body=project-issue-open
            POST  R/issues/{number}/notes           issue-comment  body=comment
            POST  R/pipelines/{number}/retry        rerun          body=nothing
            POST  R/jobs/{number}/retry             rerun          body=nothing
            """;

    private static final List<RestRoute> ROUTES = RestTable.parse(READS + WRITES);

    private static final String VERSION = "17.0.0";

    @Override
    public Forge forge() {
        return Forge.GITLAB;
    }

    @Override
    public List<RestRoute> routes() {
        return ROUTES;
    }

    @Override
    public Optional<Aim> aim(HostName host, List<String> segments) {
        if (segments.size() < 2 || !segments.getFirst().equals("projects")) {
            return Optional.empty();
        }
        String id = segments.get(1);
        List<String> below = segments.subList(2, segments.size());
        int slash = id.lastIndexOf('/');
        return Optional.of(
                slash < 0
                        ? Dialect.numbered(id, below)
                        : Dialect.named(
                                host, id.substring(0, slash), id.substring(slash + 1), below));
    }

    @Override
    public String path(RepoName repo) {
        return "/projects/" + RestPath.escaped(repo.path());
    }

    @Override
    public String form() {
        return "/projects/GROUP%2FNAME/…";
    }

    @Override
    public String pull(long number) {
        return "/merge_requests/" + number;
    }

    /// The root is asked for by clients that want to know their rate.
    @Override
    public Optional<JsonNode> own(HostName host, List<String> segments, String login) {
        return switch (String.join("/", segments)) {
            case "" -> Optional.of(ApiJson.empty());
            case "user" -> Optional.of(user(host, login));
            case "version", "metadata" ->
                    Optional.of(
                            ApiJson.empty().put("version", VERSION).put("revision", "sallyport"));
            default -> Optional.empty();
        };
    }

    private static ObjectNode user(HostName host, String login) {
        return ApiJson.empty()
                .put("id", 0)
                .put("username", login)
                .put("name", login)
                .put("state", "active")
                .put("avatar_url", "")
                .put("web_url", "https://" + host + "/" + login);
    }

    @Override
    public Optional<String> loginMember() {
        return Optional.of("username");
    }

    @Override
    public boolean bindsIds() {
        return true;
    }

    @Override
    public AnswerForm form(AnswerForm.Ground ground) {
        return new GitlabForm(ground);
    }

    /// GitLab's objects say by a number where they lie (`project_id`), and projects by their path
    /// as well. Confidential issues and internal notes are kept from everybody who is not a member,
    /// and so from sandboxes. So are notes of the system's own that tell of other projects: whoever
    /// reads with a token gets those that its owner may see.
    record GitlabForm(Ground ground) implements AnswerForm {
        private static final Pattern PROJECT =
                Pattern.compile(
                        "https?://[^/?#]*/api/v[0-9]+/projects/([^/?#]+).*", Pattern.DOTALL);

        /// As in `mentioned in issue other#7` or `in commit group/other@1a2b3c4d`.
        private static final Pattern ELSEWHERE =
                Pattern.compile("[A-Za-z0-9_.-][#!@&$%~][A-Za-z0-9]");

        private Optional<RepoName> named(String path) {
            int slash = path.lastIndexOf('/');
            return slash < 0
                    ? Optional.empty()
                    : RepoUrl.name(
                            ground.asked().host(),
                            path.substring(0, slash),
                            path.substring(slash + 1));
        }

        @Override
        public boolean isAway(AnswerObject object) {
            long project = object.number("project_id");
            boolean elsewhere =
                    object.is("system")
                            && object.text("body")
                                    .filter(t -> ELSEWHERE.matcher(t).find())
                                    .isPresent();
            return (project != 0 && !ground.isGranted(ground.numbered().apply(project)))
                    || object.text("path_with_namespace")
                            .filter(path -> !ground.isGranted(named(path)))
                            .isPresent()
                    || object.is("confidential")
                    || object.is("internal")
                    || elsewhere;
        }

        @Override
        public Optional<RepoName> place(AnswerObject object) {
            return object.text("path_with_namespace")
                    .flatMap(this::named)
                    .or(() -> ground.numbered().apply(object.number("project_id")));
        }

        @Override
        public void learn(AnswerObject object, Consumer<Consumer<Learner>> lessons) {
            long id = object.number("id");
            if (object.text("path_with_namespace").isPresent() && id > 0) {
                place(object).ifPresent(repo -> lessons.accept(l -> l.repository(repo, id)));
            } else if (object.text("source_branch").isPresent() && object.number("iid") > 0) {
                place(object).ifPresent(repo -> merge(object, repo, lessons));
            }
        }

        /// From another project it is nobody's here, whatever its branch is called.
        private static void merge(
                AnswerObject object, RepoName repo, Consumer<Consumer<Learner>> lessons) {
            long project = object.number("project_id");
            boolean within =
                    object.number("source_project_id") == project
                            && object.number("target_project_id") == project;
            Optional<PullHead> head =
                    within
                            ? object.text("source_branch")
                                    .flatMap(GitText::branch)
                                    .map(branch -> new PullHead(repo, branch))
                            : Optional.empty();
            lessons.accept(learner -> learner.pull(repo, object.number("iid"), head));
        }

        @Override
        public boolean leadsAway(String address) {
            Matcher project = PROJECT.matcher(address);
            if (!project.matches()) {
                return false;
            }
            String id = project.group(1);
            return !ground.isGranted(
                    Dialect.ID.matcher(id).matches()
                            ? ground.numbered().apply(Long.parseLong(id))
                            : named(id.replace("%2F", "/").replace("%2f", "/")));
        }
    }
}
