package dev.sallyport.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.AgeKey;
import dev.sallyport.policy.SessionId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What every place does in which the state of a fleet is kept.
abstract class FleetStoreContract {
    static final SessionId SESSION = new SessionId("00000000000000aa");
    static final byte[] BODY = "{}".getBytes(StandardCharsets.UTF_8);

    @TempDir Path temporary;
    AgeKey key;
    Fleet fleet;

    /// As a process finds it that begins.
    abstract FleetStore open(AgeKey key) throws Exception;

    @BeforeEach
    void begin() throws Exception {
        key = Fleet.ageKey(temporary.resolve("age.txt"));
        fleet = new Fleet(() -> open(key));
    }

    String signed(HostKey by) throws Exception {
        return SignedRequest.sign(by, fleet.audience(), "open", BODY, fleet.instant());
    }

    static void requireRefused(FleetRefusal reason, ThrowingCallable what) {
        assertThatThrownBy(what)
                .isInstanceOfSatisfying(
                        RefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Test
    void theNextProcessKnowsAllOfIt() throws Exception {
        HostKey host = fleet.enrolled(temporary.resolve("host"), "build-1");
        fleet.badges.claim(SESSION, host.id(), SessionBadges.SESSIONS_PER_HOST_MAX);
        byte[] sidecar = Fleet.sidecarKeys().getPublic().getEncoded();
        SessionBadges.Issued issued = fleet.badges.issue(SESSION, host.id(), sidecar);
        var _ = fleet.hosts.invite("build-2", Fleet.ADDRESS, Duration.ofMinutes(10));
        List<String> authorities = fleet.authority.authorityPems();
        List<Hosts.Invitation> codes = fleet.hosts.invitations();

        fleet.restart();

        assertThat(fleet.authority.authorityPems()).isEqualTo(authorities);
        assertThat(fleet.hosts.invitations()).isEqualTo(codes).hasSize(1);
        assertThat(fleet.badges.current(SESSION)).containsExactly(issued.badge());
        assertThat(fleet.hosts.find(host.id())).isPresent();
        fleet.badges.end(SESSION);
        fleet.hosts.remove(host.id(), fleet.badges);
        fleet.restart();
        assertThat(fleet.badges.all()).isEmpty();
        assertThat(fleet.hosts.list()).isEmpty();
    }

    @Test
    void aRequestCountsOnceAlsoForTheNextProcess() throws Exception {
        HostKey host = fleet.enrolled(temporary.resolve("host"), "build-1");
        String line = signed(host);
        assertThat(fleet.hosts.verify(line).host()).isEqualTo(host.id());
        requireRefused(FleetRefusal.REPLAYED, () -> fleet.hosts.verify(line));
        fleet.restart();
        requireRefused(FleetRefusal.REPLAYED, () -> fleet.hosts.verify(line));
        fleet.pass(Duration.ofSeconds(1));
        assertThat(fleet.hosts.verify(signed(host)).host()).isEqualTo(host.id());
    }

    /// A refusal changes nothing but what counts it.
    @Test
    void wrongAttemptsAreCountedAlsoForTheNextProcess() throws Exception {
        String code = fleet.hosts.invite("build-1", Fleet.ADDRESS, Duration.ofMinutes(10));
        HostKey host = HostKey.create(temporary.resolve("host"), Optional.empty(), "main");
        String right = Enrolment.request(EnrolmentCode.parse(code), host);
        String wrong = right.substring(0, right.length() - 64) + "0".repeat(64);
        for (int i = 0; i < EnrolmentCodes.WRONG_MAX; i++) {
            requireRefused(FleetRefusal.WRONG_CODE, () -> fleet.hosts.enrol(wrong));
            fleet.restart();
        }
        requireRefused(FleetRefusal.UNKNOWN_CODE, () -> fleet.hosts.enrol(right));
        assertThat(fleet.hosts.list()).isEmpty();
    }

    @Test
    void nothingIsTakenBackByAnotherKey() throws Exception {
        HostKey host = fleet.enrolled(temporary.resolve("host"), "build-1");
        AgeKey other = Fleet.ageKey(temporary.resolve("other.txt"));
        assertThatThrownBy(() -> new Fleet(() -> open(other)))
                .hasMessageContaining("cannot be decrypted")
                .hasMessageNotContaining("PRIVATE");
        fleet.restart();
        assertThat(fleet.hosts.verify(signed(host)).host()).isEqualTo(host.id());
    }
}
