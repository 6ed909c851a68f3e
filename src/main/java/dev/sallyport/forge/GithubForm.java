package dev.sallyport.forge;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.RepoName;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// An object of GitHub's lies where it says: by its `full_name`, its `url` or its `repository_url`.
/// One that does not say lies where what is around it does.
record GithubForm(Ground ground) implements AnswerForm {
    private static final Pattern PULL = Pattern.compile("pulls/([1-9][0-9]{0,17})");

    private HostName host() {
        return ground.asked().host();
    }

    @Override
    public boolean isAway(AnswerObject object) {
        return url(object, "url").filter(this::isForeign).isPresent()
                || url(object, "repository_url").filter(this::isForeign).isPresent()
                || (object.text("full_name").isPresent() && !ground.isGranted(named(object)));
    }

    private boolean isForeign(RepoUrl url) {
        return !ground.isGranted(url.repo());
    }

    @Override
    public Optional<RepoName> place(AnswerObject object) {
        return named(object).or(() -> url(object, "url").flatMap(RepoUrl::repo));
    }

    private Optional<RepoUrl> url(AnswerObject object, String member) {
        return object.text(member).flatMap(text -> RepoUrl.parse(host(), text));
    }

    private Optional<RepoName> named(AnswerObject object) {
        return object.text("full_name").flatMap(name -> RepoUrl.named(host(), name));
    }

    @Override
    public void learn(AnswerObject object, Consumer<Consumer<Learner>> lessons) {
        url(object, "url").filter(RepoUrl::exact).ifPresent(url -> learn(object, url, lessons));
    }

    private void learn(AnswerObject object, RepoUrl url, Consumer<Consumer<Learner>> lessons) {
        RepoName repo = url.repo().orElseThrow();
        String below = url.below();
        long id = object.number("id");
        long number = object.number("number");
        if (below.isEmpty() && object.text("full_name").isPresent() && id > 0) {
            lessons.accept(learner -> learner.repository(repo, id));
            node(object, "Repository", repo, lessons);
        } else if (below.equals("pulls/" + number) && object.part("head").isPresent()) {
            Optional<PullHead> head = PullHead.of(object.part("head").get(), this::place);
            lessons.accept(learner -> learner.pull(repo, number, head));
            node(object, "PullRequest", repo, lessons);
        } else if (below.equals("issues/" + number) && object.part("pull_request").isEmpty()) {
            node(object, "Issue", repo, lessons);
        } else if (below.equals("pulls/comments/" + id)) {
            pull(object, repo)
                    .ifPresent(pull -> lessons.accept(learner -> learner.comment(repo, id, pull)));
        } else if (below.equals("issues/comments/" + id)) {
            node(object, "IssueComment", repo, lessons);
        }
    }

    /// The number of the pull request that a comment says it is of.
    private Optional<Long> pull(AnswerObject comment, RepoName repo) {
        return url(comment, "pull_request_url")
                .filter(found -> found.exact() && found.repo().equals(Optional.of(repo)))
                .map(found -> PULL.matcher(found.below()))
                .filter(Matcher::matches)
                .map(number -> Long.valueOf(number.group(1)));
    }

    private static void node(
            AnswerObject object, String type, RepoName repo, Consumer<Consumer<Learner>> lessons) {
        object.text("node_id")
                .filter(id -> !id.isEmpty())
                .ifPresent(id -> lessons.accept(learner -> learner.node(id, type, repo)));
    }

    @Override
    public boolean leadsAway(String address) {
        return RepoUrl.parse(host(), address).filter(this::isForeign).isPresent();
    }
}
