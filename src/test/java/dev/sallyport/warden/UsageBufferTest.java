package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sallyport.control.Api;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.SessionStore;
import dev.sallyport.session.StoreException;
import dev.sallyport.session.Usage;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What was used counts once, wherever it is on its way to the store.
class UsageBufferTest {
    private static final Usage USED = new Usage(2, 500, 523, 1);

    @TempDir Path temporary;
    private WardenParts parts;
    private SessionId session;

    @BeforeEach
    void open() throws Exception {
        parts = new WardenParts(temporary);
        session = parts.create("app", Api.LifeRequest.STANDARD).id();
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
    }

    /// What happens before each call of a method of the store.
    private interface Before {
        void call() throws Exception;
    }

    private UsageBuffer buffer(String method, Before before) {
        SessionStore store =
                (SessionStore)
                        Proxy.newProxyInstance(
                                SessionStore.class.getClassLoader(),
                                new Class<?>[] {SessionStore.class},
                                (_, called, arguments) -> {
                                    if (called.getName().equals(method)) {
                                        before.call();
                                    }
                                    try {
                                        return called.invoke(parts.store, arguments);
                                    } catch (InvocationTargetException e) {
                                        throw e.getCause();
                                    }
                                });
        return new UsageBuffer(store, parts.clock);
    }

    @Test
    void whatIsWrittenWhileItIsAddedUpCountsOnce() throws Exception {
        UsageBuffer[] holder = new UsageBuffer[1];
        Thread flush = new Thread(() -> holder[0].flush());
        AtomicBoolean tried = new AtomicBoolean();
        holder[0] =
                buffer(
                        "byId",
                        () -> {
                            if (tried.compareAndSet(false, true)) {
                                flush.start();
                                flush.join(Duration.ofMillis(300));
                            }
                        });
        holder[0].add(session, USED);

        assertThat(holder[0].total(session)).isEqualTo(USED);

        flush.join();
        assertThat(holder[0].total(session)).isEqualTo(USED);
        assertThat(parts.store.byId(session).orElseThrow().usage()).isEqualTo(USED);
    }

    @Test
    void whatIsAddedUpWhileItIsWrittenIsNotMissed() throws Exception {
        UsageBuffer[] holder = new UsageBuffer[1];
        Usage[] seen = new Usage[1];
        Thread total = new Thread(() -> seen[0] = holder[0].total(session));
        holder[0] =
                buffer(
                        "recordUse",
                        () -> {
                            total.start();
                            total.join(Duration.ofMillis(300));
                        });
        holder[0].add(session, USED);

        holder[0].flush();

        total.join();
        assertThat(seen[0]).isEqualTo(USED);
    }

    /// Also of what was written before something failed nothing may stay: it is brought again.
    @Test
    void oneThatCannotBeWrittenKeepsNoOtherFromBeingWritten() throws Exception {
        List<SessionId> others = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            others.add(parts.create("other-" + i, Api.LifeRequest.STANDARD).id());
        }
        UsageBuffer usage = new UsageBuffer(parts.store, parts.clock);
        execute(
                "CREATE TRIGGER refuses BEFORE UPDATE ON session WHEN new.name = 'app' BEGIN SELECT RAISE(ABORT, 'not this one'); END");
        usage.add(session, USED);
        others.forEach(each -> usage.add(each, USED));
        usage.flush();
        for (SessionId each : others) {
            assertThat(parts.store.byId(each).orElseThrow().usage()).isEqualTo(USED);
            assertThat(usage.waiting(each)).isEqualTo(Usage.NONE);
        }
        assertThat(parts.store.byId(session).orElseThrow().usage()).isEqualTo(Usage.NONE);
        assertThat(usage.total(session)).isEqualTo(USED);
        execute("DROP TRIGGER refuses");
        usage.add(session, USED);
        usage.flush();
        assertThat(parts.store.byId(session).orElseThrow().usage()).isEqualTo(USED.plus(USED));
        assertThat(usage.waiting(session)).isEqualTo(Usage.NONE);
    }

    /// When nothing can be written, that is soon clear.
    @Test
    void aStoreThatTakesNothingIsNotAskedForEachOfMany() {
        AtomicInteger asked = new AtomicInteger();
        UsageBuffer usage =
                buffer(
                        "recordUse",
                        () -> {
                            asked.incrementAndGet();
                            throw new StoreException("disk full");
                        });
        List<SessionId> many = Stream.generate(SessionId::random).limit(400).toList();
        many.forEach(each -> usage.add(each, USED));
        usage.flush();
        assertThat(asked).hasValueBetween(2, 50);
        assertThat(many).allSatisfy(each -> assertThat(usage.waiting(each)).isEqualTo(USED));
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection("jdbc:sqlite:" + parts.home.database());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static Stream<Exception> failures() {
        return Stream.of(
                new StoreException("disk full", new IOException()), new IllegalStateException());
    }

    @ParameterizedTest
    @MethodSource("failures")
    void whatCannotBeWrittenStillCountsAndIsWrittenLater(Exception failure) throws Exception {
        AtomicBoolean full = new AtomicBoolean(true);
        UsageBuffer usage =
                buffer(
                        "recordUse",
                        () -> {
                            if (full.get()) {
                                throw failure;
                            }
                        });
        usage.add(session, USED);

        usage.flush();
        assertThat(parts.store.byId(session).orElseThrow().usage()).isEqualTo(Usage.NONE);
        assertThat(usage.total(session)).isEqualTo(USED);

        full.set(false);
        usage.flush();
        assertThat(parts.store.byId(session).orElseThrow().usage()).isEqualTo(USED);
        assertThat(usage.total(session)).isEqualTo(USED);
    }
}
