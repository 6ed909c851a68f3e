package dev.sallyport.forge;

import dev.sallyport.policy.RepoName;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Predicate;

/// How the objects of an answer say where they lie.
interface AnswerForm {
    /// What is known of the one who asked.
    ///
    /// @param asked the repository that the request was about
    /// @param granted whether anything of a repository may be read
    /// @param numbered the repository of a number, as far as it is known
    record Ground(
            RepoName asked,
            Predicate<RepoName> granted,
            LongFunction<Optional<RepoName>> numbered) {
        boolean isGranted(Optional<RepoName> repo) {
            return repo.filter(granted).isPresent();
        }
    }

    Ground ground();

    /// Whether the object lies in a repository that is not granted.
    boolean isAway(AnswerObject object);

    /// Where it lies, if it says so.
    Optional<RepoName> place(AnswerObject object);

    /// What a granted object teaches.
    void learn(AnswerObject object, Consumer<Consumer<Learner>> lessons);

    /// Whether an address leads into a repository that is not granted.
    boolean leadsAway(String address);
}
