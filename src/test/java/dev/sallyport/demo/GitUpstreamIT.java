package dev.sallyport.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The demo's upstream must itself be strict, or the demo would prove nothing.
class GitUpstreamIT {
    private static final String HOST = "git.demo.test";

    @TempDir Path directory;

    @Test
    void servesWhoeverHasTheTokenAndNobodyElse() throws Exception {
        Path bare = Git.newRepository(directory, "acme/app", Map.of("a", "1\n"));
        try (GitUpstream upstream = GitUpstream.start(HOST, directory, "robot", "t0ken")) {
            Path ca = Files.writeString(directory.resolve("ca.pem"), upstream.caPem());
            String url = HOST + ":" + upstream.port() + "/acme/app.git";

            assertThatThrownBy(() -> git(upstream, ca, "ls-remote", "https://" + url))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> git(upstream, ca, "ls-remote", "https://robot:wrong@" + url))
                    .isInstanceOf(IOException.class);
            git(upstream, ca, "clone", "-q", "https://robot:t0ken@" + url, "clone");
            Path clone = directory.resolve("clone");
            Files.writeString(clone.resolve("a"), "2\n".repeat(100_000));
            Git.run(clone, "commit", "-qam", "Change");
            git(upstream, ca, "-C", "clone", "push", "-q", "origin", "HEAD:refs/heads/next");

            assertThat(Git.run(bare, "rev-parse", "next"))
                    .isEqualTo(Git.run(clone, "rev-parse", "HEAD"));
            assertThat(upstream.requests())
                    .anyMatch(r -> !r.authorized())
                    .anyMatch(r -> r.authorized());
        }
    }

    private String git(GitUpstream upstream, Path ca, String... arguments) throws IOException {
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "-c",
                                "http.sslCAInfo=" + ca,
                                "-c",
                                "http.curloptResolve="
                                        + HOST
                                        + ":"
                                        + upstream.port()
                                        + ":127.0.0.1"));
        all.addAll(Arrays.asList(arguments));
        return Git.run(directory, all.toArray(String[]::new));
    }
}
