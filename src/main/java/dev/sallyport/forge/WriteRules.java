package dev.sallyport.forge;

import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.Refusal;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/// The one rule about what a write names, whichever wire it comes on: branches and reviewers.
public final class WriteRules {
    private WriteRules() {}

    /// What stands against a write to a pull request that is there.
    ///
    /// @param head where it comes from; empty when its repository is gone
    public static Optional<Objection> head(ApiPermit permit, Optional<PullHead> head) {
        return head.filter(found -> found.isOwn(permit)).isPresent()
                ? Optional.empty()
                : Optional.of(
                        new Objection(
                                Refusal.REF_NOT_ALLOWED,
                                "this pull request does not come from a branch of "
                                        + permit.repo()
                                        + " that this sandbox may push;"
                                        + " see http://gateway.sallyport/policy"));
    }

    /// The branch that a new pull request comes from.
    ///
    /// @param text `branch`, or `OWNER:branch` with the repository's own owner
    public static Optional<RefName> opening(ApiPermit permit, String text) {
        String owner = permit.repo().owner() + ":";
        boolean owned = text.regionMatches(true, 0, owner, 0, owner.length());
        return GitText.branch(owned ? text.substring(owner.length()) : text)
                .filter(permit::mayPush);
    }

    /// What is said when there is no such branch.
    public static Objection notToBeOpened(ApiPermit permit) {
        return new Objection(
                Refusal.REF_NOT_ALLOWED,
                "a pull request comes from a branch of "
                        + permit.repo()
                        + " that this sandbox may push, written without an owner;"
                        + " see http://gateway.sallyport/policy");
    }

    /// What stands against a branch that a pull request is to be merged into: it only has to be a
    /// branch, since whoever merges decides.
    public static Optional<Objection> base(String branch) {
        return GitText.branch(branch).isPresent()
                ? Optional.empty()
                : Optional.of(
                        new Objection(Refusal.BAD_REQUEST, "the base is not the name of a branch"));
    }

    /// What stands against asking these people for a review. Teams and bots are none.
    public static Optional<Objection> reviewers(ApiPermit permit, Collection<String> logins) {
        boolean listed =
                logins.stream()
                        .map(login -> login.toLowerCase(Locale.ROOT))
                        .allMatch(permit.rules().reviewers()::contains);
        return listed
                ? Optional.empty()
                : Optional.of(
                        new Objection(
                                Refusal.OPERATION_NOT_ALLOWED,
                                "only these can be asked for a review: "
                                        + permit.rules().reviewers().stream()
                                                .collect(Collectors.joining(", "))));
    }
}
