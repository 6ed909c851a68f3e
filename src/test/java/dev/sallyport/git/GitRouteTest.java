package dev.sallyport.git;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.GitService;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class GitRouteTest {
    private static final RepoName APP = new RepoName(new HostName("github.com"), "acme", "app");
    private static final String BASE = "/git/github.com/acme/app.git/";

    @Test
    void theSuffixMayBeLeftOutAndNamesTheSameRepository() {
        assertThat(GitRoute.parse("POST", "/git/github.com/acme/app/git-upload-pack", ""))
                .isEqualTo(GitRoute.parse("POST", BASE + "git-upload-pack", ""));
    }

    @Test
    void knowsTheFourRequests() {
        assertThat(GitRoute.parse("GET", BASE + "info/refs", "service=git-upload-pack"))
                .isEqualTo(new GitRoute.Advertise(APP, GitService.UPLOAD_PACK));
        assertThat(GitRoute.parse("GET", BASE + "info/refs", "service=git-receive-pack"))
                .isEqualTo(new GitRoute.Advertise(APP, GitService.RECEIVE_PACK));
        assertThat(GitRoute.parse("POST", BASE + "git-upload-pack", ""))
                .isEqualTo(new GitRoute.Call(APP, GitService.UPLOAD_PACK));
        assertThat(GitRoute.parse("POST", BASE + "git-receive-pack", ""))
                .isEqualTo(new GitRoute.Call(APP, GitService.RECEIVE_PACK));
    }

    @Test
    void keepsARepositoryNameWithDots() {
        assertThat(GitRoute.parse("POST", "/git/h.example/o/a.b.git/git-upload-pack", ""))
                .isEqualTo(
                        new GitRoute.Call(
                                new RepoName(new HostName("h.example"), "o", "a.b"),
                                GitService.UPLOAD_PACK));
    }

    /// With groups in groups the end of a path says where the name is over.
    @ParameterizedTest
    @ValueSource(strings = {"group/sub/app", "group/sub/app.git", "group/info/refs", "a/b/c/d/e"})
    void aNameEndsWhereTheEndpointBegins(String path) throws Exception {
        RepoName repo = RepoName.parse("h.example/" + path.replaceFirst("\\.git$", ""));
        assertThat(GitRoute.parse("POST", "/git/h.example/" + path + "/git-receive-pack", ""))
                .isEqualTo(new GitRoute.Call(repo, GitService.RECEIVE_PACK));
        assertThat(
                        GitRoute.parse(
                                "GET",
                                "/git/h.example/" + path + "/info/refs",
                                "service=git-upload-pack"))
                .isEqualTo(new GitRoute.Advertise(repo, GitService.UPLOAD_PACK));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/git/github.com/acme/app/app.git/x/git-upload-pack",
                "/git/github.com/acme/app/.git/git-upload-pack",
                "/git/github.com/acme/app./git-upload-pack",
                "/git/github.com/acme/app.git.git/git-upload-pack",
                "/git/github.com/acme/app.GIT/git-upload-pack",
                "/git/github.com/acme/app.git/Git-Upload-Pack",
                "/Git/github.com/acme/app.git/git-upload-pack",
                "/git/GitHub.com/acme/app.git/git-upload-pack",
                "/git/github.com./acme/app.git/git-upload-pack",
                "/git/github.com:443/acme/app.git/git-upload-pack",
                "/git/user@github.com/acme/app.git/git-upload-pack",
                "/git/127.0.0.1/acme/app.git/git-upload-pack",
                "/git//github.com/acme/app.git/git-upload-pack",
                "/git/github.com//acme/app.git/git-upload-pack",
                "/git/github.com/acme//app.git/git-upload-pack",
                "/git/github.com/acme/app.git//git-upload-pack",
                "/git/github.com/acme/app.git/git-upload-pack/",
                "/git/github.com/acme/app.git/./git-upload-pack",
                "/git/github.com/acme/other.git/../app.git/git-upload-pack",
                "/git/github.com/acme/../evil/app.git/git-upload-pack",
                "/git/github.com/../app.git/git-upload-pack",
                "/git/github.com/./app.git/git-upload-pack",
                "/git/github.com/acme/...git/git-upload-pack",
                "/git/github.com/acme/.git/git-upload-pack",
                "/git/github.com/acme/app%2egit/git-upload-pack",
                "/git/github.com/acme%2fapp.git/git-upload-pack",
                "/git/github.com/acme/%61pp.git/git-upload-pack",
                "/git/github.com/acme/app.git/git-upload-pack%00",
                "/git/github.com/acme/app.git\\git-upload-pack",
                "/git/github.com/acme/app.git;x/git-upload-pack",
                "/git/github.com/acme/sub.git/app.git/git-upload-pack",
                "/git/github.com/acme/app.git/git-upload-archive",
                "/git/github.com/acme/app.git/HEAD",
                "/git/github.com/acme/app.git/objects/info/packs",
                "/git/github.com/acme/app.git/info/lfs/../refs",
                "/git/github.com/acme/app.git/info/lfs//x",
                "/git/github.com/acme/app.git/",
                "/git/github.com/acme/app.git",
                "/git/",
                "/"
            })
    void g15HasNoSecondSpelling(String path) {
        assertThat(GitRoute.parse("POST", path, ""))
                .isEqualTo(new GitRoute.None(Refusal.NO_SUCH_ENDPOINT));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "service=",
                "service=git-upload-archive",
                "service=git-receive-pack&x=1",
                "x=1&service=git-receive-pack",
                "service=git-upload-pack&service=git-receive-pack",
                "service=git-upload-pack&",
                "Service=git-upload-pack",
                "service=git%2dupload-pack",
                "service=git-upload-pack#"
            })
    void g15TakesTheServiceQueryInOneFormOnly(String query) {
        assertThat(GitRoute.parse("GET", BASE + "info/refs", query))
                .isEqualTo(new GitRoute.None(Refusal.NO_SUCH_ENDPOINT));
    }

    @Test
    void g15ACallHasNoQuery() {
        assertThat(GitRoute.parse("POST", BASE + "git-upload-pack", "service=git-receive-pack"))
                .isEqualTo(new GitRoute.None(Refusal.NO_SUCH_ENDPOINT));
    }

    @ParameterizedTest
    @CsvSource({"POST,info/refs", "HEAD,info/refs", "GET,git-upload-pack", "PUT,git-receive-pack"})
    void refusesOtherMethods(String method, String endpoint) {
        assertThat(GitRoute.parse(method, BASE + endpoint, ""))
                .isEqualTo(new GitRoute.None(Refusal.METHOD_NOT_ALLOWED));
    }

    @Test
    void recognisesLfs() {
        assertThat(GitRoute.parse("POST", BASE + "info/lfs/objects/batch", ""))
                .isEqualTo(new GitRoute.Lfs(APP, "objects/batch"));
    }
}
