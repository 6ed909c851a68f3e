package dev.sallyport.forge.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What stock gh 2.23 sends, recorded from it; only ids were put in.
class GhDocumentsTest {
    /// Branches, labels, assignees, closing issues, approving, editing comments: never allowed.
    private static final Set<String> REFUSED =
            Set.of(
                    "issue-close.IssueClose",
                    "issue-develop.CreateLinkedBranch",
                    "issue-edit.IssueUpdate",
                    "issue-create-label.IssueCreate",
                    "pr-comment-edit.CommentUpdate",
                    "pr-create-meta.PullRequestCreateMetadata",
                    "pr-edit-label.LabelAdd",
                    "pr-review-approve.PullRequestReviewAdd");

    private static final Set<String> ANSWERED =
            Set.of(
                    "auth-status.UserCurrent",
                    "issue-develop.LinkedBranch_fields",
                    "pr-edit-reviewer.OrganizationTeamList");

    static List<String> documents() throws IOException {
        try (Stream<Path> files = Files.list(directory())) {
            return files.map(file -> file.getFileName().toString().replace(".json", ""))
                    .sorted()
                    .toList();
        }
    }

    private static Path directory() {
        return Path.of(URI.create(GhDocumentsTest.class.getResource("gh-2.23").toString()));
    }

    private static Verdict verdict(String name) throws IOException {
        byte[] body = Files.readAllBytes(directory().resolve(name + ".json"));
        return Queries.JUDGE.judge(Queries.SESSION, body, SessionRights.usual());
    }

    @ParameterizedTest
    @MethodSource("documents")
    void isServedExceptWhatIsNeverAllowed(String name) throws IOException {
        Class<?> expected =
                REFUSED.contains(name)
                        ? Verdict.Denied.class
                        : ANSWERED.contains(name) ? Verdict.Answered.class : Verdict.Forward.class;

        assertThat(verdict(name)).isInstanceOf(expected);
    }

    @ParameterizedTest
    @MethodSource("documents")
    void whatIsSentHasNoValueInItsTextAndIsJudgedAlike(String name) throws IOException {
        if (verdict(name) instanceof Verdict.Forward forward) {
            assertThat(Queries.sent(forward)).doesNotContain("\"");
            assertThat(Queries.sent(forward)).doesNotContain("projectCards").doesNotContain("evil");
        }
    }
}
