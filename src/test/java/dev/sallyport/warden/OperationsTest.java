package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.channel.Message;
import dev.sallyport.config.ProjectFile;
import dev.sallyport.config.TrustedFiles;
import dev.sallyport.control.Api;
import dev.sallyport.control.ApiJson;
import dev.sallyport.control.FleetApi;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.credential.Secret;
import dev.sallyport.fixture.DevServer;
import dev.sallyport.fleet.Enrolment;
import dev.sallyport.fleet.EnrolmentCode;
import dev.sallyport.fleet.HostKey;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperationsTest {
    private static final Object NOTHING = Map.of();

    @TempDir Path temporary;

    private WardenParts parts;
    private List<Operation> table;

    @BeforeEach
    void open() throws IOException {
        parts = new WardenParts(temporary);
        parts.others.begin(
                parts.link, parts.sandboxes, parts.plans, parts.policy, parts.authorities);
        table = new ArrayList<>(parts.operations().table());
        table.addAll(parts.others.operations(parts.sandboxes));
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
    }

    /// A request of each operation that changes something, in an order in which all of them work.
    /// Others have those that need more than [WardenParts] or an open question: `SecretsIT` has
    /// `/v1/shutdown` and `/v1/secrets/encrypt`, [ApprovalsTest] has `/v1/approvals/{name}`.
    private Map<String, Object> changes() throws IOException {
        Map<String, Object> changes = new LinkedHashMap<>();
        changes.put("PUT /v1/secrets/{name}", secret());
        changes.put(
                "POST /v1/secrets/{name}/rotate",
                new SecretsApi.RotateSecret(value("23456789"), false, Optional.empty()));
        changes.put("DELETE /v1/secrets/{name}", NOTHING);
        changes.put("POST /v1/sandboxes", parts.request("app", true, Api.LifeRequest.STANDARD));
        changes.put("POST /v1/sandboxes/{name}/exec", command());
        changes.put(
                "POST /v1/sandboxes/{name}/ports",
                new Api.ChangePorts(List.of(DevServer.freePort() + ":3000"), List.of()));
        changes.put(
                "POST /v1/sandboxes/{name}/allow",
                new Api.Allow(List.of("b.example"), List.of(), false));
        changes.put("POST /v1/policy/apply", new Api.ApplyPolicy(true, false));
        changes.put("POST /v1/sandboxes/{name}/share", new Api.Share("github.com/acme/app"));
        changes.put("POST /v1/sandboxes/{name}/extend", new Api.Extend(Optional.of("2d")));
        changes.put("POST /v1/sandboxes/{name}/lease", NOTHING);
        changes.put("POST /v1/sandboxes/{name}/stop", NOTHING);
        changes.put("POST /v1/page", new Api.OpenPage(Optional.empty()));
        changes.put("DELETE /v1/page", NOTHING);
        changes.put(
                "POST /v1/homes/remove",
                new Api.RemoveHomes(
                        Optional.of(temporary.toRealPath().resolve("project").toString()),
                        Optional.empty()));
        changes.put("POST /v1/sandboxes/{name}/start", NOTHING);
        changes.put("POST /v1/sandboxes/{name}/end", NOTHING);
        changes.put("DELETE /v1/sandboxes/{name}", NOTHING);
        changes.put("POST /v1/trusted", new Api.Trust(projectFile().toString(), Optional.empty()));
        return changes;
    }

    private Path projectFile() {
        return temporary.resolve(ProjectFile.NAME);
    }

    /// The same for other machines: here, and at the gateway of another one.
    private Map<String, Object> remoteChanges(FarGateway far) throws Exception {
        Map<String, Object> changes = new LinkedHashMap<>();
        changes.put(
                "POST /v1/fleet/listen",
                new FleetApi.Listen("127.0.0.1:" + DevServer.freePort(), Optional.empty()));
        changes.put("POST /v1/fleet/codes", code("other"));
        changes.put("DELETE /v1/fleet/codes/{name}", NOTHING);
        enrolHere(parts.others.fleet().invite(code("app")).code());
        changes.put("POST /v1/fleet/rotate", NOTHING);
        changes.put("DELETE /v1/fleet/hosts/{name}", NOTHING);
        changes.put("DELETE /v1/fleet/listen", NOTHING);
        changes.put("POST /v1/gateways", new FleetApi.Enrol(far.code("box"), Optional.of("app")));
        changes.put("DELETE /v1/gateways/{name}", NOTHING);
        return changes;
    }

    private static FleetApi.NewCode code(String host) {
        return new FleetApi.NewCode(host, "127.0.0.1:1", Optional.empty());
    }

    private void enrolHere(String code) throws Exception {
        Path keys = Files.createDirectory(temporary.toRealPath().resolve("host"));
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rwx------"));
        HostKey key = HostKey.create(keys, Optional.empty(), "here");
        String line = Enrolment.request(EnrolmentCode.parse(code), key);
        CompletableFuture<Message> answer = new CompletableFuture<>();
        parts.others.fleet().knock(new Message.Knock(1, line), answer::complete);
        assertThat(answer.get(2, TimeUnit.MINUTES))
                .isInstanceOfSatisfying(
                        Message.Reply.class,
                        reply -> assertThat(reply.status()).as(reply.json()).isEqualTo(200));
    }

    /// What the operation is about. The id of a code is random.
    private String name(String operation) throws OperationException {
        return operation.contains("/codes/")
                ? parts.others.fleet().view().codes().getFirst().id()
                : "app";
    }

    private static SecretsApi.PutSecret secret() {
        return new SecretsApi.PutSecret(
                "a.example",
                Optional.empty(),
                value("12345678"),
                Optional.empty(),
                Optional.empty());
    }

    private static Secret value(String text) {
        return Secret.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Api.ExecCommand command() {
        return new Api.ExecCommand(List.of("true"), false, Optional.empty(), Map.of());
    }

    @Test
    void everyOperationThatChangesSomethingIsRecorded() throws Exception {
        try (FarGateway far = new FarGateway(temporary.resolve("far"))) {
            Map<String, Object> changes = changes();
            changes.putAll(remoteChanges(far));
            requireAllRecorded(changes);
        }
    }

    /// The other form of a request that [#changes] has.
    @Test
    void trustInAFileIsRecorded() throws Exception {
        byte[] content = "egress: []\n".getBytes(StandardCharsets.UTF_8);
        Files.write(projectFile(), content);
        String digest = TrustedFiles.digest(content);
        Api.Trust trust = new Api.Trust(projectFile().toString(), Optional.of(digest));
        long before = recorded();
        Dispatcher.Answer answer = answer("POST /v1/trusted", trust);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        assertThat(recorded()).isGreaterThan(before);
        assertThat(Files.readString(parts.home.auditLog())).contains("project.trust");
    }

    @Test
    void aSandboxThatHasEndedRunsNothingAndGetsNothing() throws Exception {
        assertThat(ask("POST /v1/sandboxes", parts.request("app", false, Api.LifeRequest.STANDARD)))
                .isEqualTo(200);
        assertThat(ask("POST /v1/sandboxes/app/exec", command()))
                .as("positive control")
                .isEqualTo(200);
        assertThat(ask("POST /v1/sandboxes/app/end", NOTHING)).isEqualTo(200);
        Object egress = parts.sandboxes.show("app").egress();
        long before = recorded();
        Api.Allow more = new Api.Allow(List.of("b.example"), List.of(), false);
        for (var change : Map.of("exec", command(), "allow", more).entrySet()) {
            Dispatcher.Answer answer =
                    answer("POST /v1/sandboxes/app/" + change.getKey(), change.getValue());
            assertThat(answer.status()).as(answer.body()).isEqualTo(409);
            assertThat(answer.body())
                    .contains("ended for good", "sallyport new", "sallyport destroy app");
        }
        assertThat(parts.sandboxes.show("app").egress()).isEqualTo(egress);
        assertThat(recorded()).isEqualTo(before);
    }

    private int ask(String request, Object body) throws Exception {
        return answer(request, body).status();
    }

    private Dispatcher.Answer answer(String request, Object body) throws Exception {
        String[] words = request.split(" ", 2);
        return new Dispatcher(table, Role.OWNER)
                .answer(
                        HttpMethod.valueOf(words[0]),
                        words[1],
                        ApiJson.requests().writeValueAsBytes(body),
                        () -> true);
    }

    private void requireAllRecorded(Map<String, Object> changes) throws Exception {
        assertThat(changes.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        table.stream()
                                .filter(row -> !row.method().equals(HttpMethod.GET))
                                .map(row -> row.method() + " " + row.path())
                                .filter(
                                        row ->
                                                !row.matches(
                                                        ".* /v1/(shutdown|secrets/encrypt|approvals/.*)"))
                                .toList());
        for (Map.Entry<String, Object> change : changes.entrySet()) {
            String request = change.getKey().replace("{name}", name(change.getKey()));
            long before = recorded();
            Dispatcher.Answer answer = answer(request, change.getValue());
            assertThat(answer.status()).as("%s: %s", change.getKey(), answer.body()).isEqualTo(200);
            assertThat(recorded()).as(change.getKey()).isGreaterThan(before);
        }
    }

    private long recorded() throws IOException {
        try (Stream<String> lines = Files.lines(parts.home.auditLog())) {
            return lines.count();
        }
    }

    @Test
    void everyOperationNeedsARole() {
        assertThat(table).allSatisfy(row -> assertThat(row.roles()).contains(Role.OWNER));
        assertThat(table)
                .filteredOn(row -> !row.roles().contains(Role.ROOT))
                .as("root does not enter what another person could have changed")
                .extracting(Operation::path)
                .containsExactly("/v1/sandboxes/{name}/exec");
    }

    @Test
    void noTwoOperationsAreTheSame() {
        Set<String> seen = new HashSet<>();
        for (Operation operation : table) {
            assertThat(seen.add(operation.method() + " " + operation.path())).isTrue();
        }
    }

    @Test
    void theDocumentHasEveryOperation() throws IOException {
        String document = Files.readString(Path.of("docs/protocol/control-api.md"));
        for (Operation operation : table) {
            assertThat(document).contains("`" + operation.method() + " " + operation.path() + "`");
        }
    }

    @Test
    void aTemplateMatchesExactlyOneName() {
        Operation one =
                table.stream().filter(o -> o.path().endsWith("/exec")).findFirst().orElseThrow();
        List<String> path = Operation.segments("/v1/sandboxes/app/exec");
        assertThat(one.matches(path)).isTrue();
        assertThat(one.nameIn(path)).isEqualTo("app");
        for (String other :
                new String[] {
                    "/v1/sandboxes/exec",
                    "/v1/sandboxes/app/exec/",
                    "/v1/sandboxes/app/x/exec",
                    "//v1/sandboxes/app/exec",
                    "/v1/sandboxes/app/EXEC",
                    "/v1/sandboxes/app/exec?x",
                }) {
            assertThat(one.matches(Operation.segments(other))).as(other).isFalse();
        }
    }
}
