package dev.sallyport.forge;

import java.util.List;
import java.util.Optional;

/// The one table of what can be allowed of GitHub's REST API: for each method and path, which
/// operation it is. What is not in it is refused, whatever a policy says: merging, approving, refs,
/// contents and trees, releases, dispatches, hooks, keys, secrets, settings, forks, and what comes
/// to the API tomorrow (G16).
///
/// Not here though harmless alone: comments that are there already are not changed, because a token
/// can change everybody's; events and timelines are not read, because they lead to other
/// repositories.
public final class RestTable {
    private static final String READS =
            """
            GET R                                       repository-read
            GET R/branches                              repository-read  ?pages ?protected
            GET R/branches/{revision}                   repository-read
            GET R/commits                               repository-read  ?pages ?sha ?path ?author ?committer ?since ?until
            GET R/commits/{revision}                    repository-read  diff patch sha ?pages
            GET R/commits/{object}/branches-where-head  repository-read
            GET R/commits/{revision}/comments           repository-read  ?pages
            GET R/compare/{range}                       repository-read  diff patch ?pages
            GET R/contents                              repository-read  ?ref
            GET R/contents/{file...}                    repository-read  raw ?ref
            GET R/readme                                repository-read  raw ?ref
            GET R/readme/{file...}                      repository-read  raw ?ref
            GET R/license                               repository-read  raw ?ref
            GET R/languages                             repository-read
            GET R/topics                                repository-read  ?pages
            GET R/labels                                repository-read  ?pages
            GET R/labels/{label}                        repository-read
            GET R/milestones                            repository-read  ?pages ?state ?sort ?direction
            GET R/milestones/{number}                   repository-read
            GET R/milestones/{number}/labels            repository-read  ?pages
            GET R/tags                                  repository-read  ?pages
            GET R/releases                              repository-read  ?pages
            GET R/releases/latest                       repository-read
            GET R/releases/{number}                     repository-read
            GET R/releases/{number}/assets              repository-read  ?pages
            GET R/releases/assets/{number}              repository-read  octets
            GET R/releases/tags/{tag...}                repository-read
            GET R/tarball                               repository-read  download
            GET R/tarball/{revision...}                 repository-read  download
            GET R/zipball                               repository-read  download
            GET R/zipball/{revision...}                 repository-read  download
            GET R/git/ref/{ref...}                      repository-read
            GET R/git/refs                              repository-read  ?pages
            GET R/git/matching-refs/{ref...}            repository-read  ?pages
            GET R/git/commits/{object}                  repository-read
            GET R/git/trees/{revision}                  repository-read  ?recursive
            GET R/git/blobs/{object}                    repository-read  raw
            GET R/git/tags/{object}                     repository-read

            GET R/pulls                                 pull-read  ?pages ?state ?head ?base ?sort ?direction
            GET R/pulls/{number}                        pull-read  diff patch
            GET R/pulls/{number}/files                  pull-read  ?pages
            GET R/pulls/{number}/commits                pull-read  ?pages
            GET R/pulls/{number}/comments               pull-read  ?pages ?sort ?direction ?since
            GET R/pulls/{number}/reviews                pull-read  ?pages
            GET R/pulls/{number}/reviews/{number}       pull-read
            GET R/pulls/{number}/reviews/{number}/comments  pull-read  ?pages
            GET R/pulls/{number}/requested_reviewers    pull-read
            GET R/pulls/{number}/merge                  pull-read  status
            GET R/pulls/comments                        pull-read  ?pages ?sort ?direction ?since
            GET R/pulls/comments/{number}               pull-read
            GET R/commits/{revision}/pulls              pull-read  ?pages

            GET R/issues                                issue-read  ?pages ?state ?sort ?direction ?since ?labels ?milestone ?assignee ?creator ?mentioned ?type
            GET R/issues/{number}                       issue-read
            GET R/issues/{number}/comments              issue-read  ?pages ?since
            GET R/issues/{number}/labels                issue-read  ?pages
            GET R/issues/{number}/sub_issues            issue-read  ?pages
            GET R/issues/comments                       issue-read  ?pages ?sort ?direction ?since
            GET R/issues/comments/{number}              issue-read

            GET R/commits/{revision}/status             checks-read  ?pages
            GET R/commits/{revision}/statuses           checks-read  ?pages
            GET R/commits/{revision}/check-runs         checks-read  ?pages ?check_name ?status ?filter ?app_id
            GET R/commits/{revision}/check-suites       checks-read  ?pages ?check_name ?app_id
            GET R/statuses/{revision}                   checks-read  ?pages
            GET R/check-runs/{number}                   checks-read
            GET R/check-runs/{number}/annotations       checks-read  ?pages
            GET R/check-suites/{number}                 checks-read
            GET R/check-suites/{number}/check-runs      checks-read  ?pages ?check_name ?status ?filter
            GET R/actions/runs                          checks-read  ?pages ?actor ?branch ?event ?status ?created ?exclude_pull_requests ?check_suite_id ?head_sha
            GET R/actions/runs/{number}                 checks-read  ?exclude_pull_requests
            GET R/actions/runs/{number}/jobs            checks-read  ?pages ?filter
            GET R/actions/runs/{number}/artifacts       checks-read  ?pages ?name
            GET R/actions/runs/{number}/timing          checks-read
            GET R/actions/runs/{number}/attempts/{number}       checks-read  ?exclude_pull_requests
            GET R/actions/runs/{number}/attempts/{number}/jobs  checks-read  ?pages
            GET R/actions/jobs/{number}                 checks-read
            GET R/actions/artifacts                     checks-read  ?pages ?name
            GET R/actions/artifacts/{number}            checks-read
            GET R/actions/workflows                     checks-read  ?pages
            GET R/actions/workflows/{workflow}          checks-read
            GET R/actions/workflows/{workflow}/runs     checks-read  ?pages ?actor ?branch ?event ?status ?created ?exclude_pull_requests ?check_suite_id ?head_sha

            GET R/actions/runs/{number}/logs            logs-read  download
            GET R/actions/runs/{number}/attempts/{number}/logs  logs-read  download
            GET R/actions/jobs/{number}/logs            logs-read  download
            GET R/actions/artifacts/{number}/zip        logs-read  download
            """;

    private static final String WRITES =
            """
            POST   R/pulls                                pull-open       body=pull-open
            PATCH  R/pulls/{number}                       pull-edit       own body=pull-edit
            PATCH  R/issues/{number}                      pull-edit       own body=issue-edit
            POST   R/issues/{number}/comments             pull-comment|issue-comment  own body=comment
            POST   R/pulls/{number}/comments              pull-comment    own body=review-comment
            POST   R/pulls/{number}/comments/{comment}/replies  pull-comment  own body=comment
            POST   R/pulls/{number}/reviews               pull-comment    own body=review
            POST   R/pulls/{number}/requested_reviewers   pull-reviewers  own body=reviewers
            DELETE R/pulls/{number}/requested_reviewers   pull-reviewers  own body=reviewers
            POST   R/issues                               issue-open      body=issue-open
            POST   R/actions/runs/{number}/rerun          rerun           body=rerun
            POST   R/actions/runs/{number}/rerun-failed-jobs  rerun       body=rerun
            POST   R/actions/jobs/{number}/rerun          rerun           body=rerun
            """;

    private static final List<RestRoute> ROUTES = parse(READS + WRITES);

    private RestTable() {}

    /// One operation a line.
    static List<RestRoute> parse(String table) {
        return table.lines().filter(line -> !line.isBlank()).map(RestRoute::of).toList();
    }

    static List<RestRoute> routes() {
        return ROUTES;
    }

    /// @param routes those of the hosting service
    /// @param method HEAD is GET without the answer's body
    /// @param segments below the repository, in canonical form
    static Optional<RestRoute.Match> find(
            List<RestRoute> routes, String method, List<String> segments) {
        String asked = method.equals("HEAD") ? "GET" : method;
        return routes.stream().flatMap(r -> r.match(asked, segments).stream()).findFirst();
    }
}
