package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.GitSettings;
import dev.sallyport.control.Api;
import dev.sallyport.sandbox.Resources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a caller of the control API can have mounted, and what is written down of it.
class MountRequestsTest {
    @TempDir Path temporary;
    private Path keys;
    private WardenParts parts;

    @BeforeEach
    void open() throws IOException {
        parts = new WardenParts(temporary);
        keys = Files.createDirectories(temporary.toRealPath().resolve("keys"));
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
    }

    private Api.CreateSandbox request(Api.MountRequest mounts, Api.ResourceRequest resources)
            throws IOException {
        return request(mounts, resources, Api.HardeningRequest.STANDARD);
    }

    private Api.CreateSandbox request(
            Api.MountRequest mounts, Api.ResourceRequest resources, Api.HardeningRequest hardening)
            throws IOException {
        return new Api.CreateSandbox(
                Optional.of("app"),
                Optional.of("bubblewrap"),
                Optional.empty(),
                Files.createDirectories(temporary.resolve("project")).toString(),
                List.of(),
                Api.ReachRequest.STANDARD,
                GitSettings.STANDARD,
                false,
                Api.LifeRequest.STANDARD,
                mounts,
                resources,
                hardening,
                Api.HomeRequest.STANDARD,
                Optional.empty());
    }

    private Api.CreateSandbox request(String path, boolean unsafe) throws IOException {
        return request(
                new Api.MountRequest(
                        List.of(new Api.MountText(path, false, unsafe)),
                        List.of(),
                        Map.of(keys.toString(), "GNUPGHOME")),
                Api.ResourceRequest.STANDARD);
    }

    private String record() throws IOException {
        return Files.readString(parts.home.auditLog());
    }

    @Test
    void whatBubblewrapDoesNotHaveIsRefusedAndNothingIsRecorded() throws Exception {
        for (String user : List.of("image", "owner", "0")) {
            Api.CreateSandbox asked =
                    request(
                            Api.MountRequest.NONE,
                            Api.ResourceRequest.STANDARD,
                            new Api.HardeningRequest(
                                    Optional.of(user), Optional.empty(), Optional.empty()));
            assertThatThrownBy(() -> parts.plans.plan(asked)).hasMessageContaining("--user");
        }
        Api.CreateSandbox runtime =
                request(
                        Api.MountRequest.NONE,
                        Api.ResourceRequest.STANDARD,
                        new Api.HardeningRequest(
                                Optional.empty(), Optional.of("runc"), Optional.empty()));
        assertThatThrownBy(() -> parts.plans.plan(runtime)).hasMessageContaining("--runtime-class");
        assertThat(record()).doesNotContain("session.");
    }

    @Test
    void theHostsUserNamespaceIsRefusedAndNothingIsRecorded() throws Exception {
        for (String userns : List.of("host", "HOST", "", "private,host")) {
            Api.CreateSandbox asked = userns(userns);
            assertThatThrownBy(() -> parts.plans.plan(asked)).hasMessageContaining("private");
        }
        assertThat(record()).doesNotContain("session.");

        parts.sandboxes.create(parts.plans.plan(userns("private")));
        assertThat(record()).contains("\"session.create\"", "\"userns\":\"private\"");
    }

    private Api.CreateSandbox userns(String asked) throws IOException {
        return request(
                Api.MountRequest.NONE,
                Api.ResourceRequest.STANDARD,
                new Api.HardeningRequest(Optional.empty(), Optional.empty(), Optional.of(asked)));
    }

    @Test
    void i10AnUnsafeMountIsRecordedAndShown() throws Exception {
        Api.CreateSandbox refused = request(keys.toString(), false);
        assertThatThrownBy(() -> parts.plans.plan(refused)).hasMessageContaining("$GNUPGHOME");
        assertThat(record()).doesNotContain("session.");

        var session = parts.sandboxes.create(parts.plans.plan(request(keys.toString(), true)));

        assertThat(record()).contains("\"session.unsafe-mount\"").contains(keys.toString());
        assertThat(record().indexOf("session.create"))
                .isLessThan(record().indexOf("session.unsafe-mount"));
        assertThat(SessionViews.of(session, List.of(), false, Optional.empty()).mounts().extra())
                .containsExactly(new Api.MountText(keys.toString(), false, true));
        assertThat(parts.sandboxes.show("app").spec()).isEqualTo(session.spec());
    }

    @Test
    void i10SallyportsHomeAndSocketAreRefusedEvenSo() throws Exception {
        for (Path path :
                List.of(parts.home.root(), parts.home.auditLog(), temporary.toRealPath())) {
            Api.CreateSandbox request = request(path.toString(), true);
            assertThatThrownBy(() -> parts.plans.plan(request))
                    .hasMessageContaining("Sallyport's own");
        }
    }

    /// Who asked may have looked before a sandbox made the link.
    @Test
    void i15AMountThroughALinkIsRefusedAndNothingIsRecorded() throws Exception {
        Path other = Files.createDirectories(temporary.toRealPath().resolve("other/sub"));
        Path link = Files.createSymbolicLink(keys.resolveSibling("link"), Path.of("other"));
        for (Path path : List.of(link, link.resolve("sub"))) {
            for (boolean unsafe : new boolean[] {false, true}) {
                Api.CreateSandbox request = request(path.toString(), unsafe);
                assertThatThrownBy(() -> parts.plans.plan(request))
                        .hasMessageContaining("goes through a symbolic link");
            }
        }
        assertThat(record()).doesNotContain("session.");
        parts.sandboxes.create(parts.plans.plan(request(other.toString(), false)));
    }

    @Test
    void onlyAbsolutePathsAreTaken() throws Exception {
        Api.CreateSandbox request = request("keys", false);
        assertThatThrownBy(() -> parts.plans.plan(request)).hasMessageContaining("absolute");
    }

    @Test
    void aLimitThatCannotBeHeldIsRefusedAndNotIgnored() throws Exception {
        var request =
                new Api.ResourceRequest(
                        Optional.of(1L << 30),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty());
        var usual = new Resources(Optional.empty(), Optional.empty(), Optional.empty(), 1 << 30);
        assertThat(ResourceRequests.check(request, usual, true).memoryBytes()).contains(1L << 30);
        assertThatThrownBy(() -> ResourceRequests.check(request, usual, false))
                .hasMessageContaining("--memory");

        Api.CreateSandbox small =
                request(
                        Api.MountRequest.NONE,
                        new Api.ResourceRequest(
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.of(1L)));
        assertThatThrownBy(() -> parts.plans.plan(small)).hasMessageContaining("--file-size");
    }
}
