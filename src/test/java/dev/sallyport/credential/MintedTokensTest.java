package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.credential.MintedTokens.Token;
import dev.sallyport.credential.MintedTokens.Use;
import dev.sallyport.credential.Renewer.NotRenewedException;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.ApiOperation;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.ApiRules;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MirrorUse;
import dev.sallyport.policy.Permit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/// Which token a request carries, and what it waits for.
class MintedTokensTest {
    private static final HostName HOST = new HostName("github.com");

    /// Of the length and with the dots that they have since 2026.
    private static final String LONG =
            "ghs_123456_eyJhbGciOiJSUzI1NiJ9."
                    + "eyJ0b2tlbiI6Im51bWJlciJ9".repeat(30)
                    + ".c2lnbmF0dXJl";

    private static RepoPattern repo(String name) {
        try {
            return RepoPattern.parse("github.com/acme/" + name);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static Token token(Use use, Access access, String value, String... repos) {
        Optional<Credential> credential =
                value.isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                new Credential(
                                        HOST,
                                        "x-access-token",
                                        Secret.of(value.getBytes(StandardCharsets.US_ASCII))));
        return new Token(
                use,
                Arrays.stream(repos).map(MintedTokensTest::repo).toList(),
                access,
                credential,
                false);
    }

    private static Token failed(Use use, String repo) {
        return new Token(use, List.of(repo(repo)), Access.WRITE, Optional.empty(), true);
    }

    private static CredentialBook book(Token... tokens) {
        return new CredentialBook(List.of(new MintedTokens(HOST, List.of(tokens))));
    }

    private static Policy policy(String name, Access access) {
        return new Policy(
                SessionId.random(),
                List.of(
                        new RepoGrant(
                                        repo(name),
                                        access,
                                        RefVisibility.all(),
                                        PushRules.standard(),
                                        MirrorUse.AUTO)
                                .withApi(ApiRules.standard(access))));
    }

    private static Permit git(String name, GitService service) throws Exception {
        RepoName repo = RepoName.parse("github.com/acme/" + name);
        return switch (policy(name, Access.WRITE).decide(repo, service)) {
            case Decision.Allow(GitPermit permit) -> permit;
            case Decision.Deny(var reason) -> throw new AssertionError(reason);
        };
    }

    private static Permit api(String name) throws Exception {
        RepoName repo = RepoName.parse("github.com/acme/" + name);
        return switch (policy(name, Access.WRITE).decide(repo, ApiOperation.PULL_OPEN)) {
            case Decision.Allow(ApiPermit permit) -> permit;
            case Decision.Deny(var reason) -> throw new AssertionError(reason);
        };
    }

    private static String written(CredentialBook book, Permit permit) {
        HttpHeaders headers = new DefaultHttpHeaders();
        book.prepare(permit).join().authorize(permit, headers);
        String value = headers.get("authorization");
        return value.startsWith("Basic ")
                ? new String(Base64.getDecoder().decode(value.substring(6)), StandardCharsets.UTF_8)
                : value;
    }

    private static Refusal refusal(CredentialBook book, Permit permit) {
        CompletableFuture<CredentialBook> prepared = book.prepare(permit);
        assertThat(prepared).isCompletedExceptionally();
        return NotRenewedException.reason(prepared.exceptionNow(), Refusal.INTERNAL);
    }

    @Test
    void gitAndTheApiHaveTheirOwnAndNeitherGetsTheOthers() throws Exception {
        CredentialBook book =
                book(
                        token(Use.GIT, Access.WRITE, "git-token-of-app", "app"),
                        token(Use.API, Access.READ, LONG, "app"));
        assertThat(written(book, git("app", GitService.RECEIVE_PACK)))
                .isEqualTo("x-access-token:git-token-of-app");
        assertThat(written(book, api("app"))).isEqualTo("Bearer " + LONG);

        CredentialBook gitOnly = book(token(Use.GIT, Access.WRITE, "git-token-of-app", "app"));
        assertThat(refusal(gitOnly, api("app"))).isEqualTo(Refusal.TOKEN_NOT_MINTED);
    }

    @Test
    void eachRepositoryHasTheTokenThatWasMintedForIt() throws Exception {
        CredentialBook book =
                book(
                        token(Use.GIT, Access.WRITE, "token-that-writes", "app"),
                        token(Use.GIT, Access.READ, "token-that-reads", "lib", "docs"));
        assertThat(written(book, git("app", GitService.UPLOAD_PACK)))
                .endsWith(":token-that-writes");
        assertThat(written(book, git("Docs", GitService.UPLOAD_PACK)))
                .endsWith(":token-that-reads");
        assertThat(refusal(book, git("docs", GitService.RECEIVE_PACK)))
                .as("no push with a token that reads")
                .isEqualTo(Refusal.TOKEN_NOT_MINTED);
        assertThat(refusal(book, git("other", GitService.UPLOAD_PACK)))
                .isEqualTo(Refusal.TOKEN_NOT_MINTED);
        assertThat(
                        written(
                                book(token(Use.GIT, Access.READ, "token-for-all", "*")),
                                git("any", GitService.UPLOAD_PACK)))
                .endsWith(":token-for-all");
    }

    @Test
    void whatIsBeingMintedIsWaitedFor() throws Exception {
        Permit permit = git("app", GitService.RECEIVE_PACK);
        CredentialBook first = book(token(Use.GIT, Access.WRITE, "", "app"));
        CompletableFuture<CredentialBook> prepared = first.prepare(permit);
        assertThat(prepared).isNotDone();

        CredentialBook second = book(token(Use.GIT, Access.WRITE, "", "app"));
        first.succeededBy(second);
        assertThat(prepared).isNotDone();

        CredentialBook third = book(token(Use.GIT, Access.WRITE, "the-token-at-last", "app"));
        second.succeededBy(third);
        assertThat(prepared).isCompletedWithValue(third);
        assertThat(written(first, permit)).endsWith(":the-token-at-last");
    }

    @Test
    void whatCannotBeMintedIsNotWaitedFor() throws Exception {
        Permit permit = git("app", GitService.RECEIVE_PACK);
        CredentialBook first = book(token(Use.GIT, Access.WRITE, "", "app"));
        CompletableFuture<CredentialBook> prepared = first.prepare(permit);
        first.succeededBy(book(failed(Use.GIT, "app")));
        assertThat(NotRenewedException.reason(prepared.exceptionNow(), Refusal.INTERNAL))
                .isEqualTo(Refusal.TOKEN_NOT_MINTED);
    }

    @Test
    void nobodyWaitsForASessionThatHasEnded() throws Exception {
        CredentialBook book = book(token(Use.GIT, Access.WRITE, "", "app"));
        CompletableFuture<CredentialBook> prepared =
                book.prepare(git("app", GitService.UPLOAD_PACK));
        book.wipe();
        assertThat(NotRenewedException.reason(prepared.exceptionNow(), Refusal.INTERNAL))
                .isEqualTo(Refusal.SESSION_ENDED);
    }

    /// A push is judged for as long as it takes; meanwhile its token may have been renewed.
    @Test
    void whatBeganBeforeARenewalGoesOnAfterIt() throws Exception {
        Permit permit = git("app", GitService.RECEIVE_PACK);
        CredentialBook before = book(token(Use.GIT, Access.WRITE, "token-before", "app"));
        before.succeededBy(book(token(Use.GIT, Access.WRITE, "token-after", "app")));
        before.wipe();
        assertThat(written(before, permit)).endsWith(":token-after");
    }

    @Test
    void p1aLongTokenIsFoundInAnAnswerWhole() throws Exception {
        Permit permit = api("app");
        CredentialBook book = book(token(Use.API, Access.READ, LONG, "app"));
        EchoGuard guard = book.prepare(permit).join().guard(permit).orElseThrow();
        ByteBuf answer =
                Unpooled.copiedBuffer("{\"message\":\"" + LONG + "\"}", StandardCharsets.US_ASCII);
        boolean found = false;
        try {
            guard.pass(answer).release();
        } catch (EchoException e) {
            found = true;
        } finally {
            guard.release();
        }
        assertThat(found).isTrue();
    }
}
