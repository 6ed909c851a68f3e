package dev.sallyport.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.audit.AuditMark;
import dev.sallyport.audit.AuditMarks;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Home;
import dev.sallyport.config.StorePlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
            assertThat(store.all()).containsExactly(session);
            store.delete(session.id());
        }
        assertThatThrownBy(() -> SessionStores.open(home, SHARED))
                .as("empty, so it is left")
                .isInstanceOf(StoreAwayException.class)
                .hasMessageContaining("postgresql://u@127.0.0.1:1/d does not answer");
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
