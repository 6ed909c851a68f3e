package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a newcomer types before they have read anything.
class FirstWordsTest {
    @TempDir Path directory;
    private FakeWarden warden;
    private Shell shell;

    @BeforeEach
    void startWarden() throws IOException {
        warden = FakeWarden.start(directory);
        shell = new Shell(warden.home(), directory);
        warden.answer("GET /v1/status", 200, CommandsTest.STATUS);
    }

    @AfterEach
    void stopWarden() throws IOException {
        warden.close();
    }

    @Test
    void versionIsAnOptionToo() {
        assertThat(shell.run("", "--version")).isZero();
        String said = shell.out();
        assertThat(shell.run("", "version")).isZero();
        assertThat(shell.out()).isEqualTo(said).startsWith("sallyport ");
    }

    @ParameterizedTest
    @CsvSource({
        "lsit, Did you mean list?",
        "lsit, There is no command lsit.",
        "verify work more words, Too many arguments: more words",
        "list --jsno, There is no option --jsno.",
        "check, Did you mean policy check?",
        "destory work, Did you mean destroy?",
        "policy chek, Did you mean check?",
        "list --jsno, Did you mean --json?",
        "run --preest=npm -- true, Did you mean --preset?",
    })
    void aMisspelledWordIsGuessedAndNothingIsDone(String line, String guess) {
        assertThat(shell.run("", line.split(" ", -1))).isIn(64, 125);
        assertThat(shell.err()).contains(guess).contains("--help");
        assertThat(warden.asked()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"kubernetes", "x", "-x", "zz"})
    void aWordThatIsFarFromAllIsNotGuessed(String word) {
        assertThat(shell.run("", word)).isEqualTo(64);
        assertThat(shell.err()).doesNotContain("Did you mean").contains("--help");
    }

    @Test
    void dockersFlagsForATerminalAreTaken() {
        warden.answer("GET /v1/sandboxes/work", 200, CommandsTest.VIEW);
        warden.answer(
                "POST /v1/sandboxes/work/exec",
                200,
                "{\"argv\":[\"/bin/sh\",\"-c\",\"exit 7\"],\"environment\":{},\"enters\":true,\"notices\":[]}");
        assertThat(shell.run("", "exec", "-it", "work", "--", "bash", "-it")).isEqualTo(7);
        assertThat(warden.asked().get(warden.asked().size() - 2))
                .contains("\"command\":[\"bash\",\"-it\"]")
                .contains("\"tty\":false");
    }

    @ParameterizedTest
    @CsvSource({
        "acme/app, acme/app",
        "acme/app:read, acme/app:read",
        "git.example/acme/app:write, git.example/acme/app:write",
        "https://github.com/acme/app, github.com/acme/app",
        "https://github.com/acme/app.git, github.com/acme/app",
        "https://github.com/acme/app.git:read, github.com/acme/app:read",
        "https://robot@github.com/acme/app/, github.com/acme/app",
        "git@github.com:acme/app.git, github.com/acme/app",
        "git@github.com:acme/app:write, github.com/acme/app:write",
        "ssh://git@github.com/acme/app.git, github.com/acme/app",
    })
    void aRepositoryMayBeGivenAsItsUrl(String typed, String asked) {
        warden.answer("POST /v1/sandboxes", 200, CommandsTest.VIEW);
        assertThat(shell.run("", "new", "--repo", typed)).as(shell.err()).isZero();
        assertThat(warden.asked().getLast()).contains("\"repos\":[\"" + asked + "\"]");
    }

    @ParameterizedTest
    @CsvSource({
        "https://github.com/acme",
        "https://github.com/acme/app/tree/main",
        "http://github.com/acme/app",
        "https://github.com:8443/acme/app",
        "file:///srv/app",
    })
    void aUrlThatNamesNoRepositoryIsRefused(String typed) {
        assertThat(shell.run("", "new", "--repo", typed)).isEqualTo(64);
        assertThat(shell.err()).contains("Not a repository");
        assertThat(warden.asked()).noneMatch(question -> question.startsWith("POST"));
    }

    @Test
    void aPasswordInAUrlIsNeitherShownNorSent() {
        warden.answer("POST /v1/sandboxes", 200, CommandsTest.VIEW);
        String url = "https://robot:s3cret@github.com/acme/app";
        assertThat(shell.run("", "new", "--repo", url)).isZero();
        assertThat(shell.run("", "new", "--repo", url + "/tree/main")).isEqualTo(64);
        assertThat(shell.out() + shell.err() + warden.asked()).doesNotContain("s3cret");
    }

    @Test
    void initWritesRulesThatCanBeTrustedAndSaysWhatIsNext() throws IOException {
        Files.writeString(directory.resolve("package.json"), "{}");
        Files.writeString(directory.resolve("package-lock.json"), "{}");
        Files.writeString(directory.resolve("go.mod"), "module m");
        Files.writeString(directory.resolve("CLAUDE.md"), "Be brief.");
        Files.createDirectories(directory.resolve(".git"));
        Files.writeString(
                directory.resolve(".git/config"),
                "[remote \"origin\"]\n\turl = git@github.com:acme/app.git\n");

        assertThat(shell.run("", "init")).as(shell.err()).isZero();
        assertThat(shell.out())
                .contains("npm: package.json, package-lock.json", "go: go.mod")
                .contains("sallyport policy trust", "run --repo github.com/acme/app claude");
        assertThat(warden.asked()).isEmpty();

        Path file = directory.resolve(".sallyport.yaml");
        assertThat(file).content().contains("  - preset: npm", "  - preset: go", "# ");
        assertThat(shell.run("", "policy", "check", file.toString())).as(shell.err()).isZero();
        assertThat(shell.run("", "policy", "trust")).as(shell.err()).isZero();
        assertThat(shell.out()).contains("trusted: ");
    }

    @Test
    void initAllowsNothingInAnEmptyDirectory() throws IOException {
        assertThat(shell.run("", "init", "--json")).isZero();
        JsonNode written = new ObjectMapper().readTree(shell.out());
        assertThat(written.path("presets")).isEmpty();
        assertThat(written.path("next").path(1).asText()).isEqualTo("sallyport run -- bash");
        assertThat(shell.run("", "policy", "trust", "--json")).as(shell.err()).isZero();
        assertThat(new ObjectMapper().readTree(shell.out()).path("rules")).isEmpty();
    }

    @Test
    void initNeverWritesOverAFileNorThroughALink() throws IOException {
        Path file = directory.resolve(".sallyport.yaml");
        Files.writeString(file, "mine");
        assertThat(shell.run("", "init")).isEqualTo(73);
        assertThat(shell.err()).contains("exists already");
        assertThat(file).hasContent("mine");

        Files.delete(file);
        Path elsewhere = directory.resolve("elsewhere");
        Files.createSymbolicLink(file, elsewhere);
        assertThat(shell.run("", "init")).isEqualTo(73);
        assertThat(elsewhere).doesNotExist();
    }

    @Test
    void completionKnowsCommandsOptionsAndSandboxes() {
        warden.answer(
                "GET /v1/sandboxes",
                200,
                "{\"sandboxes\":[" + CommandsTest.VIEW + "],\"damaged\":[]}");
        assertThat(completed("des")).containsExactly("destroy");
        assertThat(completed("policy", "ex")).containsExactly("explain", "export");
        assertThat(completed("list", "--js")).containsExactly("--json");
        assertThat(completed("completion", "")).containsExactly("bash", "fish", "zsh");
        for (List<String> words :
                List.of(
                        List.of("exec", ""),
                        List.of("show", "wo"),
                        List.of("rm", "other", ""),
                        List.of("exec", "--env", "A=b", "w"),
                        List.of("policy", "explain", "--sandbox", ""))) {
            assertThat(completed(words.toArray(String[]::new))).containsExactly("work");
        }
        assertThat(completed("exec", "work", "")).isEmpty();
        assertThat(completed("run", "--", "")).isEmpty();
        assertThat(completed("new", "--name", "")).isEmpty();
    }

    @Test
    void completionStartsNoDaemon() throws IOException {
        warden.close();
        assertThat(completed("exec", "")).isEmpty();
        warden = FakeWarden.start(Files.createDirectory(directory.resolve("other")));
    }

    private List<String> completed(String... words) {
        return shell.completed(words);
    }

    @Test
    void everyCommandHasAManualPage() throws IOException {
        new ManPages(directory.resolve("man")).write();
        assertThat(directory.resolve("man/sallyport.1"))
                .content()
                .contains("policy", "Exit status");
        assertThat(directory.resolve("man/sallyport-policy-check.1"))
                .content()
                .startsWith(".TH \"SALLYPORT-POLICY-CHECK\" \"1\"")
                .contains("sallyport\\-policy\\-check \\- Check the policy file for errors\n")
                .contains(".BR sallyport\\-policy (1)");
        assertThat(directory.resolve("man/sallyport-run.1"))
                .content()
                .contains("\\fB\\-\\-repo\\fR \\fI[HOST/]OWNER/NAME");
    }
}
