package dev.sallyport.warden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.sallyport.control.Api;
import dev.sallyport.control.FleetApi;
import dev.sallyport.fleet.HostId;
import dev.sallyport.fleet.SessionBadges;
import dev.sallyport.fleet.SignedAddresses;
import dev.sallyport.session.OtherSessions;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sandboxes that another gateway with the same store has: they are shown, and nothing else.
class ElsewhereTest {
    @TempDir Path temporary;
    private SharedGateway rig;

    @BeforeEach
    void begin() throws Exception {
        rig = new SharedGateway(temporary);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    @Test
    void whatAnotherGatewayHasIsRefusedHereWithItsAddress() throws Exception {
        Session other = rig.elsewhere();
        String name = other.name();
        List<ThrowingCallable> all =
                List.of(
                        () -> rig.sandboxes.show(name),
                        () -> rig.sandboxes.stop(name),
                        () -> rig.sandboxes.end(name),
                        () -> rig.sandboxes.start(name),
                        () -> rig.sandboxes.extend(name, Optional.empty()),
                        () -> rig.sandboxes.change(name, Session::stopped),
                        () -> rig.sandboxes.destroy(name));
        for (ThrowingCallable each : all) {
            assertThatThrownBy(each)
                    .isInstanceOfSatisfying(
                            OperationException.class,
                            e -> {
                                assertThat(e.problem().code()).isEqualTo("elsewhere");
                                assertThat(e.problem().message()).contains("two.example.com:8443");
                                assertThat(e.problem().remedy()).contains("Run this command there");
                            });
        }
        assertThat(rig.parts.store.byName(name)).contains(other);
        assertThat(rig.parts.runtime.destroyed).isEmpty();
        assertThatThrownBy(() -> rig.sandboxes.stop("nowhere")).hasMessageContaining("no sandbox");

        rig.otherPlace = new OtherSessions.Place("two", Optional.empty(), false);
        assertThatThrownBy(() -> rig.sandboxes.stop(name))
                .hasMessageContaining("No gateway has this sandbox at the moment")
                .hasMessageContaining("two in its file gateway-id");
        rig.otherPlace = new OtherSessions.Place("one", Optional.empty(), true);
        assertThatThrownBy(() -> rig.sandboxes.stop(name))
                .hasMessageContaining("with the id of this one")
                .hasMessageContaining("copy of its home");
        rig.leases.mine.add(other.id());
        assertThat(rig.sandboxes.stop(name).state()).as("control").isEqualTo(Session.State.STOPPED);
    }

    @Test
    void aNameThatAnotherGatewayHasIsTakenBeforeAnythingIsRecorded() throws Exception {
        Session other = rig.elsewhere();
        Session planned = rig.planned("agent");
        assertThatThrownBy(() -> rig.sandboxes.create(planned))
                .isInstanceOfSatisfying(
                        OperationException.class,
                        e -> {
                            assertThat(e.problem().code()).isEqualTo("conflict");
                            assertThat(e.problem().message()).contains("not at this gateway");
                        });
        assertThat(rig.parts.store.contents().sessions()).containsExactly(other);
        assertThat(Files.readString(rig.parts.home.auditLog()))
                .contains(other.id().value())
                .doesNotContain(planned.id().value());
        Session free = rig.planned("free");
        rig.leases.mine.add(free.id());
        assertThat(rig.sandboxes.create(free).state())
                .as("control")
                .isEqualTo(Session.State.RUNNING);
        assertThat(Files.readString(rig.parts.home.auditLog())).contains(free.id().value());
    }

    /// Both look, find nothing, and write: the store lets one of them.
    @Test
    void aNameThatAnotherGatewayTakesAtTheSameMomentIsTaken() throws Exception {
        Session other = rig.elsewhere();
        Session late = rig.planned("agent");
        rig.leases.mine.add(late.id());
        Api.Problem before = refused(late);
        assertThat(Files.readString(rig.parts.home.auditLog()))
                .as("control: it was seen in time")
                .doesNotContain(late.id().value());
        rig.looksTooEarly = true;
        assertThat(refused(late)).isEqualTo(before);
        assertThat(Files.readString(rig.parts.home.auditLog())).contains(late.id().value());
        assertThat(before.code()).isEqualTo("conflict");
        assertThat(rig.parts.store.contents().sessions()).containsExactly(other);
        assertThat(rig.parts.runtime.destroyed).doesNotContain(other.id());
    }

    private Api.Problem refused(Session planned) {
        OperationException refusal =
                catchThrowableOfType(OperationException.class, () -> rig.sandboxes.create(planned));
        assertThat(refusal).isNotNull();
        return refusal.problem();
    }

    @Test
    void whatAnotherGatewayHasIsListedWithoutWhatOnlyItsMachineKnows() throws Exception {
        Session other = rig.elsewhere();
        assertThat(other.identity()).as("control").isPresent();
        FleetApi.Elsewhere listed =
                rig.sandboxes.elsewhere().list(new FleetApi.ListElsewhere(Optional.empty()));
        Api.SandboxView view = listed.sandboxes().getFirst();
        assertThat(listed.sandboxes()).hasSize(1);
        assertThat(view.name()).isEqualTo(other.name());
        assertThat(view.identity()).isEmpty();
        assertThat(view.gateway())
                .contains(
                        new FleetApi.GatewayView(
                                "two", Optional.of("two.example.com:8443"), false, true));
        assertThat(rig.sandboxes.elsewhere().show(other.name())).isEqualTo(view);
        assertThatThrownBy(() -> rig.sandboxes.elsewhere().show("nowhere"))
                .hasMessageContaining("no sandbox");

        rig.otherPlace = new OtherSessions.Place("one", Optional.empty(), true);
        assertThat(rig.sandboxes.elsewhere().show(other.name()).identity())
                .as("a copy of this gateway's home")
                .isEmpty();
        rig.leases.mine.add(other.id());
        assertThat(rig.sandboxes.elsewhere().list(new FleetApi.ListElsewhere(Optional.empty())))
                .isEqualTo(new FleetApi.Elsewhere(List.of(), Optional.empty()));
        assertThat(rig.parts.sandboxes.elsewhere().here(other.id()))
                .as("of a store that one gateway has for itself")
                .isEmpty();
    }

    @Test
    void theSandboxesOfAMachineAreCountedAtEveryGateway() throws Exception {
        HostId host = rig.enrolled("build-1");
        assertThat(rig.enrolled("build-2")).isNotEqualTo(host);
        Session other = rig.elsewhere();
        rig.files.get().badges().claim(other.id(), host, SessionBadges.SESSIONS_PER_HOST_MAX);
        Session here = rig.planned("here");
        rig.leases.mine.add(here.id());
        rig.files.get().badges().claim(here.id(), host, SessionBadges.SESSIONS_PER_HOST_MAX);
        assertThat(rig.sandboxes.create(here).state()).isEqualTo(Session.State.RUNNING);
        assertThat(rig.sandboxes.list()).as("control").hasSize(1);
        assertThat(rig.fleet.view().hosts())
                .extracting(FleetApi.Host::name, FleetApi.Host::sandboxes)
                .containsExactlyInAnyOrder(tuple("build-1", 2), tuple("build-2", 0));
        rig.fleet.forget(other.id());
        assertThat(rig.fleet.view().hosts())
                .extracting(FleetApi.Host::sandboxes)
                .containsExactlyInAnyOrder(1, 0);
    }

    /// A host goes nowhere but to an address that is signed.
    @Test
    void aHostWhoseSessionWasLostMeanwhileIsToldASignedAddress() throws Exception {
        Session lost = rig.elsewhere();
        HostSessions sessions =
                new HostSessions(
                        rig.sandboxes,
                        new GatewayLink(SharedGateway.silent(), rig.leases),
                        SharedGateway.NO_OPENING,
                        new StoredLogins(rig.parts.reach, rig.parts.ledger),
                        rig.neighbours,
                        () -> {});
        List<Session> done = new ArrayList<>();
        List<String> pinned = rig.files.get().authority().authorityPems();
        SignedAddresses.Use use = SignedAddresses.Use.ELSEWHERE;
        assertThatThrownBy(() -> sessions.under(lost, done::add))
                .isInstanceOfSatisfying(
                        OperationException.class,
                        e -> {
                            String line = e.problem().remedy();
                            assertThat(SignedAddresses.read(use, line, pinned, Instant.now()))
                                    .isPresent();
                        });
        assertThat(done).isEmpty();
        rig.leases.mine.add(lost.id());
        sessions.under(lost, done::add);
        assertThat(done).as("control").hasSize(1);
    }
}
