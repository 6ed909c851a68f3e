package dev.sallyport.session;

import dev.sallyport.config.StorePlace;
import dev.sallyport.fixture.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/// What [SessionStoreContract] says, on a real server.
class PostgresSessionStoreIT extends SessionStoreContract {
    static final GatewayId GATEWAY = new GatewayId("0".repeat(32));

    @TempDir static Path directory;
    private static PostgresServer server;
    private static StorePlace place;

    @BeforeAll
    static void begin() throws IOException {
        server = PostgresServer.start();
        place =
                new StorePlace(
                        List.of("127.0.0.1:" + server.port()),
                        "postgres",
                        PostgresServer.USER,
                        Optional.of(PostgresServer.passwordFile(directory)),
                        Optional.empty());
    }

    @AfterAll
    static void end() throws IOException {
        server.close();
    }

    @BeforeEach
    void clear() throws SQLException {
        server.clear();
    }

    @Override
    SessionStore open() throws IOException {
        return PostgresSessionStore.open(place, GATEWAY);
    }

    @Override
    void execute(String sql) throws SQLException {
        server.execute(sql);
    }
}
