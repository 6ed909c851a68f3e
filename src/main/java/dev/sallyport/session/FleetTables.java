package dev.sallyport.session;

import java.util.List;

/// The tables of [PostgresFleet].
final class FleetTables {
    private FleetTables() {}

    /// They succeed when those are there.
    static final List<String> ALL =
            List.of(
                    """
                    CREATE TABLE IF NOT EXISTS fleet_state (
                      id INTEGER PRIMARY KEY CHECK (id = 1),
                      version BIGINT NOT NULL,
                      pruned BIGINT NOT NULL
                    )
                    """,
                    "INSERT INTO fleet_state VALUES (1, 0, 0) ON CONFLICT (id) DO NOTHING",
                    """
                    CREATE TABLE IF NOT EXISTS fleet_record (
                      kind TEXT NOT NULL,
                      name TEXT NOT NULL,
                      value BYTEA,
                      version BIGINT NOT NULL,
                      at TIMESTAMPTZ NOT NULL DEFAULT now(),
                      PRIMARY KEY (kind, name)
                    )
                    """,
                    "CREATE INDEX IF NOT EXISTS fleet_record_version ON fleet_record (version)",
                    """
                    CREATE INDEX IF NOT EXISTS fleet_record_gone ON fleet_record (at)
                    WHERE value IS NULL
                    """,
                    """
                    CREATE TABLE IF NOT EXISTS fleet_nonce (
                      host TEXT NOT NULL,
                      nonce TEXT NOT NULL,
                      signed_millis BIGINT NOT NULL,
                      at TIMESTAMPTZ NOT NULL DEFAULT now(),
                      PRIMARY KEY (host, nonce)
                    )
                    """,
                    """
                    CREATE TABLE IF NOT EXISTS fleet_gateway (
                      id TEXT PRIMARY KEY,
                      address TEXT NOT NULL,
                      until TIMESTAMPTZ NOT NULL
                    )
                    """);
}
