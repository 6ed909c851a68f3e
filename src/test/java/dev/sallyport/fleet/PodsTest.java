package dev.sallyport.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.ConfigException;
import dev.sallyport.policy.SessionId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Pods as hosts: a key is bound to its line, a pod has to do with its own session only, and one
/// whose session has ended does not come back.
final class PodsTest {
    private static final String TOKEN = "head.body.signature";
    private static final Pod POD = pod("fix", "0a8d3f6e-1111-4222-8333-944455556666");
    private static final Pod OTHER = pod("fix", "1b8d3f6e-1111-4222-8333-944455556666");

    private @TempDir Path directory;
    private Fleet fleet;
    private final HostKey key = HostKey.inMemory();

    @BeforeEach
    void begin() throws Exception {
        fleet = new Fleet(directory.resolve("fleet"));
    }

    private static Pod pod(String name, String uid) {
        return new Pod("agents", "agent", name, uid);
    }

    private String line(HostKey by) throws Exception {
        return PodEnrolment.request(fleet.audience(), by, TOKEN);
    }

    private Hosts.Enrolled enrolled(HostKey by, Pod pod) throws Exception {
        return fleet.pods.enrol(PodEnrolment.parse(line(by)), pod);
    }

    private String asked(HostKey by) throws Exception {
        byte[] nothing = "{}".getBytes(StandardCharsets.US_ASCII);
        return SignedRequest.sign(by, fleet.audience(), "open", nothing, fleet.instant());
    }

    private static void refused(FleetRefusal reason, ThrowingCallable call) {
        assertThatExceptionOfType(RefusedException.class)
                .isThrownBy(call)
                .satisfies(e -> assertThat(e.reason()).isEqualTo(reason));
    }

    @Test
    void i1_aLineWithAnotherKeyTokenOrAudienceIsRefused() throws Exception {
        String line = line(key);
        String own = java.util.HexFormat.of().formatHex(key.publicKey());
        String others = java.util.HexFormat.of().formatHex(HostKey.inMemory().publicKey());
        refused(FleetRefusal.BAD_SIGNATURE, () -> PodEnrolment.parse(line.replace(own, others)));
        refused(FleetRefusal.BAD_SIGNATURE, () -> PodEnrolment.parse(line.replace("body", "b0dy")));
        refused(FleetRefusal.MALFORMED, () -> PodEnrolment.parse(line.replace(".body", "")));
        refused(FleetRefusal.MALFORMED, () -> PodEnrolment.parse(line + "\n"));
        refused(FleetRefusal.MALFORMED, () -> PodEnrolment.parse(line.replace("pod-1", "pod-2")));
        String long8k = "a".repeat(PodEnrolment.TOKEN_CHARS_MAX);
        assertThatThrownBy(() -> PodEnrolment.request(fleet.audience(), key, long8k + ".b.c"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("aaaa");
        String elsewhere = PodEnrolment.request("0".repeat(64), key, TOKEN);
        refused(
                FleetRefusal.OTHER_GATEWAY,
                () -> fleet.pods.enrol(PodEnrolment.parse(elsewhere), POD));
        assertThat(fleet.hosts.list()).isEmpty();

        enrolled(key, POD);
        assertThat(fleet.hosts.verify(asked(key)).host()).isEqualTo(key.id());
    }

    @Test
    void theSameLineAgainChangesNothing() throws Exception {
        Hosts.Enrolled first = enrolled(key, POD);
        assertThat(fleet.pods.enrol(PodEnrolment.parse(line(key)), POD)).isEqualTo(first);
        assertThat(fleet.hosts.list()).containsExactly(first);
        refused(FleetRefusal.ALREADY_ENROLLED, () -> enrolled(key, OTHER));
    }

    @Test
    void i1_aPodThatComesAgainKeepsItsSessionAndItsOldKeyIsGoodForNothing() throws Exception {
        SessionId session = SessionId.random();
        Hosts.Enrolled before = enrolled(key, POD);
        fleet.badges.claim(session, before.id(), Pods.SESSIONS_MAX);
        fleet.badges.issue(session, before.id(), Fleet.sidecarKeys().getPublic().getEncoded());
        HostKey next = HostKey.inMemory();

        Hosts.Enrolled after = enrolled(next, POD);
        fleet.restart();

        assertThat(after.name()).isEqualTo(before.name());
        assertThat(fleet.badges.host(session)).contains(next.id());
        assertThat(fleet.badges.sessions(key.id())).isEmpty();
        refused(FleetRefusal.UNKNOWN_HOST, () -> fleet.hosts.verify(asked(key)));
        assertThat(fleet.hosts.verify(asked(next)).host()).isEqualTo(next.id());
        fleet.badges.issue(session, next.id(), Fleet.sidecarKeys().getPublic().getEncoded());
    }

    @Test
    void i1_aPodHasOneSessionAndNoneOfAnother() throws Exception {
        Hosts.Enrolled one = enrolled(key, POD);
        Hosts.Enrolled two = enrolled(HostKey.inMemory(), OTHER);
        SessionId session = SessionId.random();
        fleet.badges.claim(session, one.id(), Pods.SESSIONS_MAX);
        refused(
                FleetRefusal.FULL,
                () -> fleet.badges.claim(SessionId.random(), one.id(), Pods.SESSIONS_MAX));
        byte[] sidecar = Fleet.sidecarKeys().getPublic().getEncoded();
        refused(FleetRefusal.OTHER_HOST, () -> fleet.badges.issue(session, two.id(), sidecar));
        assertThat(fleet.badges.current(session)).isEmpty();
        fleet.badges.issue(session, one.id(), sidecar);
        assertThat(one.name()).as("two pods of one name").isNotEqualTo(two.name());
    }

    @Test
    void i3_onceItsSessionHasEndedAPodDoesNotComeBack() throws Exception {
        SessionId session = SessionId.random();
        enrolled(key, POD);
        fleet.badges.claim(session, key.id(), Pods.SESSIONS_MAX);
        fleet.pods.end(session, true);
        assertThat(fleet.badges.all()).isEmpty();
        refused(FleetRefusal.UNKNOWN_HOST, () -> fleet.hosts.verify(asked(key)));
        refused(FleetRefusal.POD_OVER, () -> enrolled(HostKey.inMemory(), POD));
        fleet.restart();
        refused(FleetRefusal.POD_OVER, () -> enrolled(HostKey.inMemory(), POD));
        assertThat(fleet.hosts.list()).isEmpty();
        assertThat(enrolled(HostKey.inMemory(), OTHER).name()).startsWith("pod-fix-");
    }

    @Test
    void i3_aPodThatWasRemovedDoesNotComeBack() throws Exception {
        String name = enrolled(key, POD).name();
        Hosts.Enrolled other = enrolled(HostKey.inMemory(), OTHER);
        fleet.pods.remove(name);
        fleet.restart();
        refused(FleetRefusal.UNKNOWN_HOST, () -> fleet.hosts.verify(asked(key)));
        refused(FleetRefusal.POD_OVER, () -> enrolled(HostKey.inMemory(), POD));
        assertThat(fleet.hosts.list()).extracting(Hosts.Enrolled::id).containsExactly(other.id());
    }

    @Test
    void aPodOfWhichNothingIsHeardIsGoneAndMayComeBack() throws Exception {
        HostKey other = HostKey.inMemory();
        enrolled(key, POD);
        enrolled(other, OTHER);
        fleet.pass(Pods.SILENT_MAX.minus(Duration.ofMinutes(1)));
        fleet.hosts.verify(asked(other));
        assertThat(fleet.pods.silent()).isEmpty();
        fleet.pass(Duration.ofMinutes(2));
        assertThat(fleet.pods.silent()).isEqualTo(List.of(key.id()));
        assertThat(fleet.pods.forget(other.id())).as("of which something was heard").isFalse();
        assertThat(fleet.pods.forget(key.id())).isTrue();
        assertThat(fleet.pods.silent()).isEmpty();
        refused(FleetRefusal.UNKNOWN_HOST, () -> fleet.hosts.verify(asked(key)));
        fleet.hosts.verify(asked(other));
        enrolled(HostKey.inMemory(), POD);
    }

    @Test
    void noMachineIsCalledAsPodsAre() throws Exception {
        assertThatThrownBy(
                        () ->
                                fleet.hosts.invite(
                                        POD.hostName(), Fleet.ADDRESS, Duration.ofMinutes(10)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("pod-");
        fleet.hosts.invite("podium", Fleet.ADDRESS, Duration.ofMinutes(10));
        String long253 = "a".repeat(200) + ".b";
        assertThat(MachineName.isOne(pod(long253, POD.uid()).hostName())).isTrue();
        assertThat(MachineName.isOne(pod("a.b-" + "c".repeat(36), POD.uid()).hostName())).isTrue();
    }
}
