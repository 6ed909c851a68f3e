package dev.sallyport.forge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.forge.graphql.Change;
import dev.sallyport.forge.graphql.RepositoryView;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefPattern;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionViewTest {
    private static final RepositoryView APP = new RepositoryView(RestRig.APP, OptionalLong.empty());

    /// GitHub takes `heads/x` and `refs/heads/x` for the branch `x`, which is not the one of that
    /// name that the rules for pushes were asked about.
    @ParameterizedTest
    @CsvSource({
        "team/fix, true",
        "heads/fix, false",
        "refs/heads/fix, false",
        "fix, false",
        "0123456789abcdef0123456789abcdef01234567, false"
    })
    void g16AHeadIsABranchInOneSpelling(String head, boolean allowed) throws Exception {
        Change change =
                new Change(
                        ApiOperation.PULL_OPEN,
                        APP,
                        Optional.of(new Change.Head(Optional.of(APP), head)),
                        Optional.of("main"),
                        Map.of("title", "a"),
                        List.of());

        assertThat(view("*/**").objection(change).isEmpty()).isEqualTo(allowed);
    }

    private static SessionView view(String branches) throws Exception {
        PushRules usual = PushRules.standard();
        PushRules push =
                new PushRules(
                        List.of(RefPattern.parse(branches)),
                        false,
                        false,
                        false,
                        usual.packBytesMax(),
                        usual.content());
        RepoGrant grant =
                new RepoGrant(
                                RepoPattern.parse("github.com/Acme/App"),
                                Access.WRITE,
                                RefVisibility.all(),
                                push)
                        .withApi(RestRig.ALL);
        Policy policy = new Policy(new SessionId("0123456789abcdef"), List.of(grant));
        return new SessionView(
                policy,
                new ApiSite(RestRig.GITHUB, ApiHost.of(RestRig.GITHUB), GithubDialect.INSTANCE),
                new Known(policy, System::nanoTime));
    }
}
