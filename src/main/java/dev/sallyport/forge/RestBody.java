package dev.sallyport.forge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Refusal;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// The bodies of writes: which members each has, and what stands in them. A member that is not here
/// is refused by its name, since nobody knows what it would do: `head_repo`, `issue`, labels,
/// assignees and `agent_assignment` are such. The body that goes up is written anew from what was
/// judged.
enum RestBody {
    PULL_OPEN(
            Set.of("title", "head", "base"),
            members()
                    .with("title", BodyMember.TITLE)
                    .with("body", BodyMember.TEXT)
                    .with("head", BodyMember.HEAD)
                    .with("base", BodyMember.BASE)
                    .with("draft", BodyMember.FLAG)
                    .with("maintainer_can_modify", BodyMember.NEVER)),
    PULL_EDIT(
            Set.of(),
            members()
                    .with("title", BodyMember.TITLE)
                    .with("body", BodyMember.TEXT)
                    .with("state", BodyMember.STATE)
                    .with("base", BodyMember.BASE)
                    .with("maintainer_can_modify", BodyMember.NEVER)),
    /// Of a pull request, in its form as an issue.
    ISSUE_EDIT(
            Set.of(),
            members()
                    .with("title", BodyMember.TITLE)
                    .with("body", BodyMember.TEXT)
                    .with("state", BodyMember.STATE)),
    ISSUE_OPEN(
            Set.of("title"),
            members()
                    .with("title", BodyMember.TITLE)
                    .with("body", BodyMember.TEXT)
                    .with("labels", BodyMember.NOTHING)
                    .with("assignees", BodyMember.NOTHING)
                    .with("assignee", BodyMember.NOTHING)
                    .with("milestone", BodyMember.NOTHING)
                    .with("type", BodyMember.NOTHING)),
    COMMENT(Set.of("body"), members().with("body", BodyMember.TEXT)),
    REVIEW_COMMENT(
            Set.of("body"),
            place().with("commit_id", BodyMember.COMMIT)
                    .with("subject_type", BodyMember.WORD)
                    .with("in_reply_to", BodyMember.NUMBER)),
    /// Never an approval, and never one that is finished later: the event is said at once.
    REVIEW(
            Set.of("event"),
            members()
                    .with("body", BodyMember.TEXT)
                    .with("event", BodyMember.COMMENT_ONLY)
                    .with("commit_id", BodyMember.COMMIT)
                    .with("comments", BodyMember.COMMENTS)),
    /// One of the comments of a review.
    REVIEW_PART(Set.of("body", "path"), place()),
    REVIEWERS(
            Set.of("reviewers"),
            members()
                    .with("reviewers", BodyMember.REVIEWERS)
                    .with("team_reviewers", BodyMember.NOTHING)),
    RERUN(Set.of(), members().with("enable_debug_logging", BodyMember.NEVER)),
    NOTHING(Set.of(), members()),
    MERGE_REQUEST_OPEN(
            Set.of("title", "source_branch", "target_branch"),
            unset("assignee_id", "assignee_ids", "reviewer_ids", "milestone_id", "labels")
                    .with("title", BodyMember.TITLE)
                    .with("description", BodyMember.TEXT)
                    .with("source_branch", BodyMember.HEAD)
                    .with("target_branch", BodyMember.BASE)
                    .with("target_project_id", BodyMember.PROJECT)
                    .with("remove_source_branch", BodyMember.NEVER)
                    .with("squash", BodyMember.NEVER)
                    .with("allow_collaboration", BodyMember.NEVER)),
    MERGE_REQUEST_EDIT(
            Set.of(),
            members()
                    .with("title", BodyMember.TITLE)
                    .with("description", BodyMember.TEXT)
                    .with("target_branch", BodyMember.BASE)
                    .with("state_event", BodyMember.STATE_EVENT)),
    PROJECT_ISSUE_OPEN(
            Set.of("title"),
            unset("assignee_id", "assignee_ids", "milestone_id", "labels", "weight", "epic_id")
                    .with("title", BodyMember.TITLE)
                    .with("description", BodyMember.TEXT)
                    .with("confidential", BodyMember.FLAG)),
    GITEA_PULL_OPEN(
            Set.of("title", "head", "base"),
            unset("assignee", "assignees", "reviewers", "team_reviewers", "labels", "milestone")
                    .with("due_date", BodyMember.NOTHING)
                    .with("title", BodyMember.TITLE)
                    .with("body", BodyMember.TEXT)
                    .with("head", BodyMember.HEAD)
                    .with("base", BodyMember.BASE)
                    .with("allow_maintainer_edit", BodyMember.NEVER)),
    GITEA_PULL_EDIT(
            Set.of(),
            members()
                    .with("title", BodyMember.TITLE)
                    .with("body", BodyMember.TEXT)
                    .with("base", BodyMember.BASE)
                    .with("state", BodyMember.STATE)
                    .with("allow_maintainer_edit", BodyMember.NEVER)),
    GITEA_ISSUE_OPEN(
            Set.of("title"),
            unset("assignee", "assignees", "labels", "milestone", "due_date", "closed", "ref")
                    .with("title", BodyMember.TITLE)
                    .with("body", BodyMember.TEXT)),
    GITEA_REVIEW(
            Set.of("event"),
            members()
                    .with("body", BodyMember.TEXT)
                    .with("event", BodyMember.COMMENT_ONLY)
                    .with("commit_id", BodyMember.COMMIT)
                    .with("comments", BodyMember.NOTHING));

    /// What is judged, and for the record.
    record Judged(ObjectNode json, Map<String, String> detail) {
        /// The comment that it is a reply to.
        Optional<Long> comment() {
            JsonNode comment = json.path("in_reply_to");
            return comment.isMissingNode() ? Optional.empty() : Optional.of(comment.longValue());
        }
    }

    private static final class Members {
        private final Map<String, BodyMember> all = new LinkedHashMap<>();

        Members with(String name, BodyMember member) {
            all.put(name, member);
            return this;
        }
    }

    @SuppressWarnings("ImmutableEnumChecker") // Made once, and given to nobody.
    private final Set<String> required;

    @SuppressWarnings("ImmutableEnumChecker") // As above.
    private final Map<String, BodyMember> members;

    RestBody(Set<String> required, Members members) {
        this.required = required;
        this.members = members.all;
    }

    private static Members members() {
        return new Members();
    }

    /// Members that must have nothing in them.
    private static Members unset(String... names) {
        Members members = members();
        for (String name : names) {
            members.with(name, BodyMember.NOTHING);
        }
        return members;
    }

    /// A comment on a line.
    private static Members place() {
        return members()
                .with("body", BodyMember.TEXT)
                .with("path", BodyMember.FILE)
                .with("line", BodyMember.NUMBER)
                .with("side", BodyMember.WORD)
                .with("start_line", BodyMember.NUMBER)
                .with("start_side", BodyMember.WORD)
                .with("position", BodyMember.NUMBER);
    }

    /// @param word of the table, `body=KIND`
    static RestBody of(String word) {
        String kind = word.substring(word.indexOf('=') + 1);
        return valueOf(kind.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /// Whether clients send no body at all.
    boolean mayBeMissing() {
        return this == RERUN || this == NOTHING;
    }

    Judged judge(ApiPermit permit, ObjectNode sent) throws ObjectionException {
        for (String name : (Iterable<String>) sent::fieldNames) {
            if (!members.containsKey(name)) {
                throw bad("the member '" + shown(name) + "' is not allowed here; leave it out");
            }
        }
        ObjectNode json = ApiJson.empty();
        Map<String, String> detail = new TreeMap<>();
        for (Map.Entry<String, BodyMember> member : members.entrySet()) {
            JsonNode value = sent.path(member.getKey());
            if (!value.isMissingNode() && !value.isNull()) {
                member.getValue().judge(permit, member.getKey(), value, new Judged(json, detail));
            }
        }
        for (String name : required) {
            if (!json.has(name)) {
                throw bad("the member '" + name + "' is missing");
            }
        }
        return new Judged(json, detail);
    }

    private static String shown(String name) {
        return name.replaceAll("[^A-Za-z0-9_.-]", "?");
    }

    private static ObjectionException bad(String message) {
        return new ObjectionException(Refusal.BAD_REQUEST, message);
    }
}
