package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sallyport.channel.Message;
import dev.sallyport.config.GitSettings;
import dev.sallyport.control.Api;
import dev.sallyport.control.ApiJson;
import dev.sallyport.control.HostApi;
import dev.sallyport.fixture.AgeKeys;
import dev.sallyport.fixture.Await;
import dev.sallyport.fixture.HandClock;
import dev.sallyport.fixture.MemoryRecords;
import dev.sallyport.fleet.Enrolment;
import dev.sallyport.fleet.EnrolmentCode;
import dev.sallyport.fleet.HostId;
import dev.sallyport.fleet.HostKey;
import dev.sallyport.fleet.PinnedAuthorities;
import dev.sallyport.fleet.SignedRequest;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// That a host, or somebody with a code, cannot keep the store from all gateways that share it.
class FleetDeskTest {
    private static final int BUSY = OperationException.Fault.UNAVAILABLE.status();

    @TempDir Path temporary;
    private final MemoryRecords records = new MemoryRecords();
    private final Slow slow = new Slow();
    private WardenParts parts;
    private FleetFiles.Source files;
    private FleetDesk desk;

    /// Makes no session before a test says so, and then none.
    private static final class Slow implements FleetDesk.Sessions {
        private final AtomicInteger asked = new AtomicInteger();
        private final AtomicInteger askedForLogins = new AtomicInteger();
        private final CountDownLatch over = new CountDownLatch(1);

        @Override
        public Session open(String host, HostApi.Open request, FleetDesk.Made made)
                throws OperationException {
            asked.incrementAndGet();
            try {
                over.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            throw FleetDesk.unknown();
        }

        @Override
        public HostApi.Chosen choose(String host, HostApi.Logins asked) {
            askedForLogins.incrementAndGet();
            return new HostApi.Chosen(Optional.empty());
        }

        @Override
        public Session find(SessionId id) throws OperationException {
            throw FleetDesk.unknown();
        }

        @Override
        public void under(Session session, FleetDesk.Made step) {}

        @Override
        public void changed(SessionId id) {}

        @Override
        public void hostsChanged() {}

        @Override
        public String gateways() {
            return "";
        }

        @Override
        public void end(Session session) {}
    }

    @BeforeEach
    void begin() throws Exception {
        parts = new WardenParts(temporary);
        files =
                new FleetFiles.Source(
                        parts.home.fleet(),
                        Optional.of(AgeKeys.create(temporary.resolve("age.txt"))),
                        Optional.of(records));
        desk =
                new FleetDesk(
                        files,
                        parts.ledger,
                        slow,
                        new PodDesk(files, parts.ledger, Optional.empty()));
    }

    @AfterEach
    void close() throws Exception {
        slow.over.countDown();
        parts.close();
    }

    private CompletableFuture<Message> said(String line) {
        CompletableFuture<Message> answer = new CompletableFuture<>();
        desk.knock(new Message.Knock(1, line), answer::complete);
        return answer;
    }

    private static int status(CompletableFuture<Message> answer) {
        return ((Message.Reply) answer.join()).status();
    }

    private String code(String name) throws Exception {
        return files.get().hosts().invite(name, "one.example.com:8443", Duration.ofMinutes(10));
    }

    private HostKey enrolled(String name) throws Exception {
        HostKey key = HostKey.inMemory();
        var _ = files.get().hosts().enrol(Enrolment.request(EnrolmentCode.parse(code(name)), key));
        return key;
    }

    private String open(HostKey key) throws Exception {
        HostApi.Open wanted =
                new HostApi.Open(
                        "agent",
                        List.of(),
                        new Api.ReachRequest(List.of(), List.of(), true, false, List.of()),
                        GitSettings.STANDARD,
                        Api.LifeRequest.STANDARD);
        return signed(key, "open", wanted);
    }

    private String signed(HostKey key, String operation, Object body) throws Exception {
        return SignedRequest.sign(
                key,
                PinnedAuthorities.audience(files.get().authority().authorityPems().getLast()),
                operation,
                ApiJson.requests().writeValueAsBytes(body),
                Instant.now());
    }

    private int askForLogins(HostKey key) throws Exception {
        return status(said(signed(key, "login", new HostApi.Logins(List.of()))));
    }

    @Test
    void i5_aHostThatHasItsShareDoesNotReachTheStore() throws Exception {
        HostKey busy = enrolled("build-1");
        HostKey quiet = enrolled("build-2");
        for (int i = 0; i < HostTurns.AT_ONCE_MAX; i++) {
            var _ = said(open(busy));
        }
        Await.until(() -> slow.asked.get() == HostTurns.AT_ONCE_MAX);
        int turns = records.turns.get();
        String again = open(busy);
        assertThat(status(said(again))).isEqualTo(BUSY);
        assertThat(records.turns.get()).isEqualTo(turns);
        CompletableFuture<Message> other = said(open(quiet));
        Await.until(() -> slow.asked.get() == HostTurns.AT_ONCE_MAX + 1);
        assertThat(records.turns.get()).as("control").isGreaterThan(turns);
        slow.over.countDown();
        assertThat(status(other)).isEqualTo(404);
    }

    @Test
    void i5_whatAHostSendsInAWhileIsBoundedForItAlone() throws Exception {
        HandClock clock = new HandClock();
        HostTurns turns = new HostTurns(clock);
        HostId busy = HostKey.inMemory().id();
        for (int i = 0; i < HostTurns.BURST_MAX; i++) {
            turns.begin(busy).close();
        }
        assertThatThrownBy(() -> turns.begin(busy)).hasMessageContaining("too many requests");
        turns.begin(HostKey.inMemory().id()).close();
        clock.passSeconds(60);
        List<HostTurns.Place> places = new ArrayList<>();
        for (int i = 0; i < HostTurns.AT_ONCE_MAX; i++) {
            places.add(turns.begin(busy));
        }
        assertThatThrownBy(() -> turns.begin(busy)).hasMessageContaining("too many requests");
        places.getFirst().close();
        turns.begin(busy).close();
    }

    @Test
    void i5_aHostAsksForFewLoginsInAMinute() throws Exception {
        HandClock clock = new HandClock();
        HostTurns turns = new HostTurns(clock);
        HostId busy = HostKey.inMemory().id();
        for (int i = 0; i < HostTurns.LOGINS_PER_MINUTE_MAX; i++) {
            turns.login(busy);
        }
        assertThatThrownBy(() -> turns.login(busy)).hasMessageContaining("too many requests");
        turns.login(HostKey.inMemory().id());
        turns.begin(busy).close();
        clock.passSeconds(60);
        turns.login(busy);
    }

    /// Each that is answered is a line in the record.
    @Test
    void i5_questionsForLoginsHaveABoundOfTheirOwn() throws Exception {
        HostKey busy = enrolled("build-1");
        int answered = 0;
        while (askForLogins(busy) != BUSY) {
            answered++;
            assertThat(answered).isLessThan(HostTurns.BURST_MAX / 2);
        }
        assertThat(slow.askedForLogins.get()).isEqualTo(answered);
        assertThat(answered).isGreaterThanOrEqualTo(HostTurns.LOGINS_PER_MINUTE_MAX);
        assertThat(status(said(signed(busy, "look", new HostApi.Look())))).isEqualTo(200);
        assertThat(askForLogins(enrolled("build-2"))).as("another one").isEqualTo(200);
    }

    /// A code that is not known counts like one that is, and is in the record like it.
    @Test
    void i5_codesThatAreNotKnownAreBoundedAndRecorded() throws Exception {
        String code = code("build-1");
        String line = Enrolment.request(EnrolmentCode.parse(code), HostKey.inMemory());
        files.get().hosts().withdraw(files.get().hosts().invitations().getFirst().id());
        assertThat(status(said(line))).isEqualTo(403);
        assertThat(Files.readString(parts.home.auditLog())).contains("fleet.enrol");
        int turns = records.turns.get();
        int reached = 0;
        while (status(said(line)) != BUSY) {
            reached++;
            assertThat(reached).isLessThan(500);
        }
        assertThat(records.turns.get()).isEqualTo(turns + reached);
    }
}
