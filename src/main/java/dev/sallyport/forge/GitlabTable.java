package dev.sallyport.forge;

import java.util.List;

/// What can be allowed of GitLab's REST API, in the form of [RestTable]. `R` is a project.
///
/// Not here: merging, approving, rebasing, merging by itself; starting pipelines, manual jobs and
/// their variables; comments that are there already; and what leads to people, groups and other
/// projects. A comment on a line of a diff (`/discussions`) is not written, because a reply to one
/// has the same path with any number in it.
final class GitlabTable {
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

    static final List<RestRoute> ROUTES = RestTable.parse(READS + WRITES);

    private GitlabTable() {}
}
