package dev.sallyport.doctor;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Whether warden and gateway run and are of this version. That they do not run is no fault.
///
/// @param version of this program
record DaemonCheck(WardenView warden, String version) implements Check {
    @Override
    public List<Finding> look() {
        Optional<ControlException> trouble = warden.trouble();
        if (trouble.isPresent()) {
            Api.Problem problem = trouble.get().problem();
            return List.of(Finding.fail("daemon", problem.message(), problem.remedy()));
        }
        return warden.status()
                .map(this::running)
                .orElse(List.of(Finding.ok("daemon", "not running; started when needed")));
    }

    private List<Finding> running(Api.Status status) {
        List<Finding> findings = new ArrayList<>();
        String seen = "process " + status.wardenPid() + ", version " + status.version();
        findings.add(
                status.version().equals(version)
                        ? Finding.ok("daemon", seen)
                        : Finding.warn(
                                "daemon",
                                seen + "; this is " + version,
                                "Restart it: sallyport down --keep-sandboxes, sallyport up"));
        findings.add(gateway(status));
        status.notices()
                .forEach(
                        notice ->
                                findings.add(
                                        Finding.warn(
                                                "policy in force",
                                                notice,
                                                "See: sallyport policy check")));
        status.troubles()
                .forEach(
                        trouble ->
                                findings.add(
                                        Finding.warn(
                                                "daemon",
                                                trouble,
                                                "See " + status.home() + "/run/warden.log")));
        for (Api.DamagedView damaged : warden.damaged()) {
            findings.add(
                    Finding.fail(
                            "sandbox " + damaged.name(),
                            "its record is damaged: " + damaged.reason(),
                            "It has no gateway access. Remove it: sallyport destroy "
                                    + damaged.name()));
        }
        return findings;
    }

    private static Finding gateway(Api.Status status) {
        String restarts = ", restarted " + status.gatewayRestarts() + " times";
        return status.gatewayPid() != 0
                        && ProcessHandle.of(status.gatewayPid())
                                .map(ProcessHandle::isAlive)
                                .orElse(false)
                ? Finding.ok("gateway", "process " + status.gatewayPid() + restarts)
                : Finding.fail(
                        "gateway",
                        "not running" + restarts,
                        "See the log: run/gateway.log in SALLYPORT_HOME.");
    }
}
