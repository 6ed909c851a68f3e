package dev.sallyport.bench;

import dev.sallyport.fixture.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// A PostgreSQL server that keeps what it confirms, and what it counts about itself.
final class FleetDatabase implements AutoCloseable {
    private static final String SETTINGS =
            """
            fsync = on
            shared_buffers = 256MB
            max_connections = 100
            """;

    /// What begins and ends a transaction is no statement of ours.
    private static final String CALLS =
            "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements"
                    + " WHERE query !~* '^(begin|commit|set|show|checkpoint|select pg_)'";

    private final PostgresServer server;
    private final boolean counts;

    private FleetDatabase(PostgresServer server, boolean counts) {
        this.server = server;
        this.counts = counts;
    }

    static FleetDatabase start(Run run) throws IOException, SQLException {
        boolean counts =
                Files.exists(PostgresServer.programs().resolveSibling("lib/pg_stat_statements.so"));
        String more = counts ? "shared_preload_libraries = 'pg_stat_statements'\n" : "";
        FleetDatabase made =
                new FleetDatabase(
                        PostgresServer.start(run.directory("store"), SETTINGS + more), counts);
        run.using(made);
        if (counts) {
            made.server.execute("CREATE EXTENSION pg_stat_statements");
        }
        return made;
    }

    PostgresServer server() {
        return server;
    }

    /// @param statements less than 0 when nobody counts them
    /// @param cpuSeconds of all its processes that are there
    record Counters(long nanos, long statements, long commits, long walBytes, double cpuSeconds) {
        double seconds(Counters before) {
            return (nanos - before.nanos) / 1e9;
        }

        double statementsPerSecond(Counters before) {
            return statements < 0 ? Double.NaN : (statements - before.statements) / seconds(before);
        }

        double commitsPerSecond(Counters before) {
            return (commits - before.commits) / seconds(before);
        }

        double walPerSecond(Counters before) {
            return (walBytes - before.walBytes) / seconds(before);
        }

        double cpuPerMinute(Counters before) {
            return (cpuSeconds - before.cpuSeconds) * 60 / seconds(before);
        }
    }

    Counters now() throws SQLException, IOException {
        return new Counters(
                System.nanoTime(),
                counts ? number(CALLS) : -1,
                number("SELECT xact_commit FROM pg_stat_database WHERE datname = 'postgres'"),
                number("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"),
                Usage.cpuSeconds(processes()));
    }

    private List<Long> processes() throws IOException {
        List<Long> all = new ArrayList<>(List.of(server.pid()));
        ProcessHandle.of(server.pid())
                .orElseThrow()
                .descendants()
                .forEach(process -> all.add(process.pid()));
        return all;
    }

    long number(String sql) throws SQLException {
        return Long.parseLong(server.ask(sql));
    }

    double mebibytes() throws SQLException {
        return number("SELECT pg_database_size('postgres')") / 1048576.0;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
