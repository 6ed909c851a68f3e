package dev.sallyport.forge;

import dev.sallyport.policy.RepoName;
import java.util.Optional;
import java.util.function.Consumer;

/// Gitea's objects are much like GitHub's, but people have a `full_name` as well, which they choose
/// themselves; only what has an owner is a repository. A pull request has the address of its page
/// and says by its `base` where it lies.
record GiteaForm(Ground ground) implements AnswerForm {
    private GithubForm like() {
        return new GithubForm(ground);
    }

    private static boolean isRepository(AnswerObject object) {
        return object.part("owner").isPresent() || object.text("owner").isPresent();
    }

    private Optional<RepoName> named(AnswerObject object) {
        return isRepository(object)
                ? object.text("full_name")
                        .flatMap(name -> RepoUrl.named(ground.asked().host(), name))
                : Optional.empty();
    }

    @Override
    public boolean isAway(AnswerObject object) {
        boolean repository = isRepository(object) && object.text("full_name").isPresent();
        return (repository && !ground.isGranted(named(object)))
                || object.text("url").filter(this::leadsAway).isPresent()
                || object.part("repository").filter(this::isAway).isPresent();
    }

    @Override
    public Optional<RepoName> place(AnswerObject object) {
        return named(object)
                .or(() -> object.part("repository").flatMap(this::named))
                .or(() -> object.part("base").flatMap(b -> b.part("repo")).flatMap(this::named));
    }

    @Override
    public void learn(AnswerObject object, Consumer<Consumer<Learner>> lessons) {
        Optional<RepoName> named = named(object);
        long id = object.number("id");
        long number = object.number("number");
        if (named.isPresent() && id > 0) {
            lessons.accept(learner -> learner.repository(named.get(), id));
        } else if (number > 0 && object.part("base").isPresent()) {
            Optional<PullHead> head = object.part("head").flatMap(this::head);
            place(object)
                    .filter(ground.granted())
                    .ifPresent(repo -> lessons.accept(l -> l.pull(repo, number, head)));
        }
    }

    /// Of one that came by `refs/for/…` there is no branch.
    private Optional<PullHead> head(AnswerObject head) {
        return head.part("repo")
                .flatMap(this::named)
                .flatMap(
                        repo ->
                                head.text("ref")
                                        .flatMap(GitText::branch)
                                        .map(branch -> new PullHead(repo, branch)));
    }

    @Override
    public boolean leadsAway(String address) {
        return like().leadsAway(address);
    }
}
