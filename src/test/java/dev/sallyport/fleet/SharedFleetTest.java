package dev.sallyport.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.config.AgeKey;
import dev.sallyport.fixture.MemoryRecords;
import dev.sallyport.policy.SessionId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What one gateway sees of what another one does, also when it cannot read all of it.
class SharedFleetTest {
    private static final SessionId SESSION = new SessionId("00000000000000aa");
    private static final SessionId NEXT = new SessionId("00000000000000ab");
    private static final byte[] NONSENSE = "nonsense".getBytes(StandardCharsets.UTF_8);

    @TempDir Path temporary;
    private final MemoryRecords records = new MemoryRecords();
    private Fleet one;
    private Fleet other;
    private HostKey host;

    @BeforeEach
    void begin() throws Exception {
        AgeKey key = Fleet.ageKey(temporary.resolve("age.txt"));
        one = new Fleet(() -> FleetStore.shared(records, key));
        other = new Fleet(() -> FleetStore.shared(records, key));
        host = one.enrolled(temporary.resolve("host"), "build-1");
        one.badges.claim(SESSION, host.id(), SessionBadges.SESSIONS_PER_HOST_MAX);
        var _ = one.badges.issue(SESSION, host.id(), Fleet.sidecarKeys().getPublic().getEncoded());
        other.store.refresh();
    }

    @Test
    void i3_aHostThatIsRemovedTakesTheCertificatesOfItsSessionsAlong() throws Exception {
        HostKey stays = one.enrolled(temporary.resolve("stays"), "build-2");
        one.badges.claim(NEXT, stays.id(), SessionBadges.SESSIONS_PER_HOST_MAX);
        var _ = one.badges.issue(NEXT, stays.id(), Fleet.sidecarKeys().getPublic().getEncoded());
        other.store.refresh();
        assertThat(other.badges.current(SESSION)).as("control").hasSize(1);
        one.hosts.remove(host.id(), one.badges);
        assertThat(one.badges.current(SESSION)).isEmpty();
        assertThat(other.store.refresh()).contains("badges/" + SESSION.value());
        assertThat(other.badges.current(SESSION)).isEmpty();
        assertThat(other.badges.current(NEXT)).hasSize(1);
    }

    @Test
    void i3_aRecordThatCannotBeReadKeepsNoOtherFromBeingSeen() throws Exception {
        byte[] good = records.value("badges", SESSION.value());
        records.put("badges", SESSION.value(), NONSENSE);
        HostKey gone = one.enrolled(temporary.resolve("gone"), "build-2");
        assertThat(other.store.refresh())
                .contains("badges/" + SESSION.value(), "hosts/" + gone.id().value());
        assertThat(other.badges.current(SESSION)).isEmpty();
        one.hosts.remove(gone.id(), one.badges);
        assertThat(other.store.refresh()).containsExactly("hosts/" + gone.id().value());
        assertThat(other.hosts.find(gone.id())).isEmpty();
        assertThat(other.hosts.find(host.id())).isPresent();
        assertThatThrownBy(
                        () ->
                                other.badges.claim(
                                        SESSION, host.id(), SessionBadges.SESSIONS_PER_HOST_MAX))
                .hasMessageContaining("badges/" + SESSION.value());
        assertThat(records.value("badges", SESSION.value())).isEqualTo(NONSENSE);

        records.put("badges", SESSION.value(), good);
        assertThat(other.store.refresh()).containsExactly("badges/" + SESSION.value());
        assertThat(other.badges.current(SESSION)).hasSize(1);
    }

    /// Otherwise each gateway that cannot read it would make one of its own.
    @Test
    void anAuthorityThatCannotBeReadIsNotReplaced() throws Exception {
        String before = one.audience();
        records.put("authority", "authority", NONSENSE);
        other.store.refresh();
        assertThat(other.audience()).isEqualTo(before);
        assertThatThrownBy(other.authority::rotate).hasMessageContaining("authority/authority");
        assertThatThrownBy(other::restart).hasMessageContaining("authority");
        assertThat(records.value("authority", "authority")).isEqualTo(NONSENSE);
    }
}
