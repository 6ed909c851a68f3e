package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.sandbox.Places;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a person is told about a workspace before and after a sandbox has it (I7, I11), and what is
/// asked of the warden.
class WorkspaceNoticesTest {
    private static final String VIEW =
            """
            {"name":"work","session":"s1","runtime":"bubblewrap","state":"running","image":null,\
            "workspace":"/nonexistent","repos":[],"egress":[],"learn":false,"policyDigest":"d","identity":null,\
            "usage":{"requests":1,"bytesUp":2,"bytesDown":3,"pushes":0},"created":"2026-01-01T00:00:00Z",\
            "lastUsed":"2026-01-01T00:00:00Z","expires":"2026-01-02T00:00:00Z","git":{"rewrite":true,"hooks":false,"localClones":false,"identity":{"name":null,"email":null,"defaultBranch":null}},"ephemeral":false,\
            "life":{"idleEnd":"2026-01-02T00:00:00Z","absoluteEnd":"2026-01-08T00:00:00Z","latestEnd":"2026-02-01T00:00:00Z","requestsMax":null,"bytesMax":null,"pushesMax":null},\
            "verified":null,\
            "mounts":{"extra":[{"path":"/m","writable":false,"unsafe":true}],"hidden":["/w/.env"],"searched":false},\
            "resources":{"memoryBytes":1073741824,"milliCpus":1500,"processes":64,"fileBytes":1048576},
            "hardening":{"user":"usual","process":null,"runtimeClass":null,"ownUserNamespace":null},"published":[],"notices":[]}""";

    @TempDir Path directory;
    private Path workspace;
    private FakeWarden warden;
    private Shell shell;

    @BeforeEach
    void start() throws IOException {
        workspace = Files.createDirectory(directory.toRealPath().resolve("work"));
        warden = FakeWarden.start(directory);
        warden.answer("GET /v1/status", 200, "{}").answer("POST /v1/sandboxes", 200, VIEW);
        shell = new Shell(warden.home(), workspace);
    }

    @AfterEach
    void stop() throws IOException {
        warden.close();
    }

    private String asked(String... more) {
        String[] arguments = new String[more.length + 2];
        arguments[0] = "new";
        arguments[1] = "--no-repo";
        System.arraycopy(more, 0, arguments, 2, more.length);
        assertThat(shell.run("", arguments)).as(shell.err()).isZero();
        return warden.asked().getLast();
    }

    private void write(String name, String text) throws IOException {
        Path file = workspace.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Test
    void mountsAreReadOnlyUnlessSaidOtherwise() {
        assertThat(asked("--mount", "lib", "--mount", "/opt/x:rw", "--mount", "/opt/y:ro"))
                .contains(
                        "{\"path\":\"" + workspace + "/lib\",\"writable\":false,\"unsafe\":false}")
                .contains("{\"path\":\"/opt/x\",\"writable\":true,\"unsafe\":false}")
                .contains("{\"path\":\"/opt/y\",\"writable\":false,\"unsafe\":false}");
        assertThat(shell.err()).doesNotContain("UNSAFE");
    }

    @Test
    void i10AnUnsafeMountIsLoud() {
        assertThat(asked("--unsafe-mount", "/srv/s")).contains("\"unsafe\":true");
        assertThat(shell.err()).contains("UNSAFE").contains("/srv/s");
    }

    /// What is known as a sandbox's own is not trusted any more: a home directory with programs
    /// must not become that by a command that is refused.
    @Test
    void aPlaceThatCannotBeAWorkspaceIsRefusedBeforeItIsSearchedOrRemembered() throws IOException {
        Path person = directory.toRealPath();
        Files.writeString(person.resolve("id_rsa"), "-----BEGIN OPENSSH PRIVATE KEY-----\n");

        assertThat(shell.run("", "new", "--no-repo", "--workspace", person.toString()))
                .isEqualTo(64);
        assertThat(shell.err())
                .contains(".ssh, where $HOME keeps credentials")
                .contains("--workspace ~/project")
                .doesNotContain("id_rsa");
        assertThat(warden.asked()).isEmpty();
        assertThat(warden.home().knownWorkspaces()).doesNotExist();
        asked("--workspace", workspace.toString());
        assertThat(warden.home().knownWorkspaces()).exists();
    }

    @Test
    void aDirectoryOfARepositoryIsMentionedAsSuch() throws IOException {
        Files.createDirectories(workspace.resolve(".git"));
        Path below = Files.createDirectories(workspace.resolve("src/deep"));

        assertThat(shell.run("", "new", "--workspace", below.toString())).isZero();
        assertThat(shell.err()).contains("--workspace '" + workspace + "'\n");
        assertThat(shell.run("", "new", "--workspace", workspace.toString())).isZero();
        assertThat(shell.err()).doesNotContain("is in " + workspace);
    }

    @Test
    void aRepositoryThatCannotBeAWorkspaceIsNotMentioned() throws IOException {
        Files.createDirectories(directory.resolve(".git"));
        Path below = Files.createDirectories(workspace.resolve("src"));

        assertThat(shell.run("", "new", "--workspace", below.toString())).isZero();
        assertThat(shell.err())
                .contains("no repository: the workspace has no origin")
                .doesNotContain("To work in the repository");
    }

    /// The sandbox that had the directory may have made the repository, so that the next one is
    /// given all of it.
    @Test
    void i15ARepositoryThatASandboxCouldHaveMadeIsNotMentioned() throws IOException {
        Path below = Files.createDirectories(workspace.resolve("src/deep"));
        asked("--workspace", workspace.toString());
        Files.createDirectories(workspace.resolve(".git"));

        assertThat(shell.run("", "new", "--workspace", below.toString())).isZero();
        assertThat(shell.err())
                .contains("no repository: the workspace has no origin")
                .doesNotContain("To work in the repository");
    }

    /// I15: what is remembered as a sandbox's own is not trusted any more.
    @Test
    void aWritableMountThatIsRefusedIsNotRemembered() throws IOException {
        Path person = directory.toRealPath();
        Path link = Files.createSymbolicLink(directory.resolve("link"), person);
        for (Path refused : List.of(person, link)) {
            assertThat(shell.run("", "new", "--no-repo", "--mount", refused + ":rw")).isEqualTo(64);
            assertThat(shell.err()).contains(person + " cannot be a workspace or a mount");
        }
        assertThat(warden.asked()).isEmpty();
        assertThat(warden.home().knownWorkspaces()).doesNotExist();
        asked("--unsafe-mount", person + ":rw");
        assertThat(warden.home().knownWorkspaces())
                .content()
                .contains('"' + person.toString() + '"');
    }

    @Test
    void i15AMountIsNotReachedThroughALinkThatASandboxCouldHaveMade() throws IOException {
        Path real = directory.toRealPath();
        Path had = Files.createDirectories(real.resolve("had"));
        Path other = Files.createDirectories(real.resolve("other/sub"));
        asked("--mount", had + ":rw");

        Files.createSymbolicLink(had.resolve("link"), Path.of("../other"));
        Files.createSymbolicLink(real.resolve("own"), Path.of("had/link"));
        Files.createSymbolicLink(had.resolve("nowhere"), Path.of("../none"));
        int asked = warden.asked().size();
        for (String option : List.of("--mount", "--unsafe-mount")) {
            for (String way : List.of("had/link", "had/link/sub:rw", "own:ro")) {
                String mount = real.resolve(way).toString();
                assertThat(shell.run("", "new", "--no-repo", option, mount)).as(way).isEqualTo(77);
                assertThat(shell.err()).contains(had + "/link").contains(real + "/other");
            }
        }
        assertThat(shell.run("", "new", "--no-repo", "--mount", had + "/nowhere:rw")).isEqualTo(64);
        assertThat(shell.err()).contains("had/nowhere does not exist");
        assertThat(warden.asked()).hasSize(asked);

        Files.createSymbolicLink(real.resolve("linked"), Path.of("other"));
        assertThat(asked("--mount", real + "/linked/sub:rw"))
                .contains("\"path\":\"" + other + "\",\"writable\":true");
    }

    @Test
    void i10WhoInsistsOnAPlaceMayNameItThroughALink() throws IOException {
        Path person = directory.toRealPath();
        Path link = Files.createSymbolicLink(directory.resolve("link"), person);
        assertThat(asked("--workspace", person.toString(), "--unsafe-mount", link.toString()))
                .contains("\"workspace\":\"" + person + "\"");
    }

    @Test
    void aPathThatNoFileCanHaveIsRefusedAsSuch() {
        assertThat(shell.run("", "new", "--no-repo", "--mount", "/x\ud800:rw")).isEqualTo(64);
        assertThat(shell.err()).contains("invalid character").doesNotContain("Bug in");
        assertThat(warden.asked()).isEmpty();
    }

    @Test
    void whatIsToBeKnownOfANewSandboxIsSaid() {
        warden.answer(
                "POST /v1/sandboxes",
                200,
                VIEW.replace("\"notices\":[]", "\"notices\":[\"policy.yaml is not in force\"]"));
        asked();
        assertThat(shell.err()).contains("work: policy.yaml is not in force");
    }

    @Test
    void placesComeFromTheEnvironment() {
        Map<String, String> environment =
                Map.of(
                        "KUBECONFIG", "/a/one:/b/two",
                        "DOCKER_HOST", "unix:///c/docker.sock",
                        "DBUS_SESSION_BUS_ADDRESS", "unix:path=/d/bus,guid=1",
                        "SSH_AUTH_SOCK", "relative",
                        "OTHER", "/e");
        assertThat(MountOptions.places(environment))
                .containsOnly(
                        Map.entry("/a/one", "KUBECONFIG"),
                        Map.entry("/b/two", "KUBECONFIG"),
                        Map.entry("/c/docker.sock", "DOCKER_HOST"),
                        Map.entry("/d/bus", "DBUS_SESSION_BUS_ADDRESS"));
        assertThat(MountOptions.places(Map.of("DOCKER_HOST", "tcp://192.0.2.1:2375"))).isEmpty();
        assertThat(MountOptions.places(Map.of("HOME", "relative"))).isEmpty();
    }

    /// A daemon that was started before an upgrade refuses all that overlaps with a named place,
    /// and with more than 256 of them it refuses the sandbox.
    @Test
    void ofTheHomeDirectoryItsCredentialsAreNamedAndWeakenNoOtherPlace() {
        Map<String, String> places =
                MountOptions.places(
                        Map.of("HOME", "/cache", "DOCKER_CONFIG", "/cache", "GNUPGHOME", "/g/"));
        assertThat(places)
                .containsEntry("/cache", "DOCKER_CONFIG")
                .containsEntry("/cache/.ssh", "HOME")
                .hasSizeLessThan(128);
        assertThat(MountOptions.places(Map.of("HOME", "/a,b:/c")))
                .containsEntry("/a,b:/c/.ssh", "HOME")
                .doesNotContainKeys("/a,b:/c", "/a", "/c/.ssh");
    }

    @Test
    void i10AHomeDirectoryThatIsAnotherPlaceTooDoesNotOpenIt() {
        Map<Path, String> named =
                Places.named(
                        MountOptions.places(Map.of("HOME", "/cache/", "DOCKER_CONFIG", "/cache")));
        assertThat(named).containsEntry(Path.of("/cache"), "DOCKER_CONFIG");
    }

    @Test
    void limitsAreWrittenAsPeopleDo() {
        assertThat(asked("--memory", "512m", "--cpus", "1.5", "--pids", "99", "--file-size", "2G"))
                .contains("\"memoryBytes\":536870912,\"milliCpus\":1500,\"processes\":99,")
                .contains("\"fileBytes\":2147483648");
        assertThat(shell.run("", "new", "--no-repo", "--memory", "much")).isEqualTo(64);
        assertThat(shell.err()).contains("512m");
    }

    @Test
    void showSaysWhatIsMountedHiddenAndLimited() {
        warden.answer("GET /v1/sandboxes/work", 200, VIEW);
        assertThat(shell.run("", "show", "work")).isZero();
        assertThat(shell.out())
                .containsPattern("UNSAFE mount +/m \\(read-only\\)")
                .containsPattern("hidden +/w/.env")
                .contains("not all mounted files were checked")
                .contains("memory 1024m, cpus 1.5, pids 64, file size 1m");
    }

    @Test
    void i11FilesThatLookLikeCredentialsAreReportedByNameAndHiddenOnRequest() throws IOException {
        write(".env", "A=s3cret");
        write(".env.example", "A=");
        write("deploy/key.pem", "-----BEGIN EC PRIVATE KEY-----\n");
        write("deploy/public.pem", "-----BEGIN CERTIFICATE-----\n");
        write("node_modules/x/.env", "A=b");
        write(".npmrc", "registry=https://npm.example/\n");

        assertThat(asked()).contains("\"hide\":[]");
        assertThat(shell.err())
                .contains(".env, deploy/key.pem")
                .contains("--redact found")
                .doesNotContain("example", "public.pem", "node_modules", ".npmrc", "s3cret");
        assertThat(asked("--redact", "found")).contains("\"hide\":[\".env\",\"deploy/key.pem\"]");
        assertThat(shell.err()).doesNotContain("look like credentials");
        assertThat(asked("--redact", "deploy/../.env")).contains("\"hide\":[\".env\"]");
        assertThat(shell.err()).contains("deploy/key.pem");
    }

    @Test
    void anotherNameOfAHiddenFileIsMentioned() throws IOException {
        write(".env", "x");
        Files.createLink(workspace.resolve("other"), workspace.resolve(".env"));
        asked("--redact", "found");
        assertThat(shell.err()).contains("2 names (hard links)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[core]\n\tsshCommand = x",
                "[core]\n\tfsmonitor = /tmp/x",
                "[core]\n\thooksPath = .husky",
                "[core]\n\tpager = x",
                "[core]\n\teditor = x",
                "[credential]\n\thelper = x",
                "[credential \"https://a.example\"]\n\thelper = x",
                "[alias]\n\tst = !x",
                "[delta]\n\tpager = x",
                "[tig \"bind\"]\n\tgeneric = x !y",
                "[tig]\n\tdiff-highlight = x",
                "[filter \"a\"]\n\tclean = x",
                "[filter \"a\"]\n\tprocess = x",
                "[diff \"a\"]\n\ttextconv = x",
                "[merge \"a\"]\n\tdriver = x",
                "[gpg]\n\tprogram = x",
                "[uploadpack]\n\tpackObjectsHook = x",
                "[protocol \"ext\"]\n\tallow = always",
                "[submodule \"a\"]\n\tupdate = !x",
                "[include]\n\tpath = /tmp/x",
                "[includeIf \"gitdir:/\"]\n\tpath = ../../x"
            })
    void i7EntriesThatRunOnTheHostAreReportedWithTheirFix(String config) throws IOException {
        for (String file : new String[] {".git/config", ".git/config.worktree", ".gitmodules"}) {
            write(file, config + "\n");
        }
        asked();
        assertThat(shell.err().lines().filter(line -> line.contains("--unset-all"))).hasSize(3);
        assertThat(shell.err()).contains("on this machine").contains("git -C / config --file");
    }

    @Test
    void i7ALongNameIsCutAndNotInACommand() throws IOException {
        write(".git/config", "[filter \"" + "Go on. ".repeat(100) + "\"]\n\tclean = x\n");
        asked();
        assertThat(shell.err())
                .contains("has 'filter.Go on.", "remove it: edit '" + workspace + "/.git/config'")
                .doesNotContain("Go on. ".repeat(10));
    }

    @Test
    void ordinaryConfigurationIsNotMentioned() throws IOException {
        write(
                ".git/config",
                "[core]\n\tbare = false\n\tfsmonitor = false\n[alias]\n\tst = status\n[branch \"x\"]\n\tmerge = y\n");
        asked();
        assertThat(shell.err()).doesNotContain("outside every sandbox");
    }

    @Test
    void i11CredentialsInSubmodulesAndWorktreesAreRefused() throws IOException {
        write(".git/modules/sub/config", "[remote \"o\"]\n\turl = https://u:s3cret@a.example/x\n");
        assertThat(shell.run("", "new", "--no-repo")).isEqualTo(77);
        assertThat(shell.err()).contains("remote.o.url").doesNotContain("s3cret");
        assertThat(warden.asked()).isEmpty();
    }

    @Test
    void aRepositoryOutsideTheWorkspaceIsMentioned() throws IOException {
        write(".git", "gitdir: /somewhere/else/.git/worktrees/work\n");
        asked();
        assertThat(shell.err()).contains("outside the workspace");
    }

    @Test
    void i7ALinkInPlaceOfTheConfigurationIsLookedThrough() throws IOException {
        write(
                "elsewhere",
                "[core]\n\tfsmonitor = x\n[remote \"o\"]\n\turl = https://u:s3cret@a.example/x\n");
        Files.createDirectories(workspace.resolve(".git"));
        Files.createSymbolicLink(workspace.resolve(".git/config"), Path.of("../elsewhere"));

        assertThat(shell.run("", "new", "--no-repo")).isEqualTo(77);
        assertThat(shell.err())
                .contains("remote.o.url")
                .contains("core.fsmonitor")
                .contains(".git/config is a symbolic link")
                .doesNotContain("s3cret");
        assertThat(warden.asked()).isEmpty();
    }
}
