package dev.sallyport.forge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiLevel;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefName;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/// A session with github.com/Acme/App, which it may push `agent/**` of, and a judge of its
/// requests.
final class RestRig implements Facts {
    static final HostName GITHUB = new HostName("github.com");
    static final RepoName APP = new RepoName(GITHUB, "Acme", "App");

    /// All that can be written in a policy.
    static final ApiRules ALL =
            new ApiRules(
                    ApiLevel.READ,
                    ApiLevel.READ,
                    ApiLevel.WRITE,
                    ApiLevel.WRITE,
                    true,
                    List.of("octocat", "hubot"),
                    false);

    private final Policy policy;
    private final Map<Long, RepoName> ids = new HashMap<>();
    private final Map<Long, Numbered> numbers = new HashMap<>();

    private final Map<Long, Long> comments = new HashMap<>();

    RestRig(ApiRules rules) {
        this.policy = policy("github.com/Acme/App", rules);
    }

    static Policy policy(String repo, ApiRules rules) {
        try {
            RepoGrant grant =
                    new RepoGrant(
                                    RepoPattern.parse(repo),
                                    Access.WRITE,
                                    RefVisibility.all(),
                                    PushRules.standard())
                            .withApi(rules);
            return new Policy(new SessionId("0123456789abcdef"), List.of(grant));
        } catch (MalformedNameException e) {
            throw new AssertionError(e);
        }
    }

    static ApiPermit permit(ApiRules rules, ApiOperation operation) {
        return switch (policy("github.com/Acme/App", rules).decide(APP, operation)) {
            case Decision.Allow<ApiPermit>(ApiPermit permit) -> permit;
            case Decision.Deny<ApiPermit>(var reason) -> throw new AssertionError(reason);
        };
    }

    RestRig withId(long id) {
        ids.put(id, APP);
        return this;
    }

    /// A pull request of the repository itself.
    RestRig withPull(long number, String branch) {
        return withPull(number, "Acme", branch);
    }

    RestRig withPull(long number, String owner, String branch) {
        PullHead head =
                new PullHead(
                        new RepoName(GITHUB, owner, "App"), new RefName("refs/heads/" + branch));
        numbers.put(number, new Numbered.Pull(Optional.of(head)));
        return this;
    }

    RestRig withIssue(long number) {
        numbers.put(number, new Numbered.Other());
        return this;
    }

    /// A comment on a line of a pull request.
    RestRig withComment(long comment, long pull) {
        comments.put(comment, pull);
        return this;
    }

    @Override
    public String login() {
        return "sallyport";
    }

    @Override
    public Optional<RepoName> repository(long id) {
        return Optional.ofNullable(ids.get(id));
    }

    @Override
    public Optional<Numbered> number(RepoName repo, long number) {
        assertThat(repo).as("asked about").isEqualTo(APP);
        return Optional.ofNullable(numbers.get(number));
    }

    @Override
    public Optional<Long> commented(RepoName repo, long comment) {
        assertThat(repo).as("asked about").isEqualTo(APP);
        return Optional.ofNullable(comments.get(comment));
    }

    RestVerdict ask(String method, String target, String body) {
        return ask(GITHUB, method, target, "", body);
    }

    /// @param target path and query as the client sends them
    RestVerdict ask(HostName host, String method, String target, String accept, String body) {
        int mark = target.indexOf('?');
        String path = mark < 0 ? target : target.substring(0, mark);
        String query = mark < 0 ? "" : target.substring(mark + 1);
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return new RestJudge()
                .judge(policy, new RestRequest(host, method, path, query, accept, bytes), this);
    }

    RestVerdict get(String target) {
        return ask("GET", target, "");
    }

    static RestVerdict.Forward forwarded(RestVerdict verdict) {
        assertThat(verdict).isInstanceOf(RestVerdict.Forward.class);
        return (RestVerdict.Forward) verdict;
    }

    static String body(RestVerdict verdict) {
        return new String(forwarded(verdict).body(), StandardCharsets.UTF_8);
    }

    static RestVerdict.Denied denied(RestVerdict verdict) {
        assertThat(verdict).isInstanceOf(RestVerdict.Denied.class);
        return (RestVerdict.Denied) verdict;
    }

    /// What a client sees of a repository that is not there.
    static void hidden(RestVerdict verdict) {
        assertThat(denied(verdict).hidden()).isTrue();
        assertThat(denied(verdict).message()).isEqualTo("Not Found");
    }

    /// For answers of GitHub about [#APP].
    ///
    /// @param granted whether anything of a repository may be read
    static AnswerScrubber scrubber(Predicate<RepoName> granted, Learner learner) {
        AnswerForm.Ground ground = new AnswerForm.Ground(APP, granted, _ -> Optional.empty());
        return new AnswerScrubber(new GithubForm(ground), learner);
    }
}
