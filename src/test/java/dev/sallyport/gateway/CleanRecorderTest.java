package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.credential.Credential;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.CredentialSource;
import dev.sallyport.credential.InjectedCredential;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.HostName;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class CleanRecorderTest {
    private static final String TOKEN = "odd+T0ken/0042=";
    private static final String KEY = "key-without-any-shape";
    private static final String SESSION = "00000000000000aa";

    private final List<AuditEvent> written = new ArrayList<>();
    private final CleanRecorder clean =
            new CleanRecorder(
                    event -> {
                        written.add(event);
                        return CompletableFuture.completedFuture(null);
                    });

    private static CredentialBook book() throws Exception {
        HostName git = HostName.parse("git.test.example");
        HostName api = HostName.parse("api.test.example");
        return new CredentialBook(
                List.of(new CredentialSource.Stored(new Credential(git, "git", secret(TOKEN)))),
                List.of(new InjectedCredential("api", api, secret(KEY))));
    }

    private static Secret secret(String value) {
        return Secret.of(value.getBytes(StandardCharsets.US_ASCII));
    }

    private static AuditEvent event(Map<String, String> detail) {
        return new AuditEvent("git.push", SESSION, "deny", detail);
    }

    @Test
    void whatHasASecretOfTheSessionInItIsNotRecorded() throws Exception {
        clean.know(SESSION, book().known());
        var _ = clean.record(event(Map.of("ref-1", "refs/heads/" + TOKEN, "repo", "acme/app")));
        var _ = clean.recordRead(event(Map.of("path", "/x/" + KEY + "/y", "id", "1")));
        assertThat(written)
                .containsExactly(
                        event(Map.of("ref-1", "refs/heads/[redacted]", "repo", "acme/app")),
                        event(Map.of("path", "/x/[redacted]", "id", "1")));
    }

    /// Two values that make a secret only together do not.
    @Test
    void everythingElseIsRecordedAsItIs() throws Exception {
        clean.know(SESSION, book().known());
        AuditEvent whole = event(Map.of("a", TOKEN.substring(0, 7), "b", TOKEN.substring(7)));
        var _ = clean.record(whole);
        assertThat(written).containsExactly(whole);
    }

    @Test
    void whatIsCutWithinASecretIsNotRecorded() throws Exception {
        clean.know(SESSION, book().known());
        String kept = "x".repeat(AuditEvent.VALUE_CHARACTERS_MAX - 12);
        var _ = clean.record(event(Map.of("path", kept + KEY, "id", "1")));
        assertThat(written).containsExactly(event(Map.of("path", kept + "[redacted]", "id", "1")));
    }

    /// Few characters of a secret before the cut leave no room for the whole mark behind the rest.
    @Test
    void theMarkIsAlwaysWhole() throws Exception {
        clean.know(SESSION, book().known());
        String kept = "x".repeat(AuditEvent.VALUE_CHARACTERS_MAX - 9);
        var _ = clean.record(event(Map.of("path", kept + KEY)));
        String room = kept.substring(0, AuditEvent.VALUE_CHARACTERS_MAX - 10);
        assertThat(written).containsExactly(event(Map.of("path", room + "[redacted]")));
    }

    /// What is late is still clean, and a later book is not forgotten with an earlier one.
    @Test
    void secretsAreKnownUntilTheyAreForgotten() throws Exception {
        CredentialBook first = book();
        CredentialBook second = book();
        clean.know(SESSION, first.known());
        clean.know(SESSION, second.known());
        first.wipe();
        second.wipe();
        clean.forget(SESSION, first.known());
        assertThat(clean.isKnown("in a log: " + KEY)).isTrue();
        clean.forget(SESSION, second.known());
        assertThat(clean.isKnown("in a log: " + KEY)).isFalse();
    }
}
