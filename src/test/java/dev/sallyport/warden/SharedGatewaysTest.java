package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.AgeKey;
import dev.sallyport.fixture.AgeKeys;
import dev.sallyport.fleet.HostId;
import dev.sallyport.fleet.HostKey;
import dev.sallyport.fleet.SessionBadges;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// One of two gateways with the same store: what it does about what the other one has changed, and
/// how it takes a session that the other one had.
class SharedGatewaysTest {
    @TempDir Path temporary;
    private SharedGateway rig;

    @BeforeEach
    void begin() throws Exception {
        rig = new SharedGateway(temporary);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private boolean isAttached(SessionId id) {
        return rig.parts.link.isAttached(id.value());
    }

    private static List<String> hosts(Session session) {
        return session.egress().rules().stream().map(rule -> rule.host().toString()).toList();
    }

    private void policy(String text) throws Exception {
        Files.writeString(rig.parts.home.policyFile(), text);
        Files.setPosixFilePermissions(
                rig.parts.home.policyFile(), PosixFilePermissions.fromString("rw-r--r--"));
        rig.parts.live.take(rig.parts.live.read());
    }

    private void requireNotTaken(SessionId id) throws OperationException {
        assertThat(isAttached(id)).isFalse();
        assertThat(rig.leases.mine).isEmpty();
        assertThat(rig.sandboxes.find(id)).isEmpty();
    }

    @Test
    void i3_aSessionWhoseHostIsNotEnrolledHasNoCertificates() throws Exception {
        SessionId good = rig.certified(rig.enrolled("build-1"));
        SessionId orphan = rig.certified(HostKey.inMemory().id());
        assertThat(rig.files.get().badges().current(orphan)).hasSize(1);
        assertThat(rig.fleet.badges(orphan).badges()).isEmpty();
        assertThat(rig.fleet.areGood(orphan)).isFalse();
        assertThat(rig.fleet.badges(good).badges()).as("control").hasSize(1);
        assertThat(rig.fleet.areGood(good)).isTrue();
    }

    @Test
    void i3_nobodyComesInWhileItIsNotSeenWhatOthersTakeAway() throws Exception {
        SessionId session = rig.certified(rig.enrolled("build-1"));
        rig.clock.passSeconds(19);
        assertThat(rig.fleet.badges(session).badges()).hasSize(1);
        rig.upkeep.lookNow();
        rig.records.away = true;
        rig.clock.passSeconds(19);
        assertThatThrownBy(rig.upkeep::lookNow).isInstanceOf(IOException.class);
        assertThat(rig.fleet.badges(session).badges()).hasSize(1);
        rig.clock.passSeconds(2);
        assertThat(rig.fleet.badges(session).badges()).isEmpty();
        assertThat(rig.fleet.areGood(session)).as("its sandbox runs on").isTrue();
        rig.records.away = false;
        rig.upkeep.lookNow();
        assertThat(rig.fleet.badges(session).badges()).hasSize(1);
    }

    @Test
    void i3_whatChangedIsNotForgottenBeforeItHadItsEffect() throws Exception {
        SessionId session = rig.certified(rig.enrolled("build-1"));
        rig.sandboxes.remarks().put(session, Remarks.Topic.GATEWAY, "trouble");
        rig.records.put("badges", session.value(), rig.records.value("badges", session.value()));
        rig.leases.fails = true;
        assertThatThrownBy(rig.upkeep::lookNow).hasMessage("half-way");
        assertThat(rig.sandboxes.remarks().on(session)).hasSize(1);
        rig.leases.fails = false;
        rig.upkeep.lookNow();
        assertThat(rig.sandboxes.remarks().on(session)).isEmpty();
    }

    @Test
    void i3_theSessionOfARemovedHostIsTakenWithoutCertificates() throws Exception {
        SessionId orphan = rig.elsewhere().id();
        HostId gone = HostKey.inMemory().id();
        rig.files.get().badges().claim(orphan, gone, SessionBadges.SESSIONS_PER_HOST_MAX);
        var _ = rig.files.get().badges().issue(orphan, gone, SharedGateway.sidecar());
        List<Boolean> alive = new ArrayList<>();
        rig.leases.taken = id -> alive.add(isAlive(id));
        assertThat(isAlive(orphan)).as("control").isTrue();
        rig.upkeep.endOrphans();
        assertThat(alive).containsExactly(false);
        assertThat(rig.parts.runtime.destroyed).contains(orphan);
    }

    @Test
    void theSessionOfAHostWhoseRecordCannotBeReadIsNotEnded() throws Exception {
        HostId host = rig.enrolled("build-1");
        SessionId session = rig.certified(host);
        rig.records.put("hosts", host.value(), new byte[] {1, 2, 3});
        rig.upkeep.lookNow();
        assertThat(rig.files.get().hosts().find(host)).as("control: it is not read").isEmpty();
        rig.upkeep.endOrphans();
        assertThat(isAlive(session)).isTrue();
        assertThat(rig.parts.runtime.destroyed).doesNotContain(session);
    }

    private boolean isAlive(SessionId id) {
        try {
            return rig.files.get().badges().isAlive(id);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void i1_aSessionThatCannotBeNarrowedIsNotTaken() throws Exception {
        policy("egress: [{host: a.example}, {host: b.example}]");
        SessionId id = rig.elsewhere().id();
        policy("egress: [{host: b.example}]");
        rig.storeFails = true;
        assertThatThrownBy(() -> rig.neighbours.take(id)).isInstanceOf(OperationException.class);
        requireNotTaken(id);
        rig.storeFails = false;
        assertThat(hosts(rig.neighbours.take(id))).containsExactly("b.example");
        assertThat(isAttached(id)).isTrue();
        assertThat(Files.readString(rig.parts.home.auditLog())).contains("session.take");
    }

    @Test
    void i1_nobodyFindsASessionBeforeItIsWhole() throws Exception {
        SessionId id = rig.elsewhere().id();
        List<Object> seen = new ArrayList<>();
        rig.leases.taken =
                taken ->
                        CompletableFuture.runAsync(
                                        () -> {
                                            seen.add(found(taken));
                                            rig.sandboxes.check(taken);
                                            seen.add(isAttached(taken));
                                        })
                                .join();
        var _ = rig.neighbours.take(id);
        assertThat(seen).containsExactly(Optional.empty(), false);
        assertThat(found(id)).isPresent();
        assertThat(isAttached(id)).isTrue();
    }

    private Optional<Session> found(SessionId id) {
        try {
            return rig.sandboxes.find(id);
        } catch (OperationException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aSessionThatIsTakenWhileThePortClosesIsGivenBack() throws Exception {
        SessionId id = rig.elsewhere().id();
        rig.leases.taken = _ -> CompletableFuture.runAsync(rig.neighbours::giveBack).join();
        assertThatThrownBy(() -> rig.neighbours.take(id)).isInstanceOf(OperationException.class);
        requireNotTaken(id);
        rig.leases.taken = _ -> {};
        rig.neighbours.announce("one.example.com:8443");
        assertThat(rig.neighbours.take(id).id()).isEqualTo(id);
        assertThat(isAttached(id)).isTrue();
    }

    @Test
    void noSessionIsMadeWhileThePortCloses() throws Exception {
        Session first = rig.planned("first");
        rig.leases.mine.add(first.id());
        assertThat(rig.neighbours.made(() -> rig.sandboxes.create(first)).name())
                .as("control")
                .isNotEmpty();
        Session late = rig.planned("late");
        rig.leases.mine.add(late.id());
        assertThatThrownBy(
                        () ->
                                rig.neighbours.made(
                                        () -> {
                                            rig.neighbours.giveBack();
                                            rig.leases.mine.add(late.id());
                                            return rig.sandboxes.create(late);
                                        }))
                .hasMessageContaining("closing");
        assertThat(rig.parts.runtime.destroyed).containsExactly(late.id());
        List<String> asked = new ArrayList<>();
        assertThatThrownBy(
                        () ->
                                rig.neighbours.made(
                                        () -> {
                                            asked.add("made");
                                            return late;
                                        }))
                .hasMessageContaining("closing");
        assertThat(asked).isEmpty();
    }

    @Test
    void whatIsSharedIsNotSaidToBeEncryptedToAnotherKey() throws Exception {
        rig.files.get();
        AgeKey other = AgeKeys.create(temporary.resolve("other.txt"));
        byte[] before = rig.records.value("authority", "authority");
        assertThatThrownBy(() -> rig.files.sealing(other).seal())
                .hasMessageContaining("another key");
        assertThat(rig.records.value("authority", "authority")).isEqualTo(before);
        rig.files.sealing(rig.files.key().orElseThrow()).seal();
        assertThat(rig.records.value("authority", "authority")).as("control").isNotEqualTo(before);
    }
}
