package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.policy.HostName;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SuggestionTest {
    @TempDir Path directory;

    @Test
    void namesTheHostsAndPortsThatWereSeen() throws Exception {
        Suggestion suggestion = new Suggestion();
        suggestion.connection(new HostName("b.example.com"), 443);
        suggestion.connection(new HostName("b.example.com"), 443);
        suggestion.request(new HostName("a.example.com"), 80, "GET", "/x");

        assertThat(suggestion.yaml())
                .isEqualTo(
                        """
                        egress:
                          - host: a.example.com    # 1 time; GET of /x
                            ports: [80]
                          - host: b.example.com    # 2 times
                            ports: [443]
                        """);
    }

    /// What untrusted code chose ends up in a file that a person reads.
    @Test
    void pathsCannotEndTheirComment() {
        Suggestion suggestion = new Suggestion();
        suggestion.request(new HostName("a.example.com"), 80, "GET", "/x\n  - host: evil.example");
        assertThat(suggestion.yaml().lines()).noneMatch(line -> line.contains("- host: evil"));
    }

    @Test
    void isReadAsAPolicyFile() throws Exception {
        Suggestion suggestion = new Suggestion();
        suggestion.connection(new HostName("b.example.com"), 8_443);
        Path file = Files.writeString(directory.resolve("policy.yaml"), suggestion.yaml());
        assertThat(PolicyFile.load(file).egress().rules())
                .singleElement()
                .satisfies(rule -> assertThat(rule.ports()).containsExactly(8_443));
    }
}
