package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// I10: mounts that undo everything.
class WorkspaceTest {
    @TempDir Path directory;
    private Path home;
    private Person person;
    private Installation installation;

    @BeforeEach
    void makeHome() throws Exception {
        home = Files.createDirectories(directory.toRealPath().resolve("people/me"));
        Person current = Person.current();
        person = new Person(current.uid(), current.gid(), "me", home);
        installation = new Installation(Files.createDirectory(home.resolve(".sallyport")));
    }

    private void assertRefused(Path path, String reason) {
        assertThatThrownBy(() -> checked(path, person, installation))
                .isInstanceOf(SandboxException.class)
                .hasMessageContaining(reason)
                .hasMessageContaining("Choose a project directory");
    }

    @Test
    void aProjectInTheHomeDirectoryIsFineByItsCanonicalPath() throws Exception {
        Path project = Files.createDirectories(home.resolve("src/project"));
        Path link = Files.createSymbolicLink(home.resolve("link"), project);

        assertThat(checked(project, person, installation)).isEqualTo(project);
        assertThat(checked(link, person, installation)).isEqualTo(project);
        assertThat(checked(home.resolve("src/../src/project"), person, installation))
                .isEqualTo(project);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/", "/etc", "/etc/ssl", "/proc", "/proc/self", "/dev", "/sys", "/usr",
                "/usr/share", "/run", "/var", "/var/lib", "/tmp", "/home", "/bin", "/boot"
            })
    void directoriesOfTheSystemAreRefused(String path) {
        assertRefused(Path.of(path), "cannot be a workspace");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/etc/ssl", "/tmp", "/root", "/proc/self", "/usr/share"})
    void namesAloneAreEnoughToRefuseThem(String path) {
        assertThatThrownBy(() -> byName(Path.of(path), false))
                .isInstanceOf(SandboxException.class)
                .hasMessageContaining("cannot be a workspace");
    }

    @Test
    void namesAloneRefuseHomesButNoProjects() throws Exception {
        for (Path refused : List.of(home, home.getParent(), home.resolve(".ssh"))) {
            assertThatThrownBy(() -> byName(refused, false)).isInstanceOf(SandboxException.class);
        }
        byName(home.resolve("src/project"), false);
        byName(home.resolve(".ssh"), true);
        byName(installation.clones().resolve("app-1"), false);
        assertThatThrownBy(() -> byName(installation.home(), true))
                .hasMessageContaining("state directory");
    }

    private void byName(Path path, boolean insisted) throws SandboxException {
        MountRules.requirePlace(path, insisted, person, installation, Map.of());
    }

    @Test
    void aHomeThatOnlyTheEnvironmentNamesIsRefusedAsWell() throws Exception {
        Path other = Files.createDirectories(directory.toRealPath().resolve("others/other"));
        Path keys = Files.createDirectory(other.resolve(".ssh"));
        Path project = Files.createDirectory(other.resolve("project"));
        Map<Path, String> named = named(Places.inHome(other.toString()), "HOME");
        MountRules rules = new MountRules(person, installation, named);

        for (Path refused : List.of(other, other.getParent(), keys)) {
            assertThat(rules.obstacle(refused, false))
                    .hasValueSatisfying(why -> assertThat(why).contains("$HOME keeps credentials"));
            assertThatThrownBy(() -> requirePlace(refused, named))
                    .hasMessageContaining("$HOME keeps credentials");
        }
        assertThat(rules.obstacle(project, false)).isEmpty();
        requirePlace(project, named);
    }

    /// A variable says of a whole directory that credentials are in it. The command line expands
    /// `$HOME`; whoever does not gets less, not more.
    @ParameterizedTest
    @ValueSource(strings = {"DOCKER_CONFIG", "HOME"})
    void whatAVariableNamesIsRefusedWithEverythingInIt(String variable) throws Exception {
        Path cache = Files.createDirectories(directory.toRealPath().resolve("cache"));
        Path config = Files.writeString(cache.resolve("config.json"), "{}");
        for (String text : List.of(cache.toString(), cache + "/")) {
            MountRules rules = new MountRules(person, installation, named(List.of(text), variable));
            assertThat(rules.obstacle(config, false)).isPresent();
        }
    }

    private void requirePlace(Path path, Map<Path, String> named) throws SandboxException {
        MountRules.requirePlace(path, false, person, installation, named);
    }

    private static Map<Path, String> named(List<String> paths, String variable) {
        return Places.named(paths.stream().collect(Collectors.toMap(path -> path, _ -> variable)));
    }

    @Test
    void theHomeDirectoryAndWhatContainsItAreRefused() {
        assertRefused(home, "home directory");
        assertRefused(home.resolveSibling("."), "home directory");
        assertRefused(home.resolve("x/.."), "cannot be a workspace");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".ssh",
                ".aws",
                ".config/gh",
                ".gnupg",
                ".kube",
                ".docker",
                ".docker/run",
                ".config",
                ".config/pip",
                ".config/go",
                ".pip",
                ".gradle/init.d",
                ".m2/repository",
                ".cargo",
                ".gem",
                ".terraform.d"
            })
    void placesOfCredentialsAndTheirParentsAreRefused(String name) throws Exception {
        assertRefused(Files.createDirectories(home.resolve(name)), "credentials");
    }

    @Test
    void aLinkToCredentialsIsRefusedInBothDirections() throws Exception {
        Path keys = Files.createDirectories(directory.toRealPath().resolve("vault/keys"));
        Files.createSymbolicLink(home.resolve(".ssh"), keys);

        assertRefused(Files.createSymbolicLink(home.resolve("innocent"), keys), "credentials");
        assertRefused(keys.resolveSibling("."), "credentials");
    }

    @Test
    void sallyportsOwnStateIsRefused() throws Exception {
        var elsewhere =
                new Installation(
                        Files.createDirectories(directory.toRealPath().resolve("state/home")));

        assertThatThrownBy(() -> checked(elsewhere.home().resolveSibling("."), person, elsewhere))
                .hasMessageContaining("Sallyport's own");
        assertThatThrownBy(
                        () ->
                                checked(
                                        Files.createDirectory(elsewhere.home().resolve("run")),
                                        person,
                                        elsewhere))
                .hasMessageContaining("Sallyport's own");
    }

    @Test
    void whatIsNoDirectoryIsRefused() throws Exception {
        assertRefused(home.resolve("missing"), "does not exist");
        assertRefused(Files.writeString(home.resolve("file"), "x"), "not a directory");
    }

    @Test
    void rootNeedsPermissionLikeEverybodyBecauseItHasNoCapabilitiesInside() {
        var root = new Person(0, 0, "root", home);
        Path notRoots = Path.of("/proc/self");
        assertThat(Workspace.writable(root, 1000, 0755, notRoots)).isFalse();
        assertThat(Workspace.writable(root, 1000, 0777, notRoots)).isTrue();
        assertThat(Workspace.writable(root, 0, 0755, notRoots)).isTrue();
    }

    private static Path checked(Path requested, Person person, Installation installation)
            throws SandboxException {
        MountRules rules = new MountRules(person, installation, Map.of());
        return Workspace.check(requested, Mounts.NONE, rules, person).workspace();
    }
}
