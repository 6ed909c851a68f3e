package dev.sallyport.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a grant says about large files.
class LfsPolicyTest {
    private static final SessionId SESSION = new SessionId("0123456789abcdef");

    private static RepoGrant grant(String repo, Access access, LfsRules rules) throws Exception {
        PushRules push = access == Access.WRITE ? PushRules.standard() : PushRules.none();
        return new RepoGrant(RepoPattern.parse(repo), access, RefVisibility.all(), push)
                .withLfs(rules);
    }

    private static Policy policy(String host, Access access, LfsRules rules) throws Exception {
        return new Policy(SESSION, List.of(grant(host + "/acme/app", access, rules)));
    }

    private static String decided(Policy policy, String repo, GitService service) throws Exception {
        return switch (policy.decideLfs(RepoName.parse(repo), service)) {
            case Decision.Allow<GitPermit> _ -> "allow";
            case Decision.Deny<GitPermit>(Refusal reason) -> reason.code();
        };
    }

    @ParameterizedTest
    @CsvSource({
        "WRITE,WRITE,allow,allow",
        "WRITE,READ,allow,lfs-not-allowed",
        "WRITE,OFF,lfs-not-allowed,lfs-not-allowed",
        "READ,WRITE,allow,repo-read-only",
        "READ,OFF,lfs-not-allowed,repo-read-only"
    })
    void goesNoFurtherThanGitAndNoFurtherThanItsOwnRules(
            Access access, ApiLevel level, String read, String write) throws Exception {
        Policy policy = policy("git.example.com", access, new LfsRules(level, 10, 20, List.of()));

        assertThat(decided(policy, "git.example.com/acme/app", GitService.UPLOAD_PACK))
                .isEqualTo(read);
        assertThat(decided(policy, "git.example.com/acme/app", GitService.RECEIVE_PACK))
                .isEqualTo(write);
        assertThat(decided(policy, "git.example.com/acme/other", GitService.UPLOAD_PACK))
                .isEqualTo("repo-unavailable");
    }

    @ParameterizedTest
    @CsvSource({
        "github.com,github.com,true",
        "github.com,lfs.github.com,true",
        "github.com,github-cloud.s3.amazonaws.com,true",
        "github.com,api.github.com,false",
        "github.com,other.s3.amazonaws.com,false",
        "git.example.com,git.example.com,true",
        "git.example.com,media.git.example.com,true",
        "git.example.com,evilgit.example.com,false",
        "git.example.com,example.com,false",
        "git.example.com,store.example.org,true",
        "git.example.com,x.store.example.org,false"
    })
    void g26_aGitHostKeepsObjectsWhereItIsKnownTo(String git, String store, boolean kept)
            throws Exception {
        List<HostPattern> storage = List.of(HostPattern.parse("store.example.org"));
        Policy policy = policy(git, Access.WRITE, new LfsRules(ApiLevel.WRITE, 10, 20, storage));
        Decision<GitPermit> permit =
                policy.decideLfs(RepoName.parse(git + "/acme/app"), GitService.RECEIVE_PACK);

        Decision<EgressPermit> decision =
                policy.decideStorage(
                        ((Decision.Allow<GitPermit>) permit).permit(), new HostName(store));

        assertThat(decision instanceof Decision.Allow<EgressPermit>).isEqualTo(kept);
        assertThat(policy.decide(new HostName(store), 8443) instanceof Decision.Deny<?>).isTrue();
    }

    @Test
    void whatChangesKeepsTheLessOfBoth() throws Exception {
        RepoGrant has =
                grant(
                        "git.example.com/acme/app",
                        Access.WRITE,
                        new LfsRules(
                                ApiLevel.WRITE,
                                10,
                                200,
                                List.of(HostPattern.parse("*.example.org"))));
        RepoGrant gets =
                grant(
                        "git.example.com/acme/app",
                        Access.WRITE,
                        new LfsRules(
                                ApiLevel.READ,
                                100,
                                20,
                                List.of(HostPattern.parse("a.example.org"))));

        assertThat(Narrowing.of(List.of(has), List.of(gets)).getFirst().lfs())
                .isEqualTo(
                        new LfsRules(
                                ApiLevel.READ,
                                10,
                                20,
                                List.of(HostPattern.parse("a.example.org"))));
    }

    /// Sessions that were stored before keep what they had, which was nothing, and their digest.
    @Test
    void noRulesForLargeFilesAreNoPartOfTheDigest() throws Exception {
        Policy none = policy("git.example.com", Access.WRITE, LfsRules.NONE);
        Policy some = policy("git.example.com", Access.WRITE, LfsRules.standard(Access.WRITE));
        Policy other =
                policy(
                        "git.example.com",
                        Access.WRITE,
                        new LfsRules(ApiLevel.WRITE, 1, 2, List.of()));
        Policy before =
                new Policy(
                        SESSION,
                        List.of(
                                new RepoGrant(
                                        RepoPattern.parse("git.example.com/acme/app"),
                                        Access.WRITE,
                                        RefVisibility.all(),
                                        PushRules.standard())));

        assertThat(none.digest()).isEqualTo(before.digest());
        assertThat(some.digest()).isNotEqualTo(none.digest()).isNotEqualTo(other.digest());
    }
}
