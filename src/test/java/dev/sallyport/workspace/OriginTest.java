package dev.sallyport.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// G17, I7 and I11: the workspace's own git configuration is data, not something to run.
class OriginTest {
    @TempDir Path workspace;

    @ParameterizedTest
    @CsvSource({
        "https://github.com/acme/app.git, github.com/acme/app",
        "https://github.com/acme/app, github.com/acme/app",
        "https://GitHub.com/Acme/App/, github.com/acme/app",
        "https://github.com:443/acme/app.git, github.com/acme/app",
        "https://user:secret@github.com/acme/app.git, github.com/acme/app",
        "git@github.com:acme/app.git, github.com/acme/app",
        "github.com:acme/app, github.com/acme/app",
        "ssh://git@git.corp.example/acme/app.git, git.corp.example/acme/app",
        "ssh://git@git.corp.example:22/acme/app.git, git.corp.example/acme/app",
    })
    void findsTheRepositoryInEverySpelling(String url, String repo) {
        assertThat(Origin.parse("[remote \"origin\"]\n\turl = " + url + "\n"))
                .isInstanceOfSatisfying(
                        Origin.Found.class, found -> assertThat(found.repo()).hasToString(repo));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/srv/git/app.git",
                "../app.git",
                "file:///srv/git/app.git",
                "http://github.com/acme/app.git",
                "git://github.com/acme/app.git",
                "https://github.com:8443/acme/app.git",
                "ssh://git@github.com:2222/acme/app.git",
                "https://github.com/acme/app/../../other/repo.git",
                "https://github.com/acme/%61pp.git",
                "https://github.com/app.git",
                "https://127.0.0.1/acme/app.git",
                "https://[::1]/acme/app.git",
                "https://localhost/acme/app.git",
                "https://evil.example\\@github.com/acme/app.git",
                "https://a@b@github.com/acme/app.git",
                "ext::sh -c 'touch /tmp/pwned'",
                "--upload-pack=touch /tmp/pwned",
                "git@github.com:acme/app.git;touch pwned",
                "https://github.com/acme/app.git?x=y",
            })
    void refusesWhatIsNotPlainlyARepositoryOnAHost(String url) {
        Origin origin =
                Origin.parse(
                        "[remote \"origin\"]\n\turl = \"" + url.replace("\\", "\\\\") + "\"\n");
        assertThat(origin).isInstanceOf(Origin.Unusable.class);
    }

    @Test
    void neverRepeatsACredentialOfAUrlItCannotUse() {
        Origin origin =
                Origin.parse("[remote \"origin\"]\nurl = https://u:s3cret@github.com:99/a/b\n");
        assertThat(origin.toString()).doesNotContain("s3cret");
    }

    @Test
    void ignoresIncludesAndOtherRemotes() throws IOException {
        Path elsewhere = Files.writeString(workspace.resolve("evil"), origin("evil.example/a/b"));
        config(
                "[include]\n\tpath = "
                        + elsewhere
                        + "\n[remote \"upstream\"]\n\turl = https://github.com/other/app\n"
                        + "[url \"https://evil.example/\"]\n\tinsteadOf = https://github.com/\n"
                        + origin("github.com/acme/app"));
        assertThat(Origin.of(workspace))
                .isInstanceOfSatisfying(
                        Origin.Found.class,
                        found -> assertThat(found.repo()).hasToString("github.com/acme/app"));
    }

    @Test
    void refusesToChooseBetweenTwoUrls() throws IOException {
        config(origin("github.com/acme/app") + origin("github.com/acme/other"));
        assertThat(Origin.of(workspace)).isInstanceOf(Origin.Unusable.class);
    }

    @Test
    void doesNotFollowASymbolicLinkOrAGitFileElsewhere() throws IOException {
        Path elsewhere = Files.createDirectory(workspace.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("config"), origin("github.com/acme/app"));
        Path linked = Files.createDirectory(workspace.resolve("linked"));
        Files.createSymbolicLink(linked.resolve(".git"), elsewhere);
        Path worktree = Files.createDirectory(workspace.resolve("worktree"));
        Files.writeString(worktree.resolve(".git"), "gitdir: " + elsewhere + "\n");
        Path config = Files.createDirectories(workspace.resolve("config/.git"));
        Files.createSymbolicLink(config.resolve("config"), elsewhere.resolve("config"));

        assertThat(Origin.of(linked)).isInstanceOf(Origin.Unusable.class);
        assertThat(Origin.of(worktree)).isInstanceOf(Origin.Unusable.class);
        assertThat(Origin.of(workspace.resolve("config"))).isEqualTo(new Origin.None());
    }

    @Test
    void findsNothingWhereThereIsNothing() throws IOException {
        assertThat(Origin.of(workspace)).isEqualTo(new Origin.None());
        config("[core]\n\tbare = false\n");
        assertThat(Origin.of(workspace)).isEqualTo(new Origin.None());
    }

    @Test
    void refusesAConfigurationWithoutEnd() throws IOException {
        config("#".repeat(Origin.CONFIG_BYTES_MAX + 1));
        assertThat(Origin.of(workspace)).isInstanceOf(Origin.Unusable.class);
    }

    @ParameterizedTest
    @CsvSource({
        "'[remote \"origin\"]\nurl = https://u:p@github.com/a/b', remote.origin.url",
        "'[remote \"x\"]\npushurl = https://ghp_abc@github.com/a/b', remote.x.pushurl",
        "'[http \"https://github.com/\"]\nextraheader = Authorization: basic abc', http.https://github.com/.extraheader",
        "'[url \"https://u:p@github.com/\"]\ninsteadOf = https://github.com/', url.(url).insteadof",
        "'[remote \"origin\"]\nurl = ssh://git:p@github.com/a/b', remote.origin.url",
    })
    void namesTheKeysThatHoldCredentialsWithoutTheirValues(String config, String key) {
        assertThat(keysIn(config)).containsExactly(key);
    }

    @Test
    void sshUserNamesAreNotCredentials() {
        assertThat(keysIn(origin("github.com/acme/app"))).isEmpty();
        assertThat(keysIn("[remote \"o\"]\nurl = ssh://git@github.com/a/b\n")).isEmpty();
        assertThat(keysIn("[remote \"o\"]\nurl = git@github.com:a/b.git\n")).isEmpty();
    }

    private static List<String> keysIn(String config) {
        try {
            return WorkspaceCredentials.keysIn(GitConfigText.parse(config));
        } catch (GitConfigText.MalformedException e) {
            throw new AssertionError(e);
        }
    }

    private static String origin(String repo) {
        return "[remote \"origin\"]\n\turl = https://" + repo + ".git\n";
    }

    private void config(String text) throws IOException {
        Files.createDirectories(workspace.resolve(".git"));
        Files.writeString(workspace.resolve(".git/config"), text);
    }
}
