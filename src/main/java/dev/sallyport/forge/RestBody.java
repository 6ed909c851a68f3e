package dev.sallyport.forge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sallyport.policy.ApiPermit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringTokenizer;
import java.util.TreeMap;
import java.util.TreeSet;

/// The bodies of writes: which members each has, and what stands in them. A member that is not here
/// is refused by its name, since nobody knows what it would do: `head_repo`, `issue`, labels,
/// assignees and `agent_assignment` are such. The body that goes up is written anew from what was
/// judged.
enum RestBody {
    PULL_OPEN(
            """
            +title=TITLE body=TEXT +head=HEAD +base=BASE draft=FLAG
            maintainer_can_modify=NEVER
            """),
    PULL_EDIT("title=TITLE body=TEXT state=STATE base=BASE maintainer_can_modify=NEVER"),
    /// Of a pull request, in its form as an issue.
    ISSUE_EDIT("title=TITLE body=TEXT state=STATE"),
    ISSUE_OPEN(
            """
            +title=TITLE body=TEXT labels=NOTHING assignees=NOTHING assignee=NOTHING
            milestone=NOTHING type=NOTHING
            """),
    COMMENT("+body=TEXT"),
    REVIEW_COMMENT(
            """
            +body=TEXT path=FILE line=NUMBER side=WORD start_line=NUMBER start_side=WORD
            position=NUMBER commit_id=COMMIT subject_type=WORD in_reply_to=NUMBER
            """),
    /// Never an approval, and never one that is finished later: the event is said at once.
    REVIEW("body=TEXT +event=COMMENT_ONLY commit_id=COMMIT comments=COMMENTS"),
    /// One of the comments of a review.
    REVIEW_PART(
            """
            +body=TEXT +path=FILE line=NUMBER side=WORD start_line=NUMBER start_side=WORD
            position=NUMBER
            """),
    REVIEWERS("+reviewers=REVIEWERS team_reviewers=NOTHING"),
    RERUN("enable_debug_logging=NEVER"),
    NOTHING(""),
    MERGE_REQUEST_OPEN(
            """
            assignee_id=NOTHING assignee_ids=NOTHING reviewer_ids=NOTHING
            milestone_id=NOTHING labels=NOTHING +title=TITLE description=TEXT
            +source_branch=HEAD +target_branch=BASE target_project_id=PROJECT
            remove_source_branch=NEVER squash=NEVER allow_collaboration=NEVER
            """),
    MERGE_REQUEST_EDIT("title=TITLE description=TEXT target_branch=BASE state_event=STATE_EVENT"),
    PROJECT_ISSUE_OPEN(
            """
            assignee_id=NOTHING assignee_ids=NOTHING milestone_id=NOTHING labels=NOTHING
            weight=NOTHING epic_id=NOTHING +title=TITLE description=TEXT confidential=FLAG
            """),
    GITEA_PULL_OPEN(
            """
            assignee=NOTHING assignees=NOTHING reviewers=NOTHING team_reviewers=NOTHING
            labels=NOTHING milestone=NOTHING due_date=NOTHING +title=TITLE body=TEXT
            +head=HEAD +base=BASE allow_maintainer_edit=NEVER
            """),
    GITEA_PULL_EDIT("title=TITLE body=TEXT base=BASE state=STATE allow_maintainer_edit=NEVER"),
    GITEA_ISSUE_OPEN(
            """
            assignee=NOTHING assignees=NOTHING labels=NOTHING milestone=NOTHING
            due_date=NOTHING closed=NOTHING ref=NOTHING +title=TITLE body=TEXT
            """),
    GITEA_REVIEW("body=TEXT +event=COMMENT_ONLY commit_id=COMMIT comments=NOTHING");

    /// What is judged, and for the record.
    record Judged(ObjectNode json, Map<String, String> detail) {
        /// The comment that it is a reply to.
        Optional<Long> comment() {
            JsonNode comment = json.path("in_reply_to");
            return comment.isMissingNode() ? Optional.empty() : Optional.of(comment.longValue());
        }
    }

    @SuppressWarnings("ImmutableEnumChecker") // Made once, and given to nobody.
    private final Set<String> required = new TreeSet<>();

    @SuppressWarnings("ImmutableEnumChecker") // As above.
    private final Map<String, BodyMember> members = new LinkedHashMap<>();

    /// @param words each `NAME=KIND`, or `+NAME=KIND` for a member that must be there
    RestBody(String words) {
        StringTokenizer each = new StringTokenizer(words);
        while (each.hasMoreTokens()) {
            String word = each.nextToken();
            String[] pair = word.split("=", 2);
            String name = pair[0].substring(word.startsWith("+") ? 1 : 0);
            members.put(name, BodyMember.valueOf(pair[1]));
            if (word.startsWith("+")) {
                required.add(name);
            }
        }
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
                throw ObjectionException.bad(
                        "the member '" + shown(name) + "' is not allowed here; leave it out");
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
                throw ObjectionException.bad("the member '" + name + "' is missing");
            }
        }
        return new Judged(json, detail);
    }

    private static String shown(String name) {
        return name.replaceAll("[^A-Za-z0-9_.-]", "?");
    }
}
