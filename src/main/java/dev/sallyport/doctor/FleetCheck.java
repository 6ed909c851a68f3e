package dev.sallyport.doctor;

import dev.sallyport.config.Home;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.FleetApi;
import dev.sallyport.control.FleetClient;
import dev.sallyport.warden.WantedPort;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The machine as the gateway of others: whether they can come in, whether they will still trust it
/// in some months, and which of them have fallen silent. A machine that has nothing to do with
/// others has no finding.
record FleetCheck(FleetSight seen, InstantSource clock) implements Check {
    private static final String PORT = "port for other machines";
    private static final String AUTHORITY = "authority for other machines";
    private static final Duration AUTHORITY_LEFT_MIN = Duration.ofDays(90);

    /// One with sandboxes that run asks for certificates every half an hour.
    private static final Duration SILENT_WITH_SANDBOXES_MAX = Duration.ofDays(1);

    private static final Duration SILENT_MAX = Duration.ofDays(30);
    private static final int SILENT_SHOWN_MAX = 20;

    @Override
    public List<Finding> look() {
        List<Finding> findings = new ArrayList<>();
        seen.unserved()
                .ifPresent(
                        port ->
                                findings.add(
                                        Finding.fail(
                                                PORT,
                                                port + " is not open: no daemon runs",
                                                "Start it: sallyport up")));
        seen.fleet().ifPresent(fleet -> gateway(fleet, findings));
        return findings;
    }

    private void gateway(FleetApi.Fleet fleet, List<Finding> findings) {
        if (fleet.wanted().isEmpty() && fleet.hosts().isEmpty()) {
            return;
        }
        findings.add(port(fleet));
        fleet.authority().ifPresent(authority -> findings.add(authority(authority)));
        List<Finding> silent =
                fleet.hosts().stream()
                        .flatMap(host -> silent(host, fleet.authority()).stream())
                        .limit(SILENT_SHOWN_MAX)
                        .toList();
        findings.addAll(silent);
        if (silent.isEmpty()) {
            findings.add(Finding.ok("other machines", fleet.hosts().size() + " enrolled"));
        }
    }

    private static Finding port(FleetApi.Fleet fleet) {
        if (fleet.listen().isPresent()) {
            return Finding.ok(PORT, fleet.listen().get() + " is open");
        }
        return fleet.wanted()
                .map(
                        wanted ->
                                Finding.fail(
                                        PORT,
                                        wanted + " could not be opened",
                                        "See run/warden.log in SALLYPORT_HOME, or choose another port: sallyport gateway --listen :8443"))
                .orElse(Finding.ok(PORT, "closed, as you wanted"));
    }

    private Finding authority(FleetApi.AuthorityState authority) {
        Instant until = Instant.parse(authority.until());
        String seenUntil = "good until " + until;
        return clock.instant().plus(AUTHORITY_LEFT_MIN).isBefore(until)
                ? Finding.ok(AUTHORITY, seenUntil)
                : Finding.warn(
                        AUTHORITY,
                        seenUntil + "; then no machine trusts this gateway any more",
                        "Replace it while all machines are up: sallyport gateway rotate");
    }

    private Optional<Finding> silent(
            FleetApi.Host host, Optional<FleetApi.AuthorityState> authority) {
        Instant heard = Instant.parse(host.lastSeen());
        String subject = "machine " + host.name();
        String last = "not heard of since " + heard;
        boolean behind =
                authority
                        .filter(FleetApi.AuthorityState::replaces)
                        .filter(newest -> heard.isBefore(Instant.parse(newest.since())))
                        .isPresent();
        if (behind) {
            return Optional.of(
                    Finding.warn(
                            subject,
                            last + ", so it does not know the new authority",
                            "Start a sandbox there with this gateway within a day of the rotation, or remove the machine and enroll it again."));
        }
        Duration silence = Duration.between(heard, clock.instant());
        if (silence.compareTo(host.sandboxes() > 0 ? SILENT_WITH_SANDBOXES_MAX : SILENT_MAX) > 0) {
            return Optional.of(
                    Finding.warn(
                            subject,
                            last + ", " + host.sandboxes() + " sandboxes",
                            "Run sallyport doctor there. If it is gone for good: sallyport gateway remove "
                                    + host.name()));
        }
        return Optional.empty();
    }

    /// What a running warden says about other machines, asked once. None is started.
    ///
    /// @param fleet what other machines find here; empty when nobody can say
    /// @param gateways those elsewhere that this machine is enrolled with, asked by the warden
    /// @param unserved the port that a person wants, while no warden runs to open it
    record FleetSight(
            Optional<FleetApi.Fleet> fleet, List<Gateway> gateways, Optional<String> unserved) {

        /// A gateway on another machine, and what came back from there: one of the two.
        record Gateway(
                FleetApi.Gateway known,
                Optional<FleetApi.GatewayState> state,
                Optional<Api.Problem> trouble) {}

        static FleetSight ask(Home home) {
            try (ControlClient client = ControlClient.connect(home)) {
                return new FleetSight(
                        Optional.of(client.fleet().view()),
                        gateways(client.fleet()),
                        Optional.empty());
            } catch (ControlException e) {
                // What else can be wrong with the warden others say.
                Optional<String> unserved =
                        e.isNotRunning() ? WantedPort.of(home) : Optional.empty();
                return new FleetSight(Optional.empty(), List.of(), unserved);
            }
        }

        private static List<Gateway> gateways(FleetClient client) throws ControlException {
            return client.gateways().gateways().stream().map(g -> look(client, g)).toList();
        }

        private static Gateway look(FleetClient client, FleetApi.Gateway known) {
            try {
                return new Gateway(known, Optional.of(client.look(known.name())), Optional.empty());
            } catch (ControlException e) {
                return new Gateway(known, Optional.empty(), Optional.of(e.problem()));
            }
        }
    }
}
