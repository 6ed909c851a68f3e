package dev.sallyport.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Commands against a warden of the test's own: what they ask, what they print, how they end.
class CommandsTest {
    static final String STATUS =
            """
            {"version":"1","home":"/h","wardenPid":7,"gatewayPid":8,"gatewayRestarts":0,\
            "sandboxes":0,"runtimes":{"bubblewrap":"ready"}}""";
    private static final String ENDED = "{\"wardenPid\":5000000,\"sandboxes\":0}"; // Pids are less.
    static final String VIEW =
            """
            {"name":"work","session":"s1","runtime":"bubblewrap","state":"running","image":null,\
            "workspace":"/nonexistent","repos":[{"repo":"github.com/acme/app","access":"write","refsVisible":null,"branches":["agent/**"],"force":false,"delete":false,"tags":false,"refsTrusted":[],\
            "pathsDenied":["x/**"],"pathsAllowed":null,"packBytesMax":1073741824,"fileBytesMax":104857600,"commitsMax":10000,"secrets":"deny","author":[],"mirror":"auto"}],\
            "egress":[],"learn":false,"policyDigest":"d","identity":null,"usage":{"requests":1,"bytesUp":2,"bytesDown":3,"pushes":4},\
            "created":"2026-01-01T00:00:00Z","lastUsed":"2026-01-01T00:00:00Z",\
            "expires":"2026-01-02T00:00:00Z","git":{"rewrite":true,"hooks":false,"localClones":false,"identity":{"name":null,"email":null,"defaultBranch":null}},"ephemeral":false,\
            "life":{"idleEnd":"2026-01-02T00:00:00Z","absoluteEnd":"2026-01-08T00:00:00Z","latestEnd":"2026-02-01T00:00:00Z","requestsMax":9,"bytesMax":null,"pushesMax":null},\
            "verified":{"by":"kernel","at":"2026-01-01T00:00:00Z"},\
            "mounts":{"extra":[],"hidden":[],"searched":true},\
            "resources":{"memoryBytes":null,"milliCpus":null,"processes":null,"fileBytes":1048576},
            "hardening":{"user":"usual","process":null,"runtimeClass":null,"ownUserNamespace":null},"published":[],
            "notices":["this session ends at noon"]}""";

    @TempDir Path directory;
    private FakeWarden warden;
    private Shell shell;

    @BeforeEach
    void startWarden() throws IOException {
        warden = FakeWarden.start(directory);
        shell = new Shell(warden.home(), directory);
        warden.answer("GET /v1/status", 200, STATUS);
    }

    @AfterEach
    void stopWarden() throws IOException {
        warden.close();
    }

    private int run(String in, String... arguments) {
        return shell.run(in, arguments);
    }

    private String out() {
        return shell.out();
    }

    private String err() {
        return shell.err();
    }

    private JsonNode json() throws IOException {
        return new ObjectMapper().readTree(out());
    }

    /// After an upgrade the daemon is still the old one, and `down` is what has to work.
    @Test
    void aDaemonOfAnotherVersionCanBeStopped() throws Exception {
        warden.answer("GET /v1/status", 200, ENDED).answer("POST /v1/shutdown", 200, "{}");
        assertThat(run("", "status")).isEqualTo(ExitCode.UNAVAILABLE.status());
        assertThat(run("", "down")).as(err()).isZero();
        assertThat(warden.asked()).anyMatch(line -> line.startsWith("POST /v1/shutdown"));
    }

    @Test
    void aDaemonThatEndsBeforeItAnswersHasEnded() throws Exception {
        warden.answer("GET /v1/status", 200, ENDED).hangUpOnceOn("POST /v1/shutdown");
        assertThat(run("", "down")).as(err()).isZero();
        assertThat(out()).isEqualTo("stopped\n");
        assertThat(warden.asked()).anyMatch(line -> line.startsWith("POST /v1/shutdown"));
    }

    @Test
    void aPersonHearsWhyTheEndOfTheDaemonIsNotRecorded() throws Exception {
        warden.answer("GET /v1/status", 200, ENDED)
                .answer("POST /v1/shutdown", 200, "{\"unrecorded\":\"It is gone.\"}");
        assertThat(run("", "down", "--keep-sandboxes")).as(err()).isZero();
        assertThat(err()).contains("audit log", "It is gone.", "sallyport audit verify");
    }

    @Test
    void helpNamesEveryCommandAndEveryExitCode() {
        assertThat(run("", "--help")).isZero();
        assertThat(out())
                .contains("run", "new", "exec", "start", "stop", "destroy", "list", "show", "up")
                .contains("down", "status", "secret", "audit", "demo", "completion", "version");
        assertThat(out())
                .contains(
                        Arrays.stream(ExitCode.values()).map(c -> " " + c.status() + " ").toList());
        assertThat(err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "new", "exec", "secret", "audit", "completion", "show"})
    void helpOfACommandHasExamples(String command) {
        assertThat(run("", command, "--help")).isZero();
        assertThat(out()).contains("Example").contains("sallyport " + command);
    }

    @Test
    void everyCommandThatAnswersTakesJson() {
        Commands.tree(Surroundings.ofThisProcess())
                .getSubcommands()
                .values()
                .forEach(
                        command -> {
                            boolean group = !command.getSubcommands().isEmpty();
                            var commands =
                                    group
                                            ? command.getSubcommands().values()
                                            : java.util.List.of(command);
                            assertThat(commands)
                                    .allMatch(c -> c.getCommandSpec().findOption("--json") != null);
                        });
    }

    @ParameterizedTest
    @CsvSource({
        "no-such-command, 64",
        "list --no-such-option, 64",
        "show, 64",
        "secret, 64",
        "run, 125",
        "run --no-such-option -- true, 125",
        "run --repo a/b --no-repo -- true, 125",
        "exec work, 125",
    })
    void wrongCommandLinesEndWithTheDocumentedStatusAndAskNothing(String line, int status) {
        assertThat(run("", line.split(" ", -1))).isEqualTo(status);
        assertThat(out()).isEmpty();
        assertThat(err()).isNotEmpty();
        assertThat(warden.asked()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"400, 64", "403, 77", "404, 66", "409, 73", "503, 69", "500, 69"})
    void whatTheWardenRefusesHasItsStatus(int http, int status) {
        warden.answer(
                "GET /v1/sandboxes/work",
                http,
                "{\"code\":\"c\",\"message\":\"It is so.\",\"remedy\":\"Do that.\"}");
        assertThat(run("", "show", "work")).isEqualTo(status);
        assertThat(err()).contains("It is so.").contains("Do that.");
        assertThat(out()).isEmpty();
    }

    @Test
    void problemsAreJsonWhenJsonIsAsked() throws IOException {
        assertThat(run("", "show", "gone", "--json")).isEqualTo(66);
        assertThat(json().path("code").asText()).isEqualTo("none");
        assertThat(err()).isEmpty();
    }

    @Test
    void standardOutputOfRunIsNeverOurs() {
        assertThat(run("", "exec", "--json", "gone", "--", "true")).isEqualTo(125);
        assertThat(out()).isEmpty();
        assertThat(err()).contains("\"code\":\"none\"");
    }

    @Test
    void sandboxesAreListedForPeopleAndForPrograms() throws IOException {
        warden.answer("GET /v1/sandboxes", 200, "{\"sandboxes\":[" + VIEW + "],\"damaged\":[]}");
        assertThat(run("", "list")).isZero();
        assertThat(out()).contains("NAME").contains("work").contains("github.com/acme/app:write");
        assertThat(err()).contains("work: this session ends at noon");
        assertThat(run("", "list", "--json")).isZero();
        assertThat(json().path("sandboxes").path(0).path("name").asText()).isEqualTo("work");
        assertThat(err()).isEmpty();
    }

    @Test
    void showTellsTheRulesThatAreNotStandard() throws IOException {
        warden.answer("GET /v1/sandboxes/work", 200, VIEW);
        assertThat(run("", "show", "work")).isZero();
        assertThat(out())
                .contains("repository  github.com/acme/app  write  push agent/**\n")
                .contains("  paths-denied: x/**\n")
                .contains("  author: none\n")
                .doesNotContain("commits-max");
        assertThat(err()).contains("work: this session ends at noon");
        assertThat(run("", "show", "work", "--json")).isZero();
        assertThat(json().path("repos").path(0).path("commitsMax").asInt()).isEqualTo(10_000);
        assertThat(json().path("repos").path(0).path("author").isArray()).isTrue();
        assertThat(json().path("repos").path(0).path("pathsAllowed").isNull()).isTrue();
    }

    @Test
    void newUsesTheOriginThatWasAgreedToAndSaysSo() throws IOException {
        origin("https://github.com/acme/app.git");
        warden.answer("POST /v1/sandboxes", 200, VIEW);
        assertThat(run("", "new", "--yes")).isZero();
        assertThat(out()).isEqualTo("work\n");
        assertThat(err()).contains("using github.com/acme/app");
        assertThat(warden.asked().getLast())
                .startsWith("POST /v1/sandboxes")
                .contains("\"repos\":[\"github.com/acme/app\"]")
                .contains("\"ephemeral\":false");
    }

    @Test
    void i7GrantsNothingThatOnlyTheWorkspaceNames() throws IOException {
        origin("https://github.com/acme/app.git");
        warden.answer("POST /v1/sandboxes", 200, VIEW);
        assertThat(run("", "new")).isZero();
        assertThat(warden.asked().getLast()).contains("\"repos\":[]");
        assertThat(err()).contains("--repo github.com/acme/app or --yes");
    }

    @Test
    void i15YesHoldsForTheOriginThatWasAcceptedAndForNoOther() throws IOException {
        warden.answer("POST /v1/sandboxes", 200, VIEW);
        origin("https://github.com/acme/app.git");
        assertThat(run("", "new", "--yes")).isZero();
        origin("https://github.com/acme/secrets.git");
        int asked = warden.asked().size();
        assertThat(run("", "new", "--yes")).isEqualTo(77);
        assertThat(err())
                .contains("acme/secrets; it was github.com/acme/app")
                .contains("--repo github.com/acme/secrets");
        assertThat(warden.asked()).hasSize(asked);

        assertThat(run("", "new", "--repo", "acme/secrets")).isZero();
        assertThat(run("", "new", "--yes")).isEqualTo(77);
        origin("https://github.com/acme/app.git");
        assertThat(run("", "new", "--yes")).isZero();
        assertThat(warden.asked().getLast()).contains("\"repos\":[\"github.com/acme/app\"]");
    }

    @Test
    void i15AnOriginThatCameAfterTheFirstSandboxIsNotThePersons() throws IOException {
        warden.answer("POST /v1/sandboxes", 200, VIEW);
        assertThat(run("", "new", "--no-repo")).isZero();
        origin("https://github.com/acme/secrets.git");
        assertThat(run("", "new", "--yes")).isEqualTo(77);
        assertThat(err()).contains("acme/secrets; it was none");
        assertThat(warden.asked()).noneMatch(question -> question.contains("acme/secrets"));
    }

    @Test
    void i15AnOriginBelowAWorkspaceIsNotThePersons() throws IOException {
        warden.answer("POST /v1/sandboxes", 200, VIEW);
        assertThat(run("", "new", "--no-repo")).isZero();
        origin("https://github.com/acme/secrets.git");
        Files.createDirectory(directory.resolve("sub"));
        Files.move(directory.resolve(".git"), directory.resolve("sub/.git"));
        for (String first : new String[] {"--yes", "--no-repo", "--yes"}) {
            int status = first.equals("--yes") ? 77 : 0;
            assertThat(run("", "new", first, "--workspace", "sub")).isEqualTo(status);
        }
        assertThat(warden.asked()).noneMatch(question -> question.contains("acme/secrets"));
    }

    @Test
    void i15AWorkspaceIsNotReachedThroughALinkThatASandboxCouldHaveMade() throws IOException {
        warden.answer("POST /v1/sandboxes", 200, VIEW);
        Path real = directory.toRealPath();
        Path had = Files.createDirectories(real.resolve("had"));
        Path other = Files.createDirectories(real.resolve("other/sub"));
        assertThat(run("", "new", "--no-repo", "--workspace", had.toString())).isZero();

        Files.createSymbolicLink(had.resolve("link"), Path.of("../other"));
        Files.createSymbolicLink(real.resolve("own"), Path.of("had/link"));
        int asked = warden.asked().size();
        for (String way : new String[] {"had/link", "had/link/sub", "own", "had/x/../link"}) {
            Files.createDirectories(had.resolve("x"));
            assertThat(run("", "new", "--no-repo", "--workspace", way)).as(way).isEqualTo(77);
            assertThat(err()).contains(had + "/link").contains(real + "/other");
        }
        assertThat(warden.asked()).hasSize(asked);

        Files.createSymbolicLink(real.resolve("mine"), Path.of("other"));
        assertThat(run("", "new", "--no-repo", "--workspace", "mine/sub")).isZero();
        assertThat(warden.asked().getLast()).contains("\"workspace\":\"" + other + "\"");
        assertThat(run("", "new", "--no-repo", "--workspace", "had/x")).isZero();
    }

    @Test
    void noRepoMeansNoneAlthoughThereIsAnOrigin() throws IOException {
        origin("https://github.com/acme/app.git");
        warden.answer("POST /v1/sandboxes", 200, VIEW);
        assertThat(run("", "new", "--no-repo")).isZero();
        assertThat(warden.asked().getLast()).contains("\"repos\":[]");
    }

    @Test
    void aWorkspaceWithACredentialIsRefusedAndTheCredentialNotShown() throws IOException {
        origin("https://robot:s3cret@github.com/acme/app.git");
        warden.answer("POST /v1/sandboxes", 200, VIEW);
        assertThat(run("", "new")).isEqualTo(77);
        assertThat(warden.asked()).isEmpty();
        assertThat(out() + err()).contains("remote.origin.url").doesNotContain("s3cret");
        assertThat(run("", "new", "--allow-workspace-credentials")).isZero();
        assertThat(out() + err()).doesNotContain("s3cret");
        assertThat(warden.asked().toString()).doesNotContain("s3cret");
    }

    private void origin(String url) throws IOException {
        Files.createDirectories(directory.resolve(".git"));
        Files.writeString(
                directory.resolve(".git/config"), "[remote \"origin\"]\n\turl = " + url + "\n");
    }

    @Test
    void onlyChosenVariablesGoInside() {
        warden.answer("GET /v1/sandboxes/work", 200, VIEW);
        warden.answer(
                "POST /v1/sandboxes/work/exec",
                200,
                "{\"argv\":[\"/bin/sh\",\"-c\",\"exit 7\"],\"environment\":{},\"enters\":true,\"notices\":[\"it ends at noon\"]}");
        assertThat(run("", "exec", "--env", "A=b=c", "--env", "MINE", "work", "--", "x", "-y"))
                .isEqualTo(7);
        assertThat(err()).contains("work: it ends at noon");
        assertThat(warden.asked().get(warden.asked().size() - 2))
                .contains("\"command\":[\"x\",\"-y\"]")
                .contains("\"environment\":{\"A\":\"b=c\",\"MINE\":\"own\",\"SALLYPORT_JOB\":\"")
                .contains("\"tty\":false");
    }

    @ParameterizedTest
    @ValueSource(strings = {"=x", "A-B=x", "1A=x", "NOT_MINE"})
    void variablesThatCannotBeAreRefused(String variable) {
        assertThat(run("", "exec", "--env", variable, "work", "--", "true")).isEqualTo(125);
        assertThat(warden.asked()).isEmpty();
    }

    @Test
    void aVariableThatLooksSecretIsWarnedOf() {
        assertThat(run("", "exec", "--env", "API_TOKEN=x1y2", "work", "--", "true")).isEqualTo(125);
        assertThat(err()).contains("API_TOKEN").doesNotContain("x1y2");
    }

    @Test
    void optionsAfterTheCommandAreTheCommands() {
        warden.answer("GET /v1/sandboxes/work", 200, VIEW);
        warden.answer(
                "POST /v1/sandboxes/work/exec",
                200,
                "{\"argv\":[\"/bin/true\"],\"environment\":{},\"enters\":true,\"notices\":[]}");
        assertThat(run("", "exec", "work", "ls", "--json", "-h")).isZero();
        assertThat(warden.asked().get(warden.asked().size() - 2))
                .contains("\"command\":[\"ls\",\"--json\",\"-h\"]");
    }

    @ParameterizedTest
    @CsvSource({"bash, complete -o default -F", "zsh, #compdef sallyport", "fish, complete -c"})
    void completionIsAScriptThatAsksTheProgram(String name, String part) {
        assertThat(run("", "completion", name)).isZero();
        assertThat(out()).contains(part).contains(" internal-complete ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "audit verify --witness",
                "audit verify --file",
                "audit show --file",
                "policy check",
                "policy explain example.org --file",
                "secret set x --host example.org --file"
            })
    void aFileThatIsNoneIsNamedWithWhatToDo(String command) throws IOException {
        Files.createDirectory(directory.resolve("folder"));
        String[] words = (command + " folder").split(" ");
        assertThat(run("", words)).isEqualTo(ExitCode.USAGE.status());
        assertThat(err())
                .contains(directory.resolve("folder") + " is a directory.")
                .contains("Give");
        words[words.length - 1] = "absent";
        assertThat(run("", words)).isEqualTo(ExitCode.NOT_FOUND.status());
        assertThat(err())
                .contains(directory.resolve("absent") + " does not exist.")
                .contains("Give");
        assertThat(out()).isEmpty();
        assertThat(warden.asked()).isEmpty();
    }

    @Test
    void versionIsJsonToo() throws IOException {
        assertThat(run("", "version", "--json")).isZero();
        assertThat(json().path("java").asText()).startsWith("2");
    }
}
