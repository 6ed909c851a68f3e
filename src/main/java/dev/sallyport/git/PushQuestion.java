package dev.sallyport.git;

import dev.sallyport.approval.Question;
import dev.sallyport.approval.ShownText;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.Hashes;
import dev.sallyport.policy.RefUpdate;
import dev.sallyport.policy.Refusal;
import dev.sallyport.push.PushCase;
import dev.sallyport.push.PushPreview;
import dev.sallyport.push.Verdict;
import dev.sallyport.relay.RefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// What a person is asked about a push that the judge accepted, if a rule has them asked. It names
/// the pack by its digest; that file is what goes upstream, and nobody else can write to it.
final class PushQuestion {
    private static final String NO_PACK = "";

    private PushQuestion() {}

    static Optional<Question> of(
            PushJudging.Matter matter, Verdict.Accepted accepted, PushCase push)
            throws IOException, RefusedException {
        List<String> reasons = reasons(matter, accepted);
        if (reasons.isEmpty()) {
            return Optional.empty();
        }
        if (matter.commands().updates().size() > Question.COMMANDS_MAX) {
            throw new RefusedException(Refusal.TOO_MANY_REFS, "nobody could look at all of them");
        }
        accepted.warnings().forEach(reasons::add);
        boolean hasPack = matter.commands().needsPack();
        return Optional.of(
                new Question(
                        "push",
                        ShownText.line(matter.push().repo().key()),
                        ShownText.line(summary(matter.commands().updates())),
                        shown(reasons),
                        hasPack ? sha256(matter) : NO_PACK,
                        hasPack ? matter.spool().body().bytes() : 0,
                        Question.Detail.of(PushPreview.of(push, matter.commands().options()))));
    }

    private static List<String> reasons(PushJudging.Matter matter, Verdict.Accepted accepted) {
        List<String> reasons =
                new ArrayList<>(
                        matter.push()
                                .push()
                                .ask()
                                .reasons(
                                        matter.commands().updates(),
                                        matter.spool().body().bytes(),
                                        accepted.touched()));
        boolean opens =
                !matter.commands().options().isEmpty()
                        && matter.push()
                                .api(ApiOperation.PULL_OPEN)
                                .map(ApiPermit::rules)
                                .filter(rules -> rules.asks(ApiOperation.PULL_OPEN))
                                .isPresent();
        if (opens) {
            reasons.add("options of the push open or change a merge request");
        }
        return reasons;
    }

    /// What does not fit is counted: who says yes knows that there was more.
    static List<String> shown(List<String> reasons) {
        if (reasons.size() <= Question.REASONS_MAX) {
            return reasons.stream().map(ShownText::line).toList();
        }
        List<String> first =
                new ArrayList<>(
                        reasons.stream()
                                .limit(Question.REASONS_MAX - 1L)
                                .map(ShownText::line)
                                .toList());
        first.add("and " + (reasons.size() - first.size()) + " more reasons");
        return first;
    }

    private static String summary(List<RefUpdate> updates) {
        RefUpdate first = updates.getFirst();
        String what = first.isDelete() ? "delete " : first.isCreate() ? "create " : "update ";
        String more = updates.size() == 1 ? "" : " and " + (updates.size() - 1) + " more";
        return what + first.ref().value() + more;
    }

    private static String sha256(PushJudging.Matter matter) throws IOException {
        MessageDigest sha256 = Hashes.sha256();
        try (InputStream in =
                new DigestInputStream(Files.newInputStream(matter.spool().pack()), sha256)) {
            in.transferTo(java.io.OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(sha256.digest());
    }
}
