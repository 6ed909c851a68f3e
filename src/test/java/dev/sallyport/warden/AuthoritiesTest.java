package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.channel.Message;
import dev.sallyport.config.SealedFiles;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.control.Api;
import dev.sallyport.credential.Authority;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.JsonRules;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import dev.sallyport.session.Usage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The life of a sandbox's certificate authority.
class AuthoritiesTest {
    @TempDir Path temporary;

    private WardenParts parts;

    @BeforeEach
    void open() throws IOException {
        parts = new WardenParts(temporary);
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
    }

    private Session plan(String name, boolean inspected) throws Exception {
        Session planned = parts.plan(name, false, Api.LifeRequest.STANDARD);
        Inspection inspection =
                new Inspection(
                        Optional.empty(),
                        Optional.empty(),
                        List.of(),
                        Optional.empty(),
                        JsonRules.NONE,
                        false,
                        List.of(),
                        Optional.empty(),
                        false);
        EgressRule rule =
                new EgressRule(
                        HostPattern.parse("api.example.com"),
                        EgressRule.PORTS,
                        Reach.PUBLIC,
                        inspected ? Optional.of(inspection) : Optional.empty(),
                        "test");
        return planned.with(planned.grants(), new Egress(List.of(rule), false));
    }

    private Path file(Session session) {
        return parts.home.authorities().resolve(session.id().value() + ".json");
    }

    private Message.Attach attach(Session session) throws IOException {
        return new AttachMessages(
                        parts.live::current,
                        new SecretFiles(new SealedFiles(parts.home.secrets(), Optional.empty())),
                        parts.apps,
                        parts.authorities,
                        _ -> Usage.NONE,
                        id -> new Message.Badges(id.value(), List.of()))
                .attach(session, List.of());
    }

    @Test
    void isKeptPrivatelyAndOutsideOfWhatIsMounted() throws Exception {
        Session session = parts.sandboxes.create(plan("app", true));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file(session))))
                .isEqualTo("rw-------");
        assertThat(file(session).startsWith(session.spec().files())).isFalse();
        Session stored = parts.store.byName("app").orElseThrow();
        Authority kept = parts.authorities.find(stored).orElseThrow();
        assertThat(stored.spec().caPem()).contains(kept.certificatePem());
        assertThat(Files.readString(parts.home.auditLog())).doesNotContain("PRIVATE", "MIG");
    }

    @Test
    void theGatewayGetsItAgainAfterARestart() throws Exception {
        Session session = parts.sandboxes.create(plan("app", true));
        Message.Authority first = attach(session).authority().orElseThrow();
        Message.Authority second =
                attach(parts.store.byName("app").orElseThrow()).authority().orElseThrow();
        assertThat(second).isEqualTo(first);
        assertThat(first.toString()).contains("Secret[redacted]");
        Authority.of(first.certificatePem(), first.key());
    }

    @Test
    void aSessionWithRepositoriesHasOneForTheirHosts() throws Exception {
        Session session = parts.sandboxes.create(plan("app", false));
        assertThat(session.spec().caPem()).isPresent();
        assertThat(session.policy().inspectedHosts())
                .containsExactly(new HostName("api.github.com"), new HostName("github.com"));
    }

    @Test
    void aSessionWithoutThoseAndWithoutInspectedHostsHasNone() throws Exception {
        Session planned = plan("app", false);
        Session without =
                new Session(
                        planned.spec(),
                        planned.identity(),
                        List.of(),
                        planned.egress(),
                        planned.lifetime(),
                        planned.usage(),
                        planned.ephemeral(),
                        planned.state(),
                        planned.caps(),
                        Optional.empty(),
                        planned.asked());
        assertThat(Authorities.make(without)).isEmpty();
    }

    @Test
    void oneThatCannotBeReadIsLeftOutAndTheRestIsAttached() throws Exception {
        Session session = parts.sandboxes.create(plan("app", true));
        Files.writeString(file(session), "{\"certificate\": \"x\"}");
        assertThat(attach(session).authority()).isEmpty();
        assertThat(attach(session).rights().grants()).hasSize(1);
        Files.setPosixFilePermissions(file(session), PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(attach(session).authority()).isEmpty();
        Files.delete(file(session));
        assertThat(attach(session).authority()).isEmpty();
    }

    @Test
    void goesWithItsSession() throws Exception {
        Session session = parts.sandboxes.create(plan("app", true));
        parts.sandboxes.stop("app");
        assertThat(file(session)).exists();
        parts.sandboxes.destroy("app");
        assertThat(file(session)).doesNotExist();
    }

    @Test
    void aSandboxThatCannotBeMadeLeavesNone() throws Exception {
        parts.runtime.failing = true;
        Session planned = plan("app", true);
        assertThatThrownBy(() -> parts.sandboxes.create(planned))
                .isInstanceOf(OperationException.class);
        assertThat(file(planned)).doesNotExist();
    }

    @Test
    void anOrphanIsSweptAndTheOthersStay() throws Exception {
        Session session = parts.sandboxes.create(plan("app", true));
        SessionId orphan = SessionId.random();
        parts.authorities.keep(orphan, Authorities.make(plan("gone", true)).orElseThrow());
        Path left = parts.home.authorities().resolve(orphan.value() + ".json");
        assertThat(left).exists();
        Path half = parts.home.authorities().resolve(SessionId.random().value() + ".unfinished");
        Files.createFile(half);
        parts.sandboxes.sweepKept();
        assertThat(left).doesNotExist();
        assertThat(half).doesNotExist();
        assertThat(file(session)).exists();
    }
}
