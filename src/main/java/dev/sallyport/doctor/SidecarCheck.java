package dev.sallyport.doctor;

import dev.sallyport.porter.SidecarProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The sidecars of sandboxes whose gateway is on another machine: none of them has a network.
///
/// @param sidecars those that run
/// @param uid whose eyes these are
record SidecarCheck(List<SidecarProcess> sidecars, int uid) implements Check {
    private static final String SUBJECT = "sidecars";

    /// No namespace has it.
    private static final long NO_INODE = 0;

    @Override
    public List<Finding> look() {
        List<Finding> findings = new ArrayList<>();
        for (SidecarProcess sidecar : sidecars) {
            look(sidecar).ifPresent(findings::add);
        }
        if (findings.isEmpty() && !sidecars.isEmpty()) {
            findings.add(Finding.ok(SUBJECT, sidecars.size() + ", without a network"));
        }
        return findings;
    }

    private Optional<Finding> look(SidecarProcess sidecar) {
        String seen = "process " + sidecar.pid() + ", session " + sidecar.session() + ": ";
        try {
            return sidecar.objection(NO_INODE)
                    .map(
                            why ->
                                    Finding.fail(
                                            SUBJECT,
                                            seen + why,
                                            "Restart it: sallyport down --keep-sandboxes, sallyport up"));
        } catch (IOException e) {
            return Optional.of(
                    sidecar.isOf(uid)
                            ? Finding.warn(
                                    SUBJECT,
                                    seen
                                            + "in the host's network namespace; only its filter for system calls keeps it from the network",
                                    "Allow user namespaces, see above, and restart it: sallyport down --keep-sandboxes, sallyport up")
                            : Finding.warn(
                                    SUBJECT,
                                    seen + "not looked at: only root can, or it has just ended",
                                    "Run as root: sallyport doctor"));
        }
    }
}
