package dev.sallyport.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.Access;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Permit;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.PushRules;
import dev.sallyport.policy.RefVisibility;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// I2: a credential goes to the host that it belongs to, and to no other.
class CredentialBookTest {
    private static final HostName ONE = new HostName("one.example");
    private static final HostName TWO = new HostName("two.example");
    private static final HostName NONE = new HostName("none.example");

    private static Credential credential(HostName host) {
        Secret secret = Secret.of(("t0ken-" + host).getBytes(StandardCharsets.US_ASCII));
        return new Credential(host, "user", secret);
    }

    private static Permit permit(HostName host) throws Exception {
        RepoPattern repo = RepoPattern.parse(host + "/acme/app");
        RepoGrant grant =
                new RepoGrant(repo, Access.READ, RefVisibility.all(), PushRules.standard());
        Policy policy = new Policy(SessionId.random(), List.of(grant));
        return switch (policy.decide(RepoName.of(host, "acme", "app"), GitService.UPLOAD_PACK)) {
            case Decision.Allow(GitPermit permit) -> permit;
            case Decision.Deny(var reason) -> throw new AssertionError(reason);
        };
    }

    private static Optional<String> written(CredentialBook book, HostName host) throws Exception {
        HttpHeaders headers = new DefaultHttpHeaders().set("authorization", "Basic theirs");
        book.prepare(permit(host)).join();
        book.authorize(permit(host), headers);
        return Optional.ofNullable(headers.get("authorization"))
                .map(
                        text ->
                                new String(
                                        Base64.getDecoder().decode(text.substring(6)),
                                        StandardCharsets.US_ASCII));
    }

    @Test
    void i2EachHostGetsItsOwnAndOneWithoutGetsNone() throws Exception {
        CredentialBook book =
                new CredentialBook(
                        List.of(
                                new CredentialSource.Stored(credential(ONE)),
                                new CredentialSource.Stored(credential(TWO))));

        assertThat(written(book, ONE)).contains("user:t0ken-one.example");
        assertThat(written(book, TWO)).contains("user:t0ken-two.example");
        assertThat(written(book, NONE)).isEmpty();
    }

    @Test
    void i2ASourceThatHandsOutAnothersIsNotBelieved() throws Exception {
        CredentialBook book = new CredentialBook(List.of(new Mistaken()));

        assertThatThrownBy(() -> written(book, ONE)).hasMessageContaining("another host");
        assertThatThrownBy(() -> book.guard(permit(ONE))).hasMessageContaining("another host");
    }

    /// Says that it is for one host and has another's.
    private record Mistaken() implements CredentialSource {
        @Override
        public HostName host() {
            return ONE;
        }

        @Override
        public Found find(Permit permit) {
            return new Found.There();
        }

        @Override
        public Optional<Credential> held(Permit permit) {
            return Optional.of(credential(TWO));
        }

        @Override
        public List<Secret> secrets() {
            return List.of();
        }

        @Override
        public void wipe() {}
    }
}
