package dev.sallyport;

import static org.assertj.core.api.Assertions.assertThat;

import com.exceptionfactory.jagged.x25519.X25519KeyPairGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sallyport.fixture.Command;
import dev.sallyport.fixture.GitServer;
import dev.sallyport.fixture.Installation;
import dev.sallyport.fixture.ProcessWatch;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The life of a secret, with real sandboxes and a server that revokes tokens.
class SecretsIT {
    private static final String URL = "https://" + GitServer.HOST + "/acme/app";

    /// Has characters that are written differently in URLs and in Base64.
    private static final String NEXT = "next/T0ken+with=odd&chars~0042";

    private Path root;
    private GitServer server;
    private Installation sallyport;

    @BeforeEach
    void start() throws IOException {
        root = Files.createTempDirectory("sp-secret");
        server = GitServer.start(Files.createDirectory(root.resolve("server")));
        server.repository("acme", "app");
        sallyport = Installation.with(root.resolve("i"), server).onlyProcesses();
    }

    @AfterEach
    void stop() {
        sallyport.close();
        server.close();
        Command.of("rm", "-rf", root.toString()).run().ok();
    }

    private void sandbox(String name, String... rights) {
        List<String> line =
                new ArrayList<>(List.of("new", "--name", name, "--runtime", "bubblewrap"));
        line.addAll(List.of(rights));
        sallyport.sallyport(line.toArray(String[]::new)).run().ok();
    }

    private Command.Result push(String branch) {
        return sallyport
                .sallyport(
                        "exec",
                        "work",
                        "--",
                        "bash",
                        "-c",
                        "cd $(mktemp -d) && git clone -q "
                                + URL
                                + " . && git -c user.name=A -c user.email=a@test.example"
                                + " commit -q --allow-empty -m x && git push -q origin HEAD:refs/heads/agent/"
                                + branch)
                .run();
    }

    private Command rotate(String... options) {
        List<String> line = new ArrayList<>(List.of("secret", "rotate", "test"));
        line.addAll(List.of(options));
        return sallyport.sallyport(line.toArray(String[]::new)).input(NEXT + "\n");
    }

    private JsonNode json(String... arguments) throws IOException {
        return new ObjectMapper().readTree(sallyport.sallyport(arguments).run().ok());
    }

    @Test
    void aRotatedTokenIsUsedWithoutARestartAndIsNowhereButInItsFile() throws Exception {
        sandbox("work", "--repo", GitServer.HOST + "/acme/app");
        push("one").ok();
        JsonNode before = json("status", "--json");
        long process = json("show", "work", "--json").at("/identity/pid").asLong();

        server.accept(NEXT);
        assertThat(push("two").exit()).as("the old token is revoked").isNotZero();
        try (ProcessWatch watch = ProcessWatch.start(spellings())) {
            rotate().run().ok();
            push("three").ok();
            assertThat(watch.looks()).as("it looked").isPositive();
            assertThat(watch.findings()).isEmpty();
        }

        assertThat(json("status", "--json")).isEqualTo(before);
        assertThat(json("show", "work", "--json").at("/identity/pid").asLong()).isEqualTo(process);
        JsonNode secret = json("secret", "list", "--json").at("/secrets/0");
        assertThat(secret.get("user").asText()).isEqualTo(GitServer.USER);
        assertThat(secret.get("kind").asText()).isEqualTo("basic");
        assertThat(secret.get("rotated").asText()).isNotEmpty();
        assertThat(secret.at("/sandboxes/0").asText()).isEqualTo("work");
        assertThat(filesWithIt())
                .as("positive control: it is in its own file, and in no other")
                .containsExactly(sallyport.home().resolve("secrets/test.json").toString());
        assertThat(sallyport.sallyport("audit", "show", "--json").run().ok())
                .contains("secret.rotate");
    }

    private static List<String> spellings() {
        String pair = GitServer.USER + ":" + NEXT;
        return List.of(
                NEXT,
                Base64.getEncoder().encodeToString(NEXT.getBytes(StandardCharsets.UTF_8)),
                Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)),
                URLEncoder.encode(NEXT, StandardCharsets.UTF_8));
    }

    /// Logs, audit, store, sockets' directory, workspace: all that the installation has.
    private List<String> filesWithIt() {
        Path patterns = root.resolve("patterns");
        try {
            Files.write(patterns, spellings());
            return Command.of(
                            "grep",
                            "-raFl",
                            "-f",
                            patterns.toString(),
                            sallyport.home().toString(),
                            sallyport.workspace().toString())
                    .run()
                    .out()
                    .lines()
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /// What we encrypt, `age` opens, and what it encrypts to the same key, we open.
    private void sealAgainWithTheRealTool(Path key) throws IOException {
        Path file = sallyport.home().resolve("secrets/test.age");
        String recipient = Command.of("age-keygen", "-y", key.toString()).run().ok();
        String opened = Command.of("age", "-d", "-i", key.toString(), file.toString()).run().ok();
        assertThat(opened)
                .contains(
                        Base64.getEncoder().encodeToString(NEXT.getBytes(StandardCharsets.UTF_8)));
        byte[] before = Files.readAllBytes(file);
        Command.of("age", "-r", recipient, "-o", file.toString()).input(opened).run().ok();
        assertThat(Files.readAllBytes(file)).isNotEqualTo(before);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void endSessionsEndsThoseThatCouldUseTheOldValueAndSaysWhich() throws Exception {
        sandbox("work", "--repo", GitServer.HOST + "/acme/app");
        sandbox("other", "--no-repo");
        server.accept(NEXT);

        String said = rotate("--end-sessions").run().ok();

        assertThat(said).contains("ended work").doesNotContain("other");
        assertThat(json("show", "work", "--json").get("state").asText()).isEqualTo("ended");
        assertThat(json("show", "other", "--json").get("state").asText()).isEqualTo("running");
        assertThat(sallyport.sallyport("exec", "work", "--", "true").run().exit()).isNotZero();
        sallyport.sallyport("exec", "other", "--", "true").run().ok();
        assertThat(sallyport.sallyport("audit", "show", "--json").run().ok())
                .contains("session.revoke");
    }

    @Test
    void withAKeyTheFilesAreEncryptedAndWithoutItNothingWorksAndNothingIsLost() throws Exception {
        sallyport.sallyport("down").run().ok();
        Path key = root.resolve("key.txt");
        byte[] identity = new X25519KeyPairGenerator().generateKeyPair().getPrivate().getEncoded();
        Files.write(key, identity);
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Path policy = sallyport.home().resolve("policy.yaml");
        sallyport.policy(Files.readString(policy) + "secrets: {key-file: \"" + key + "\"}\n");
        String clone = "cd $(mktemp -d) && git clone -q " + URL + " . && echo cloned";

        Command.Result plain = sallyport.inSandbox("acme/app", clone);
        assertThat(plain.exit()).isNotZero();
        assertThat(plain.err()).contains("sallyport secret encrypt");

        assertThat(sallyport.sallyport("secret", "encrypt").run().ok()).endsWith("encrypted: 1");
        assertThat(sallyport.sallyport("audit", "show", "--json").run().ok())
                .contains("warden.stop", "secret.encrypt");
        rotate().run().ok();
        server.accept(NEXT);
        assertThat(sallyport.inSandbox("acme/app", clone).ok()).isEqualTo("cloned");
        assertThat(filesWithIt()).isEmpty();
        assertThat(sallyport.home().resolve("secrets/test.age")).exists();

        Files.move(key, root.resolve("away.txt"));
        Command.Result missing = sallyport.inSandbox("acme/app", clone);
        assertThat(missing.exit()).isNotZero();
        assertThat(missing.err()).contains("Restore it");
        sallyport.sallyport("down").run();
        assertThat(sallyport.sallyport("secret", "list").run().all()).contains("Restore it");

        Files.move(root.resolve("away.txt"), key);
        sealAgainWithTheRealTool(key);
        assertThat(sallyport.inSandbox("acme/app", clone).ok()).isEqualTo("cloned");
    }
}
