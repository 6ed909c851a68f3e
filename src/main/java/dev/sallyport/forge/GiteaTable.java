package dev.sallyport.forge;

import java.util.List;

/// What can be allowed of the REST API of Gitea and Forgejo, in the form of [RestTable].
///
/// Not here, besides what is not in GitHub's: timelines and dependencies of issues, which lead to
/// other repositories; running a workflow again, which only some versions have.
final class GiteaTable {
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

    static final List<RestRoute> ROUTES = RestTable.parse(READS + WRITES);

    private GiteaTable() {}
}
