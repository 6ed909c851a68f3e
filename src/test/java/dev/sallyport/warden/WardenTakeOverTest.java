package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.control.Api;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionStore;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// How a new warden takes over what an earlier one made, against a runtime that only pretends.
class WardenTakeOverTest {
    @TempDir Path temporary;

    private WardenParts parts;
    private Sandboxes sandboxes;

    @BeforeEach
    void open() throws IOException {
        parts = new WardenParts(temporary);
        sandboxes = parts.sandboxes;
    }

    @AfterEach
    void close() throws IOException {
        parts.close();
    }

    @Test
    void whatHasNoDoorsRunsOnAndGetsThemWhenTheCauseIsGone() throws Exception {
        Session app = parts.create("app", Api.LifeRequest.STANDARD);
        parts.link.detach(app.id());
        parts.porterFails = true;
        takeOver();
        sandboxes.openMissing();
        assertThat(parts.runtime.alive).containsExactly(app.id());
        assertThat(sandboxes.show("app").state()).isEqualTo(Session.State.RUNNING);
        assertThat(isAttached(app)).isFalse();
        assertThat(sandboxes.remarks().on(app.id()))
                .singleElement()
                .asString()
                .contains("no namespace");
        assertThat(record())
                .containsOnlyOnce("session.reattach-failed")
                .doesNotContain("\"session.reattach\"");

        parts.porterFails = false;
        sandboxes.openMissing();
        assertThat(isAttached(app)).isTrue();
        assertThat(sandboxes.remarks().on(app.id())).isEmpty();
        assertThat(record()).containsOnlyOnce("\"session.reattach\"");
    }

    @Test
    void whatIsOverGetsNoDoorsWhenTheCauseIsGone() throws Exception {
        Session app =
                parts.create(
                        "app",
                        new Api.LifeRequest(
                                Optional.of("1h"),
                                Optional.of("2d"),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty()));
        parts.link.detach(app.id());
        parts.porterFails = true;
        takeOver();
        parts.porterFails = false;
        parts.clock.pass(Duration.ofHours(2));

        sandboxes.openMissing();

        assertThat(isAttached(app)).isFalse();
    }

    /// Whatever happens to a sandbox happens after it was taken over, and before the others are.
    @Test
    void whoeverAsksForOneDoesNotWaitForTheOthers() throws Exception {
        Session asked = parts.create("asked", Api.LifeRequest.STANDARD);
        Session other = parts.create("other", Api.LifeRequest.STANDARD);
        parts.link.detach(asked.id());
        parts.link.detach(other.id());
        recovery().expect();
        assertThat(sandboxes.list()).allMatch(sandboxes.arrivals()::isExpected);

        sandboxes.show("asked");

        assertThat(isAttached(asked)).isTrue();
        assertThat(isAttached(other)).isFalse();
        assertThat(sandboxes.list()).filteredOn(sandboxes.arrivals()::isExpected).hasSize(1);
        recovery().takeOver();
        assertThat(isAttached(other)).isTrue();
        assertThat(record().lines().filter(line -> line.contains("\"session.reattach\"")))
                .hasSize(2);
    }

    @Test
    void aQuietMinuteIsOneReadAndOneWriteHoweverManyThereAre() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        SessionStore counted =
                (SessionStore)
                        Proxy.newProxyInstance(
                                SessionStore.class.getClassLoader(),
                                new Class<?>[] {SessionStore.class},
                                (_, method, arguments) -> {
                                    asked.incrementAndGet();
                                    return method.invoke(parts.store, arguments);
                                });
        Sandboxes own = parts.over(counted);
        for (int i = 0; i < 12; i++) {
            own.create(parts.plan("box-" + i, false, Api.LifeRequest.STANDARD));
        }
        Instant before = own.show("box-7").verified().orElseThrow().at();
        parts.clock.pass(Duration.ofMinutes(1));
        asked.set(0);

        new Upkeep(own, new UsageBuffer(counted, parts.clock)).run();

        assertThat(asked).hasValue(2);
        assertThat(own.show("box-7").verified().orElseThrow().at()).isAfter(before);
        assertThat(own.show("box-7").lifetime().seen().uptime())
                .isEqualTo(parts.clock.now().uptime().truncatedTo(ChronoUnit.MILLIS));
    }

    /// A stranger to everybody else: their sandboxes are taken over, and its own has no doors.
    @Test
    void aDamagedRowIsSetAsideAndCanBeDestroyedByItsName() throws Exception {
        Session bad = parts.create("bad", Api.LifeRequest.STANDARD);
        Session good = parts.create("good", Api.LifeRequest.STANDARD);
        parts.link.detach(good.id());
        damage("bad");

        takeOver();
        sandboxes.sweep(parts.runtime);

        assertThat(isAttached(good)).isTrue();
        assertThat(isAttached(bad)).as("its doors were open").isFalse();
        assertThat(parts.runtime.swept).contains(bad.id(), good.id());
        assertThat(sandboxes.contents().damaged())
                .singleElement()
                .satisfies(row -> assertThat(row.name()).isEqualTo("bad"));
        assertThatThrownBy(() -> parts.create("bad", Api.LifeRequest.STANDARD))
                .hasMessageContaining(" is damaged (it is not JSON). It has no gateway access.");
        assertThat(record()).containsOnlyOnce("session.damaged");

        parts.runtime.swept.clear();
        sandboxes.destroy("bad");
        assertThat(sandboxes.contents().damaged()).isEmpty();
        assertThat(parts.runtime.swept).as("an orphan now").containsExactly(good.id());
        assertThat(isAttached(good)).isTrue();
    }

    private void damage(String name) throws SQLException {
        String url = "jdbc:sqlite:" + parts.home.database();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE session SET spec = '{' WHERE name = '" + name + "'");
        }
    }

    private void takeOver() throws Exception {
        recovery().expect();
        recovery().takeOver();
    }

    private Recovery recovery() {
        return new Recovery(
                sandboxes,
                new Runtimes(_ -> parts.runtime, _ -> Optional.empty()),
                new Leases(sandboxes::destroy));
    }

    private boolean isAttached(Session session) {
        return parts.link.isAttached(session.id().value());
    }

    private String record() throws IOException {
        return Files.readString(parts.home.auditLog());
    }
}
