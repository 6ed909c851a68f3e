package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WitnessPlaceTest {
    @TempDir Path directory;

    private PolicyFile policy(String yaml) throws IOException {
        Path file = Files.writeString(directory.resolve("policy.yaml"), yaml);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return PolicyFile.load(file);
    }

    private WitnessPlace witness(String yaml) throws IOException {
        return policy("audit: {witness: {" + yaml + "}}\n").audit().witness().orElseThrow();
    }

    private PostUrl url(String url) throws IOException {
        return ((WitnessPlace.AtUrl) witness("url: \"" + url + "\"")).url();
    }

    @Test
    void aFileOrAUrlCanKeepHeads() throws IOException {
        assertThat(witness("file: /mnt/evidence/heads"))
                .isEqualTo(new WitnessPlace.InFile(Path.of("/mnt/evidence/heads")));
        PostUrl url = url("https://witness.example:8443/a?b=c");
        assertThat(url.host().value()).isEqualTo("witness.example");
        assertThat(url.port()).isEqualTo(8443);
        assertThat(url.tls()).isTrue();
        assertThat(url.path()).isEqualTo("/a?b=c");
        assertThat(url("http://witness.example/").port()).isEqualTo(80);
        assertThat(policy("audit: {keep-days-max: 3}\n").audit().witness()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "file: heads",
                "file: /a, url: \"https://witness.example/\"",
                "url: \"https://witness.example\"",
                "url: \"https://user:secret@witness.example/\"",
                "url: \"ftp://witness.example/\"",
                "url: \"https://witness.example:70000/\"",
                "url: \"https://Witness_/\"",
                "file: /a, mode: all"
            })
    void anythingElseIsAnErrorThatNamesTheLine(String yaml) {
        assertThatThrownBy(() -> witness(yaml))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("policy.yaml:1");
    }

    @Test
    void figuresHaveAPortOfLoopbackOrNone() throws IOException {
        assertThat(policy("metrics: {port: 9464}\n").reports().metricsPort()).contains(9464);
        assertThat(policy("hosts: []\n").reports().metricsPort()).isEmpty();
        assertThatThrownBy(() -> policy("metrics: {port: 0}\n"))
                .isInstanceOf(ConfigException.class);
        assertThatThrownBy(() -> policy("metrics: {address: \"0.0.0.0\"}\n"))
                .isInstanceOf(ConfigException.class);
    }
}
