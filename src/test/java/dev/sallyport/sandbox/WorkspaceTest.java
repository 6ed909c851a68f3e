package dev.sallyport.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
        Path other = directory.resolve("other");
        for (Path refused : List.of(home, home.getParent(), home.resolve(".ssh"), other)) {
            assertThatThrownBy(() -> byName(refused, false)).isInstanceOf(SandboxException.class);
        }
        byName(home.resolve("src/project"), false);
        byName(other.resolve("project"), false);
        byName(home.resolve(".ssh"), true);
        byName(installation.clones().resolve("app-1"), false);
        assertThatThrownBy(() -> byName(installation.home(), true))
                .hasMessageContaining("state directory");
    }

    private void byName(Path path, boolean insisted) throws SandboxException {
        Map<Path, String> named = Map.of(directory.resolve("other"), "HOME");
        MountRules.requirePlace(path, insisted, person, installation, named);
    }

    @Test
    void aHomeThatOnlyTheEnvironmentNamesIsRefusedAsWell() throws Exception {
        Path other = Files.createDirectories(directory.toRealPath().resolve("other"));
        Path keys = Files.createDirectory(other.resolve(".ssh"));
        Path project = Files.createDirectory(other.resolve("project"));
        MountRules rules = new MountRules(person, installation, Map.of(other, "HOME"));

        assertThat(rules.obstacle(other, false))
                .contains("it is or contains your home directory, with your keys in it");
        assertThat(rules.obstacle(keys, false)).isPresent();
        assertThat(rules.obstacle(project, false)).isEmpty();
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
