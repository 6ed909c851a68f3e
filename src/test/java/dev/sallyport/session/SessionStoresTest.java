package dev.sallyport.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.audit.AuditMark;
import dev.sallyport.audit.AuditMarks;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import dev.sallyport.config.StorePlace;
import dev.sallyport.fleet.Enrolment;
import dev.sallyport.fleet.EnrolmentCode;
import dev.sallyport.fleet.FleetAuthority;
import dev.sallyport.fleet.FleetStore;
import dev.sallyport.fleet.HostKey;
import dev.sallyport.fleet.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A home keeps to its store: sandboxes that a store does not know are swept away.
class SessionStoresTest {
    /// Nothing listens there.
    private static final Optional<StorePlace> SHARED =
            Optional.of(
                    new StorePlace(
                            List.of("127.0.0.1:1"), "d", "u", Optional.empty(), Optional.empty()));

    @TempDir Path directory;
    private Home home;

    @BeforeEach
    void make() throws IOException {
        home = new Home(directory.resolve("home"));
        home.create();
    }

    @Test
    void aFileWithSandboxesIsNotLeft() throws Exception {
        Session session = SessionStoreContract.session("one");
        try (SessionStore store = SessionStores.open(home, Optional.empty())) {
            store.insert(session);
        }
        assertThatThrownBy(() -> SessionStores.open(home, SHARED))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("has 1 sandboxes")
                .hasMessageContaining("destroy them");
        assertThat(home.gatewayId()).doesNotExist();
        try (SessionStore store = SessionStores.open(home, Optional.empty())) {
            assertThat(store.contents().sessions()).containsExactly(session);
            store.delete(session.id());
        }
        assertThatThrownBy(() -> SessionStores.open(home, SHARED))
                .as("empty, so it is left")
                .isInstanceOf(StoreAwayException.class)
                .hasMessageContaining("postgresql://u@127.0.0.1:1/d does not answer");
    }

    private static void enroll(Path fleet, String name) throws Exception {
        FleetStore files = FleetStore.files(fleet, Optional.empty());
        InstantSource clock = InstantSource.system();
        Hosts hosts = Hosts.open(files, clock, FleetAuthority.open(files, clock));
        String code = hosts.invite(name, "gw.example.com:8443", Duration.ofMinutes(10));
        var _ = hosts.enrol(Enrolment.request(EnrolmentCode.parse(code), HostKey.inMemory()));
    }

    /// They would not be known any more, and could not come in.
    @Test
    void machinesThatAreEnrolledAreNotLeftWithoutAWord() throws Exception {
        enroll(home.fleet(), "build2");
        enroll(home.fleet(), "build1");
        assertThatThrownBy(() -> SessionStores.open(home, SHARED))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(home.fleet() + " has enrolled machines (build1, build2)")
                .hasMessageContaining("Enroll them again");
        assertThat(home.gatewayId()).doesNotExist();
        SessionStores.open(home, Optional.empty()).close();

        Path aside = Files.move(home.fleet(), directory.resolve("aside"));
        assertThatThrownBy(() -> SessionStores.open(home, SHARED))
                .isInstanceOf(StoreAwayException.class);
        Files.move(aside, home.fleet());
        assertThatThrownBy(() -> SessionStores.open(home, SHARED))
                .as("a gateway that has had a store keeps its files as they are")
                .isInstanceOf(StoreAwayException.class);
    }

    @Test
    void aDatabaseIsNotLeftWithoutAWord() throws Exception {
        assertThatThrownBy(() -> SessionStores.open(home, SHARED))
                .isInstanceOf(StoreAwayException.class);
        String id = Files.readString(home.gatewayId());
        assertThatThrownBy(() -> SessionStores.open(home, Optional.empty()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("names no store any more")
                .hasMessageContaining(home.gatewayId().toString());
        assertThat(home.database()).doesNotExist();
        assertThat(GatewayId.open(home.gatewayId()).value()).isEqualTo(id.strip());
        Files.delete(home.gatewayId());
        SessionStores.open(home, Optional.empty()).close();
        assertThat(home.database()).exists();
    }

    @Test
    void aDamagedIdIsNotReplaced() throws Exception {
        GatewayId.open(home.gatewayId());
        Files.writeString(home.gatewayId(), "' OR 1=1 --");
        assertThatThrownBy(() -> SessionStores.open(home, SHARED))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("is damaged");
        assertThat(Files.readString(home.gatewayId())).isEqualTo("' OR 1=1 --");
    }

    @Test
    void whatIsKnownOfTheLogIsAskedWithoutMakingAStore() throws Exception {
        assertThat(known(Optional.empty())).isEmpty();
        assertThat(known(SHARED)).isEmpty();
        assertThat(home.database()).doesNotExist();
        assertThat(home.gatewayId()).doesNotExist();
        AuditMark mark = new AuditMark(3, "hash", "key");
        try (AuditStore store = SessionStores.openAudit(home, Optional.empty())) {
            store.markAudit(mark);
        }
        assertThat(known(Optional.empty())).contains(Optional.of(mark));
        GatewayId.open(home.gatewayId());
        assertThatThrownBy(() -> known(SHARED)).isInstanceOf(StoreAwayException.class);
    }

    private Optional<Optional<AuditMark>> known(Optional<StorePlace> place) throws IOException {
        return SessionStores.askAudit(home, place, AuditMarks::auditMark);
    }
}
