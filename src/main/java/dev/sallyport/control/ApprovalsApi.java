package dev.sallyport.control;

import dev.sallyport.approval.Question;
import java.util.List;

/// The bodies of the control API that are about questions to a person.
public interface ApprovalsApi {
    /// `GET /v1/approvals`: what waits for a person, oldest first.
    record ApprovalList(List<ApprovalView> approvals) {}

    /// One question in a list.
    ///
    /// @param kind `push`, `web` or `api`
    /// @param target the repository, or the host
    /// @param reasons why a person is asked
    /// @param digest what an answer must name
    /// @param asked in ISO 8601
    /// @param expires likewise; without an answer by then it is no
    record ApprovalView(
            String id,
            String sandbox,
            String session,
            String kind,
            String target,
            String summary,
            List<String> reasons,
            String digest,
            String asked,
            String expires) {}

    /// `GET /v1/approvals/{name}`: one with everything that is to be seen before an answer. Its
    /// texts are the sandbox's and may hold anything.
    record Approval(ApprovalView view, Question question) {}

    /// `POST /v1/approvals/{name}`
    ///
    /// @param answer `yes` or `no`
    /// @param digest of the question as it was shown
    /// @param who the person; recorded
    /// @param how by which means: `cli`, `watch`, `page`; recorded
    /// @param note one line for those inside, or empty
    record AnswerApproval(String answer, String digest, String who, String how, String note) {}

    /// Answer to [AnswerApproval].
    record ApprovalAnswered(String id, String sandbox, String answer) {}
}
