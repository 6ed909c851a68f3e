package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Reach;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `tcp:` under `egress:`.
class TcpEntriesTest {
    @TempDir Path directory;

    private PolicyFile load(String egress) throws IOException {
        Path file = Files.writeString(directory.resolve("policy.yaml"), "egress:\n" + egress);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return PolicyFile.load(file);
    }

    @Test
    void areRulesForOnePortOfOneHost() throws Exception {
        EgressRule rule =
                load("""
                                  - tcp: db.example.com:5432
                                    private-addresses: true
                                    dial: "10.0.0.5:6432"
                                """)
                        .egress()
                        .rules()
                        .getFirst();
        assertThat(rule)
                .isEqualTo(
                        EgressRule.tcp(
                                new HostName("db.example.com"),
                                5432,
                                new Reach(true, Optional.of("10.0.0.5:6432"), Optional.empty()),
                                rule.origin()));
        assertThat(rule.origin()).endsWith("policy.yaml:2");
        assertThat(EgressText.of(rule).toRule()).isEqualTo(rule);
    }

    @ParameterizedTest
    @CsvSource({
        "tcp: db.example.com, the port is missing",
        "tcp: '*.example.com:5432', lower-case letters",
        "tcp: 10.0.0.1:5432, an address is not a host name",
        "tcp: db.example.com:0, 1 to 65535",
        "tcp: gateway.sallyport:5432, Sallyport's own",
        "tcp: github.com:22, would bypass its git rules",
        "tcp: ssh.github.com:443, would bypass its git rules",
        "tcp: a.b.github.com:5432, would bypass its git rules",
        "'tcp: db.example.com:5432, methods: [GET]', methods",
        "'tcp: db.example.com:5432, inject: {secret: a}', inject",
        "'tcp: db.example.com:5432, host: a.example', host",
    })
    void refusesWhatWouldBeMore(String entry, String fragment) {
        assertThatThrownBy(() -> load("  - {" + entry.replace("tcp: *", "tcp: \"*") + "}\n"))
                .isInstanceOf(ConfigException.class)
                .satisfies(e -> assertThat(((ConfigException) e).remedy()).isNotBlank())
                .hasMessageContaining(fragment);
    }

    @Test
    void refusesOneThatAnotherEntryDecides() {
        String host = "  - {host: '*.example.com', ports: [5432]}\n";
        String tcp = "  - tcp: db.example.com:5432\n";
        assertThatThrownBy(() -> load(host + tcp)).hasMessageContaining("has no effect");
        assertThatThrownBy(() -> load(tcp + tcp)).hasMessageContaining("has no effect");
    }
}
