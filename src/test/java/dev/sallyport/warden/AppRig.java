package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.channel.Message;
import dev.sallyport.config.SecretInput;
import dev.sallyport.control.Api;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.fixture.FakeApp;
import dev.sallyport.session.Session;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// A warden with a GitHub App, and the GitHub that it asks. Time passes when a test says so.
final class AppRig implements AutoCloseable {
    static final String APP = FakeApp.HOST + "/acme/app";

    final Path temporary;
    final FakeApp github;
    WardenParts parts;

    AppRig(Path temporary) throws Exception {
        this.temporary = temporary;
        github = new FakeApp(temporary.resolve("repos"), () -> parts.clock.now().wall());
        github.installed.addAll(Set.of("acme/app", "acme/lib", "acme/docs"));
        Files.createDirectory(
                temporary.toRealPath().resolve("home"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        write("ca.pem", github.pki.caPem());
        policy("");
        parts = new WardenParts(temporary);
        put(github.keyPem());
    }

    @Override
    public void close() throws IOException {
        parts.close();
        github.close();
    }

    void write(String name, String text) throws IOException {
        Path file = Files.writeString(temporary.resolve("home").resolve(name), text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    void policy(String git) throws IOException {
        write("policy.yaml", github.policyEntry("ca.pem") + git);
    }

    void put(String pem) throws Exception {
        put(FakeApp.HOST, pem);
    }

    void put(String host, String pem) throws Exception {
        byte[] bytes = pem.getBytes(StandardCharsets.US_ASCII);
        parts.secrets.put(
                "corp",
                new SecretsApi.PutSecret(
                        host,
                        Optional.empty(),
                        SecretInput.readAppKey(new ByteArrayInputStream(bytes)),
                        Optional.of("github-app"),
                        Optional.empty(),
                        Optional.of(FakeApp.ID)));
    }

    Session create(String... repos) throws Exception {
        return parts.sandboxes.create(
                parts.plans.plan(
                        parts.request("box", false, Api.LifeRequest.STANDARD, List.of(repos))));
    }

    void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            LockSupport.parkNanos(5_000_000);
        }
    }

    void pass(Duration time) {
        parts.clock.pass(time);
        parts.apps.pass();
    }

    void untilMinted(int tokens) {
        until(tokens + " tokens", () -> github.minted.size() >= tokens && isSettled());
        assertThat(github.minted).hasSize(tokens);
    }

    boolean isSettled() {
        return parts.apps.isIdle();
    }

    Session box() {
        try {
            return parts.sandboxes.show("box");
        } catch (OperationException e) {
            throw new AssertionError(e);
        }
    }

    List<Message.HostSecret> given() {
        try {
            return parts.apps.of(box());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    List<String> lines(String kind) throws IOException {
        return Files.readString(parts.home.auditLog())
                .lines()
                .filter(line -> line.contains("\"" + kind + "\""))
                .toList();
    }
}
