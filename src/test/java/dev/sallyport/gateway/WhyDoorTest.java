package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.audit.AuditEvent;
import dev.sallyport.config.Limits;
import dev.sallyport.http.IgnoredBody;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// P1: what a sandbox is told about its denials tells nothing about the secrets of its session.
final class WhyDoorTest {
    private static final String SESSION = "00000000000000aa";
    private static final String SECRET = "planted+value/0042=of-the-git-host";

    private final GatewayInProcess gateway =
            new GatewayInProcess(Limits.standard(), (_, _, _) -> new IgnoredBody());

    @BeforeEach
    void attach() throws Exception {
        gateway.attach(SESSION);
        gateway.changeSecret(SESSION, SECRET);
    }

    @AfterEach
    void close() throws Exception {
        gateway.close();
        assertThat(gateway.halts).isEmpty();
    }

    private String ask(String path) throws IOException {
        return Client.get(gateway.httpPorts.getOrDefault(SESSION, 0), path);
    }

    /// Asks for a path that is cut off behind a guess.
    private void guess(String guess) throws IOException {
        int lead = AuditEvent.VALUE_CHARACTERS_MAX - 2 - guess.length();
        assertThat(ask("/" + "a".repeat(lead) + guess + "zzz")).contains("no-such-endpoint");
    }

    @Test
    void p1ABeginningOfASecretLooksLikeAnyOtherText() throws Exception {
        for (int right = 12; right < 26; right++) {
            guess(SECRET.substring(0, right));
            guess(SECRET.substring(0, right - 1) + "~");
        }
        String why = ask("/why");
        assertThat(why).doesNotContain("[redacted]");
        for (int right = 12; right < 26; right++) {
            String cut = "a" + SECRET.substring(0, right) + "…";
            assertThat(why).contains(cut, "a" + SECRET.substring(0, right - 1) + "~…");
            assertThat(gateway.recorded(SESSION, "http.refused"))
                    .as("the record hides it all the same")
                    .hasSize(28)
                    .noneMatch(event -> event.toString().contains(cut));
        }
    }

    /// Requests that were permitted before still carry it.
    @Test
    void p1ASecretThatWasReplacedIsKeptOutOfTheRecordAsTheNewOneIs() throws Exception {
        String next = "another-value-of-the-git-host";
        gateway.changeSecret(SESSION, next);
        for (String secret : List.of(SECRET, next)) {
            assertThat(ask("/x/" + secret)).contains("no-such-endpoint");
        }
        assertThat(ask("/why")).doesNotContain(SECRET).doesNotContain(next);
        assertThat(gateway.recorded(SESSION, "http.refused"))
                .hasSize(2)
                .allMatch(event -> "/x/[redacted]".equals(event.detail().get("path")));
    }

    @Test
    void p1AWholeSecretIsShownNowhere() throws Exception {
        assertThat(ask("/x/" + SECRET + "/y")).contains("no-such-endpoint");
        assertThat(ask("/why")).contains("[redacted]").doesNotContain(SECRET);
        assertThat(gateway.recorded(SESSION, "http.refused"))
                .isNotEmpty()
                .noneMatch(e -> e.toString().contains(SECRET));
    }
}
