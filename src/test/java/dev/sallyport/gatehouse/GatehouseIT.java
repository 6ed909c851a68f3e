package dev.sallyport.gatehouse;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.config.GitSettings;
import dev.sallyport.control.Api;
import dev.sallyport.control.ApiJson;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.OrdinaryUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// One service of root's for two accounts: each has what is its own, nobody has anything of the
/// other's, and root does nothing for them that they could not do alone.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GatehouseIT {
    private static final String SECRET = "hunter2-hunter2-hunter2";

    private ServedMachine machine;
    private OrdinaryUser alice;
    private OrdinaryUser bob;

    @BeforeAll
    void open() throws IOException {
        machine = new ServedMachine();
        alice = machine.alice();
        bob = machine.bob();
        sallyport(alice, "new", "--name", "work", "--workspace", "work").run().ok();
        sallyport(alice, "secret", "set", "hers", "--host", "git.example")
                .input(SECRET + "\n")
                .run()
                .ok();
    }

    @AfterAll
    void close() throws IOException {
        machine.close();
    }

    private Command sallyport(OrdinaryUser user, String... arguments) {
        return machine.sallyport(user, arguments);
    }

    @Test
    void eachAccountSeesOnlyWhatIsItsOwn() {
        assertThat(sallyport(alice, "list", "--json").run().ok()).contains("\"work\"");
        assertThat(sallyport(bob, "list", "--json").run().ok()).doesNotContain("work");
        for (String operation : List.of("show", "destroy")) {
            assertThat(sallyport(bob, operation, "work").run().err())
                    .as(operation)
                    .contains("no sandbox named work");
        }
        assertThat(sallyport(bob, "secret", "list", "--json").run().ok()).doesNotContain("hers");
        assertThat(sallyport(bob, "audit", "show").run().ok())
                .contains("warden.start")
                .doesNotContain("secret.set")
                .doesNotContain(alice.name());
        assertThat(sallyport(alice, "audit", "show").run().ok())
                .contains("secret.set")
                .contains("workspace=" + alice.home());
        assertThat(sallyport(alice, "show", "work", "--json").run().ok()).contains("\"running\"");
    }

    /// With the modes as they are the kernel stops others; with all of them wide open, the warden
    /// does (I5).
    @Test
    void i5NobodyIsAnsweredAtAnothersSocket() throws IOException {
        sallyport(bob, "up").run().ok();
        String status = "http://sallyport/v1/status";
        assertThat(machine.curl(bob, bob, status).ok()).contains("wardenPid");
        Command.Result refused = machine.curl(bob, alice, status);
        assertThat(refused.exit()).isNotZero();
        assertThat(refused.out()).isEmpty();
        Path socket = machine.lodging(alice).resolve("control.sock");
        ServedMachine.mode(socket, "rw-rw-rw-");
        Command.Result closed = machine.curl(bob, alice, status);
        assertThat(closed.exit()).isNotZero();
        assertThat(closed.out()).isEmpty();
        ServedMachine.mode(socket, "rw-------");
        assertThat(machine.curl(alice, alice, status).ok()).contains("wardenPid");
    }

    /// Root opens nothing for an account that the account could not open.
    @Test
    void aGuestCannotUseRootToReadWhatIsNotTheirs() throws IOException {
        sallyport(bob, "up").run().ok();
        String mine = bob.home().resolve("work").toString();
        String hers = alice.home().resolve("work").toString();
        alice.command("sh", "-c", "echo private > work/file").run().ok();
        assertThat(create("peek", hers, List.of())).contains("cannot be read");
        List<Api.MountText> mount = List.of(new Api.MountText(hers, false, true));
        assertThat(create("peek", mine, mount)).contains("cannot be read");
        assertThat(create("mine", mine, List.of())).contains("\"running\"");
        Command.Result inside = sallyport(bob, "exec", "mine", "--", "cat", hers + "/file").run();
        assertThat(inside.exit()).isNotZero();
        assertThat(inside.out()).isEmpty();
        assertThat(
                        sallyport(bob, "exec", "mine", "--", "sh", "-c", "touch made; id -un")
                                .run()
                                .ok())
                .isEqualTo(bob.name());
        assertThat(Files.getOwner(bob.home().resolve("work/made")).getName()).isEqualTo(bob.name());
        assertThat(sallyport(bob, "list", "--json").run().ok()).doesNotContain("peek");
        sallyport(bob, "destroy", "mine").run().ok();
    }

    /// Past the command line, which would look first.
    private String create(String name, String workspace, List<Api.MountText> mounts)
            throws IOException {
        Api.CreateSandbox request =
                new Api.CreateSandbox(
                        Optional.of(name),
                        Optional.of("bubblewrap"),
                        Optional.empty(),
                        workspace,
                        List.of(),
                        Api.ReachRequest.STANDARD,
                        GitSettings.STANDARD,
                        false,
                        Api.LifeRequest.STANDARD,
                        new Api.MountRequest(mounts, List.of(), Map.of()),
                        Api.ResourceRequest.STANDARD,
                        Api.HardeningRequest.STANDARD,
                        Api.HomeRequest.STANDARD,
                        Optional.empty());
        String body = ApiJson.requests().writeValueAsString(request);
        Command.Result answer =
                machine.curl(bob, bob, "-X", "POST", "-d", body, "http://sallyport/v1/sandboxes");
        assertThat(answer.exit()).isZero();
        return answer.out();
    }

    /// Not even the account that stored it, let alone an agent that runs as that account.
    @Test
    void aStoredSecretIsReadByNobodyButRoot() {
        Path file = machine.lodging(alice).resolve("home/secrets/hers.json");
        String stored = Base64.getEncoder().encodeToString(SECRET.getBytes(US_ASCII));
        assertThat(Command.of("cat", file.toString()).run().ok()).contains(stored);
        for (OrdinaryUser user : List.of(alice, bob)) {
            Command.Result tried = user.command("cat", file.toString()).run();
            assertThat(tried.exit()).isNotZero();
            assertThat(tried.all()).contains("Permission denied").doesNotContain(stored);
        }
    }

    @Test
    void sandboxesRunAsTheirAccountAndGatewaysAsNobodyElse() {
        sallyport(bob, "up").run().ok();
        String hers = gatewayUser(alice);
        String his = gatewayUser(bob);
        assertThat(hers).isNotEqualTo(his);
        assertThat(List.of("0", "" + ServedMachine.uid(alice), "" + ServedMachine.uid(bob)))
                .doesNotContain(hers, his);
        String shown = sallyport(alice, "show", "work", "--json").run().ok();
        assertThat(userOf(number(shown, "\"pid\"\\s*:\\s*([0-9]+)")))
                .isEqualTo("" + ServedMachine.uid(alice));
        assertThat(sallyport(alice, "verify", "work").run().ok()).contains("Nothing failed");
    }

    private String gatewayUser(OrdinaryUser user) {
        String pattern = "\"gatewayPid\"\\s*:\\s*([1-9][0-9]*)";
        String[] status = {""};
        Await.until(
                () -> {
                    status[0] = sallyport(user, "status", "--json").run().ok();
                    return Pattern.compile(pattern).matcher(status[0]).find();
                });
        return userOf(number(status[0], pattern));
    }

    private static String userOf(String pid) {
        return Command.of("stat", "-c", "%u", "/proc/" + pid).run().ok();
    }

    private static String number(String json, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(json);
        assertThat(matcher.find()).as(json).isTrue();
        return matcher.group(1);
    }

    @Test
    void aWardenThatDiesComesBackAndSoDoesTheGatehouse() throws IOException {
        String pattern = "\"wardenPid\"\\s*:\\s*([0-9]+)";
        String before = number(sallyport(alice, "status", "--json").run().ok(), pattern);
        String his = number(sallyport(bob, "up", "--json").run().ok(), pattern);
        Command.of("kill", "-KILL", before).run().ok();
        Await.until(() -> doorsAnswer());
        String after = number(sallyport(alice, "status", "--json").run().ok(), pattern);
        assertThat(after).isNotEqualTo(before);
        assertThat(number(sallyport(bob, "status", "--json").run().ok(), pattern)).isEqualTo(his);
        machine.end();
        Await.until(() -> !Files.exists(Path.of("/proc", after)));
        assertThat(sallyport(alice, "list").run().err()).contains("not running");
        machine.restart(alice.name());
        Await.until(() -> doorsAnswer());
        assertThat(sallyport(bob, "list").run().err()).contains("may use it");
        machine.restart();
        Await.until(() -> doorsAnswer());
    }

    private boolean doorsAnswer() {
        Command.Result result =
                sallyport(
                                alice,
                                "exec",
                                "work",
                                "--",
                                "curl",
                                "-s",
                                "-m",
                                "20",
                                "http://gateway.sallyport/healthz")
                        .run();
        return result.exit() == 0 && result.out().contains("ok");
    }

    /// Whoever prepares a directory and a socket for others to knock at gets nothing (I4, I5).
    @Test
    void i4AServiceThatIsNotRootsIsNotSpokenTo() {
        bob.command("chmod", "711", bob.home().toString()).run().ok();
        bob.command("mkdir", "-p", "fake/users").run().ok();
        Command.Result result =
                alice.command(
                                argv(
                                        List.of("env", "SALLYPORT_SERVICE=" + bob.home() + "/fake"),
                                        machine.java("list")))
                        .run();
        assertThat(result.exit()).isNotZero();
        assertThat(result.err()).contains("only root can write");
        bob.command("chmod", "700", bob.home().toString()).run().ok();
    }

    /// The account of a gateway that somebody took over is no person.
    @Test
    void aHomeThatCannotBeReadIsNamedWithItsReason() {
        List<String> argv = new ArrayList<>(List.of("env", "SALLYPORT_HOME=/root/none/home"));
        argv.addAll(machine.java("list"));
        Command.Result result = bob.command(argv.toArray(String[]::new)).run();
        assertThat(result.exit()).isEqualTo(77);
        assertThat(result.err())
                .contains("/root/none/home cannot be read: permission denied", "SALLYPORT_HOME")
                .doesNotContain("connection");
    }

    @Test
    void aGatewaysAccountIsNotServed() {
        String knock =
                "use IO::Socket::UNIX; my $s = IO::Socket::UNIX->new(Peer => '"
                        + machine.service().resolve("gatehouse.sock")
                        + "') or die; print <$s>";
        List<String> perl = List.of("perl", "-e", knock);
        String number = Integer.toString(Lodgings.NUMBER_MIN);
        assertThat(
                        Command.of(
                                        argvList(
                                                List.of(
                                                        "setpriv",
                                                        "--reuid",
                                                        number,
                                                        "--regid",
                                                        number,
                                                        "--clear-groups"),
                                                perl))
                                .run()
                                .ok())
                .contains("not served");
        assertThat(alice.command(perl.toArray(String[]::new)).run().ok())
                .contains("\"ready\":true");
    }

    @Test
    void rootSeesTheSandboxesOfAnAccountByNamingIt() {
        Command root = machine.asRoot(alice, "list", "--json");
        assertThat(root.run().ok()).contains("\"work\"");
    }

    /// The account owns the namespaces, and could have put any program in the place of those that
    /// root would run there.
    @Test
    void rootDoesNotEnterWhatAnAccountCouldHaveChanged() {
        Command root = machine.asRoot(alice, "exec", "work", "--", "true");
        Command.Result result = root.run();
        assertThat(result.exit()).isNotZero();
        assertThat(result.err()).contains("You may not use this operation");
        sallyport(alice, "exec", "work", "--", "true").run().ok();
    }

    /// Where only root may use the engine, root does not use it for others.
    @Test
    void anEngineIsNotUsedForThoseWhoMayNotUseIt() throws IOException {
        assertThat(sallyport(alice, "status").run().ok())
                .contains("you have no permission to use the container");
        Command.Result made =
                sallyport(alice, "new", "--runtime", "docker", "--workspace", "work").run();
        assertThat(made.exit()).isNotZero();
        assertThat(made.err()).contains("you have no permission to use the container");
        ServedMachine.mode(machine.engine(), "rw-rw-rw-");
        assertThat(sallyport(alice, "status").run().ok())
                .doesNotContain("you have no permission to use the container");
        ServedMachine.mode(machine.engine(), "rw-------");
    }

    /// It is the warden that reads the file again, with the account's rights.
    @Test
    void aProjectFileIsTrustedByItsBytes() {
        String file = "work/.sallyport.yaml";
        String write = "printf 'egress:\\n  - host: api.example.com\\n' > ";
        alice.command("sh", "-c", write + file).run().ok();
        sallyport(alice, "policy", "trust", file).run().ok();
        sallyport(alice, "new", "--no-repo", "--name", "trusting", "--workspace", "work")
                .run()
                .ok();
        assertThat(sallyport(alice, "show", "trusting").run().ok()).contains("api.example.com");
        sallyport(alice, "destroy", "trusting").run().ok();
        assertThat(sallyport(alice, "audit", "show").run().ok()).contains("project.trust");
    }

    private static String[] argv(List<String> first, List<String> second) {
        return argvList(first, second).toArray(String[]::new);
    }

    private static List<String> argvList(List<String> first, List<String> second) {
        List<String> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }
}
