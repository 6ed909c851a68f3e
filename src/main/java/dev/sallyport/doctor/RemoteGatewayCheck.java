package dev.sallyport.doctor;

import dev.sallyport.control.Api;
import dev.sallyport.control.FleetApi;
import java.time.Duration;
import java.util.List;

/// The gateways on other machines that sandboxes here use: whether each answers, is of this
/// version, and has the same time. Beyond five minutes it refuses everything.
///
/// @param version of this program
record RemoteGatewayCheck(FleetSight seen, String version) implements Check {
    private static final Duration CLOCKS_APART_MAX = Duration.ofMinutes(1);

    @Override
    public List<Finding> look() {
        return seen.gateways().stream().map(this::finding).toList();
    }

    private Finding finding(FleetSight.Gateway gateway) {
        String subject = "remote gateway " + gateway.known().name();
        if (gateway.trouble().isPresent()) {
            Api.Problem problem = gateway.trouble().get();
            return Finding.fail(subject, problem.message(), problem.remedy());
        }
        FleetApi.GatewayState state = gateway.state().orElseThrow();
        Duration apart = Duration.ofMillis(state.aheadMillis());
        if (apart.abs().compareTo(CLOCKS_APART_MAX) > 0) {
            return Finding.warn(
                    subject,
                    "its clock is "
                            + apart.abs().toSeconds()
                            + " s "
                            + (apart.isNegative() ? "behind" : "ahead"),
                    "Turn on NTP on both machines: timedatectl set-ntp true. From five minutes on it refuses this machine.");
        }
        return state.version().equals(version)
                ? Finding.ok(subject, gateway.known().address() + " answers, version " + version)
                : Finding.warn(
                        subject,
                        "version " + state.version() + "; this is " + version,
                        "Install the same version on both machines.");
    }
}
