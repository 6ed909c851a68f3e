package dev.sallyport.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StorePlaceTest {
    @TempDir Path directory;

    private StorePlace store(String yaml) throws IOException {
        Path file = privateFile("policy.yaml", "store: {" + yaml + "}\n");
        StorePlace place = PolicyFile.load(file).store().orElseThrow();
        assertThat(StorePlace.load(file)).contains(place);
        return place;
    }

    private Path privateFile(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void namesAccountHostsAndDatabase() throws IOException {
        StorePlace place =
                store(
                        "url: \"postgresql://gate@db1.example:5433,[fd00::1],10.0.0.1/pool\", password-file: word");
        assertThat(place.hosts()).containsExactly("db1.example:5433", "[fd00::1]", "10.0.0.1");
        assertThat(place.user()).isEqualTo("gate");
        assertThat(place.database()).isEqualTo("pool");
        assertThat(place.passwordFile()).contains(directory.resolve("word"));
        assertThat(place.driverUrl("[fd00::1]")).isEqualTo("jdbc:postgresql://[fd00::1]/pool");
        assertThat(PolicyFile.load(privateFile("policy.yaml", "hosts: []\n")).store()).isEmpty();
        assertThat(StorePlace.load(directory.resolve("none.yaml"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "url: \"postgresql://u:secret@db.example/d\"",
                "url: \"postgresql://db.example/d\"",
                "url: \"postgresql://u@db.example\"",
                "url: \"postgresql://u@db.example/\"",
                "url: \"postgresql://u@/d\"",
                "url: \"postgresql://u@db.example:70000/d\"",
                "url: \"postgresql://u@db.example/d?sslmode=disable\"",
                "url: \"postgresql://u@db.example,/d\"",
                "url: \"postgresql://u@-c x/d\"",
                "url: \"postgres://u@db.example/d\"",
                "url: \"mysql://u@db.example/d\"",
                "password-file: a",
                "url: \"postgresql://u@db.example/d\", password: x",
                "url: \"postgresql://u@db.example/d\", ca-file: none.pem"
            })
    void anythingElseIsAnErrorThatNamesTheLineAndNoPassword(String yaml) {
        assertThatThrownBy(() -> store(yaml))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("policy.yaml:1")
                .hasMessageNotContaining("secret@");
    }

    @Test
    void onlyWhatStaysOnThisMachineIsPlain() throws IOException {
        for (String here : List.of("127.0.0.1", "localhost:5433", "[::1]", "127.0.0.1,[::1]:1")) {
            assertThat(mode(here)).as(here).isEqualTo("disable");
        }
        for (String there :
                List.of("db.example", "localhost,db.example", "127.example", "localhost.example")) {
            assertThat(mode(there)).as(there).isEqualTo("verify-full");
        }
    }

    private String mode(String hosts) throws IOException {
        StorePlace place = store("url: \"postgresql://u@" + hosts + "/d\"");
        return place.driverSettings().getProperty("sslmode", "");
    }

    @Test
    void thePasswordIsOneLineOfAFileThatNobodyElseReads() throws IOException {
        StorePlace place = store("url: \"postgresql://u@db.example/d\", password-file: word");
        assertThatThrownBy(place::password).hasMessageContaining("mode 600");
        Path file = privateFile("word", "correct horse\n");
        assertThat(place.password()).contains("correct horse");
        assertThat(place.driverSettings().toString()).doesNotContain("horse");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(place::password)
                .hasMessageContaining("chmod 600")
                .hasMessageNotContaining("horse");
        for (String wrong : List.of("", "\n", "two\nlines\n", "x".repeat(2_000))) {
            privateFile("word", wrong);
            assertThatThrownBy(place::password).hasMessageContaining("one password");
        }
        assertThat(store("url: \"postgresql://u@db.example/d\"").password()).isEmpty();
    }
}
