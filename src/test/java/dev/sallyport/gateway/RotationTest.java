package dev.sallyport.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.Limits;
import dev.sallyport.fixture.Await;
import dev.sallyport.http.IgnoredBody;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.GitService;
import dev.sallyport.policy.RepoName;
import dev.sallyport.session.LiveSession;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/// What a rotated secret means for requests before and after.
class RotationTest {
    private static final String SESSION = "00000000000000aa";

    private final List<LiveSession> opened = new CopyOnWriteArrayList<>();

    @Test
    void aRequestInFlightKeepsTheOldValueAndTheNextHasTheNewOne() throws Exception {
        GatewayInProcess gateway =
                new GatewayInProcess(
                        Limits.standard(),
                        (session, _, _) -> {
                            opened.add(session);
                            return new IgnoredBody();
                        });
        gateway.attach(SESSION);
        int port = gateway.httpPorts.getOrDefault(SESSION, 0);
        String ask = "GET /git/held HTTP/1.1\r\nHost: localhost\r\n\r\n";
        try (Client first = new Client(port);
                Client second = new Client(port)) {
            first.send(ask);
            await(1);
            gateway.changeSecret(SESSION, "n3w-value");
            second.send(ask);
            await(2);
            assertThat(authorization(opened.get(0))).isEqualTo(basic("s3cret"));
            assertThat(authorization(opened.get(1))).isEqualTo(basic("n3w-value"));
        } finally {
            gateway.close();
        }
    }

    private void await(int requests) {
        Await.until(() -> opened.size() >= requests);
        assertThat(opened).hasSize(requests);
    }

    private static String basic(String secret) {
        byte[] pair = ("x-access-token:" + secret).getBytes(StandardCharsets.US_ASCII);
        return "Basic " + Base64.getEncoder().encodeToString(pair);
    }

    private static String authorization(LiveSession session) throws Exception {
        RepoName repo = RepoName.parse("github.com/acme/app");
        if (!(session.policy().decide(repo, GitService.UPLOAD_PACK)
                instanceof Decision.Allow<GitPermit>(GitPermit permit))) {
            throw new AssertionError("the repository was granted");
        }
        HttpHeaders headers = new DefaultHttpHeaders();
        session.credentials().prepare(permit).join();
        session.credentials().authorize(permit, headers);
        return headers.get(HttpHeaderNames.AUTHORIZATION);
    }
}
