package dev.sallyport.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.fixture.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Which files of the person's are read as git reads them, and what leads to a sandbox's home.
class HostGitFilesTest {
    @TempDir Path directory;
    private Path real;
    private Path homes;

    @BeforeEach
    void prepare() throws IOException {
        real = directory.toRealPath();
        homes = Files.createDirectories(real.resolve("h/homes"));
        for (String name : List.of("own", "xdg", "person/.config")) {
            Files.createDirectories(real.resolve(name).resolve("git"));
        }
        write("person/.gitconfig", "[a]\nfrom = own\n");
        write("person/.config/git/config", "[a]\nfrom = config\n");
        write("xdg/git/config", "[a]\nfrom = xdg\n");
        write("system", "[a]\nfrom = system\n");
        write("global", "[a]\nfrom = global\n");
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(real.resolve(file), text);
    }

    private HostGit host(Map<String, String> more) {
        Map<String, String> environment = new HashMap<>();
        environment.put("HOME", real + "/person");
        environment.put("GIT_CONFIG_SYSTEM", real + "/system");
        environment.putAll(more);
        return HostGit.of(environment, homes);
    }

    private HostGit host() {
        return host(Map.of());
    }

    private static List<String> values(Collection<GitConfigText.Entry> entries) {
        return entries.stream()
                .filter(entry -> entry.section().equals("a"))
                .map(GitConfigText.Entry::value)
                .toList();
    }

    @Test
    void readsWhatGitReads() {
        assertThat(values(host().own())).containsExactly("system", "own", "config");
        assertThat(values(host(Map.of("XDG_CONFIG_HOME", real + "/xdg")).own()))
                .containsExactly("system", "own", "xdg");
        assertThat(values(host(Map.of("GIT_CONFIG_GLOBAL", real + "/global")).own()))
                .containsExactly("system", "global");
        assertThat(values(host(Map.of("GIT_CONFIG_NOSYSTEM", "0")).own())).contains("system");
        assertThat(values(host(Map.of("GIT_CONFIG_NOSYSTEM", "1")).own()))
                .containsExactly("own", "config");
    }

    @Test
    void readsWhatIsIncludedOnWhateverConditionAndEachOnce() throws IOException {
        write(
                "person/.gitconfig",
                "[include]\npath = ~/one\n[includeIf \"onbranch:x\"]\npath = two\n[include]\npath = .gitconfig\n"
                        + "[include]\npath = "
                        + "x/".repeat(40_000)
                        + "\n");
        write("person/one", "[a]\nfrom = ~/x\n[include]\npath = one\n");
        write("person/two", "[a]\nfrom = ~other\n");
        assertThat(values(host().own()))
                .containsExactly("system", real + "/person/x", "~other", "config");
    }

    @Test
    void endsWithFilesThatIncludeEachOther() throws IOException {
        write("person/.gitconfig", "[include]\npath = f0\n");
        for (int i = 0; i < 300; i++) {
            write("person/f" + i, "[a]\nfrom = f\n[include]\npath = f" + (i + 1) + "\n");
        }
        assertThat(values(host().own())).hasSizeBetween(50, 100);
    }

    /// A worktree's configuration is that of its repository, and one of its own.
    @Test
    void readsTheRepositoriesAroundAWorkspace() throws IOException {
        Command.of(
                        "bash",
                        "-ec",
                        """
                        git init -q repo; cd repo; git -c user.name=P -c user.email=p@a.example commit -q --allow-empty -m x
                        git worktree add -q ../tree; git config a.from repo; git config extensions.worktreeConfig true
                        git -C ../tree config --worktree a.from tree; mkdir -p ../tree/sub/work; git init -q ../tree/sub/work""")
                .in(real)
                .run()
                .ok();
        Map<Path, List<GitConfigText.Entry>> around = host().around(real.resolve("tree/sub/work"));
        assertThat(around).containsOnlyKeys(real.resolve("tree"));
        assertThat(values(around.getOrDefault(real.resolve("tree"), List.of())))
                .containsExactly("repo", "tree");
        assertThat(host().around(real.resolve("tree"))).containsOnlyKeys(real.resolve("tree"));
    }

    @ParameterizedTest
    @CsvSource({
        "a, a",
        "./a:b, a:b",
        "/x/../a, /a",
        "~/a, person/a",
        "file:///a, /a",
        "file:///a%20b+c, '/a b+c'",
        "file:///a%zz, /a%zz",
        "link/a, h/homes/a",
        "host:a, ",
        "https://host.example/a, "
    })
    void knowsWhereAUrlLeads(String url, String path) throws IOException {
        Files.createSymbolicLink(real.resolve("link"), homes);
        assertThat(host().local(real, url)).isEqualTo(Optional.ofNullable(path).map(real::resolve));
    }

    @Test
    void aUrlThatIsNoPathLeadsNowhere() {
        assertThat(host().local(real, "a\0b")).isEmpty();
        assertThat(host().local(real, "a/".repeat(40_000))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", ".", "a/b:", "file:", "f", "file:///x", "~"})
    void aBeginningMayBeThatOfAPath(String base) {
        assertThat(HostGit.beginsLocal(base)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://", "git@host:", "host:/a"})
    void anotherMayNot(String base) {
        assertThat(HostGit.beginsLocal(base)).isFalse();
    }

    @Test
    void knowsTheHomesByEachOfTheirPaths() throws IOException {
        Path link = Files.createSymbolicLink(real.resolve("link"), real.resolve("h"));
        HostGit host = HostGit.of(Map.of(), link.resolve("homes"));
        assertThat(host.isInHomes(homes.resolve("one/r"))).isTrue();
        assertThat(host.leadsToHomes(homes.resolve("one"))).isTrue();
        assertThat(host.leadsToHomes(real)).isTrue();
        assertThat(host.leadsToHomes(real.resolve("own"))).isFalse();
        assertThat(host.target(link)).contains(real.resolve("h"));
    }
}
