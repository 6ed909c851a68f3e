package dev.sallyport.forge;

import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.RepoName;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// GitLab's objects say by a number where they lie (`project_id`), and projects by their path as
/// well. Confidential issues and internal notes are kept from everybody who is not a member, and so
/// from sandboxes. So are notes of the system's own that tell of other projects: whoever reads with
/// a token gets those that its owner may see.
record GitlabForm(Ground ground) implements AnswerForm {
    private static final Pattern PROJECT =
            Pattern.compile("https?://[^/?#]*/api/v[0-9]+/projects/([^/?#]+).*", Pattern.DOTALL);

    /// As in `mentioned in issue other#7` or `in commit group/other@1a2b3c4d`.
    private static final Pattern ELSEWHERE = Pattern.compile("[A-Za-z0-9_.-][#!@&$%~][A-Za-z0-9]");

    private Optional<RepoName> named(String path) {
        int slash = path.lastIndexOf('/');
        try {
            return slash < 0
                    ? Optional.empty()
                    : Optional.of(
                            RepoName.of(
                                    ground.asked().host(),
                                    path.substring(0, slash),
                                    path.substring(slash + 1)));
        } catch (MalformedNameException _) {
            return Optional.empty();
        }
    }

    @Override
    public boolean isAway(AnswerObject object) {
        long project = object.number("project_id");
        boolean elsewhere =
                object.is("system")
                        && object.text("body").filter(t -> ELSEWHERE.matcher(t).find()).isPresent();
        return (project != 0 && !ground.isGranted(ground.numbered().apply(project)))
                || object.text("path_with_namespace")
                        .filter(path -> !ground.isGranted(named(path)))
                        .isPresent()
                || object.is("confidential")
                || object.is("internal")
                || elsewhere;
    }

    @Override
    public Optional<RepoName> place(AnswerObject object) {
        return object.text("path_with_namespace")
                .flatMap(this::named)
                .or(() -> ground.numbered().apply(object.number("project_id")));
    }

    @Override
    public void learn(AnswerObject object, Consumer<Consumer<Learner>> lessons) {
        long id = object.number("id");
        if (object.text("path_with_namespace").isPresent() && id > 0) {
            place(object).ifPresent(repo -> lessons.accept(l -> l.repository(repo, id)));
        } else if (object.text("source_branch").isPresent() && object.number("iid") > 0) {
            place(object).ifPresent(repo -> merge(object, repo, lessons));
        }
    }

    /// From another project it is nobody's here, whatever its branch is called.
    private static void merge(
            AnswerObject object, RepoName repo, Consumer<Consumer<Learner>> lessons) {
        long project = object.number("project_id");
        boolean within =
                object.number("source_project_id") == project
                        && object.number("target_project_id") == project;
        Optional<PullHead> head =
                within
                        ? object.text("source_branch")
                                .flatMap(GitText::branch)
                                .map(branch -> new PullHead(repo, branch))
                        : Optional.empty();
        lessons.accept(learner -> learner.pull(repo, object.number("iid"), head));
    }

    @Override
    public boolean leadsAway(String address) {
        Matcher project = PROJECT.matcher(address);
        if (!project.matches()) {
            return false;
        }
        String id = project.group(1);
        return !ground.isGranted(
                Dialect.ID.matcher(id).matches()
                        ? ground.numbered().apply(Long.parseLong(id))
                        : named(id.replace("%2F", "/").replace("%2f", "/")));
    }
}
