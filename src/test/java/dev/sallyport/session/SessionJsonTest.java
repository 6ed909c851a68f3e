package dev.sallyport.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.GitIdentity;
import dev.sallyport.config.GitSettings;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.SandboxSpec;
import org.junit.jupiter.api.Test;

/// Sessions that an earlier Sallyport stored.
class SessionJsonTest {
    private static final String BEGIN =
            "{\"runtime\":\"BUBBLEWRAP\",\"workspace\":\"/w\",\"files\":\"/f\",\"gitHosts\":[],";
    private static final String END =
            ",\"mounts\":{\"extra\":[],\"hidden\":[],\"searched\":false},"
                    + "\"resources\":{\"memoryBytes\":null,\"milliCpus\":null,\"processes\":null,\"fileBytes\":1073741824}}";

    private static GitSettings git(String stored) {
        SandboxSpec spec = SessionJson.spec(SessionId.random(), "n", BEGIN + stored + END);
        return spec.git();
    }

    @Test
    void oneWithoutAnIdentityHasNone() {
        assertThat(git("\"git\":{\"rewrite\":true,\"hooks\":true,\"localClones\":false}"))
                .isEqualTo(new GitSettings(true, true, false, GitIdentity.NONE));
        assertThat(git("\"gitRewrite\":false"))
                .isEqualTo(new GitSettings(false, false, false, GitIdentity.NONE));
    }
}
