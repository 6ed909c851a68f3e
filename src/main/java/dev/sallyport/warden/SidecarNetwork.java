package dev.sallyport.warden;

import dev.sallyport.config.FullDisk;
import dev.sallyport.porter.SidecarProcess;
import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Sees to it that sidecars have no network (ADR 37). An ordinary user can make one with nothing in
/// it wherever user namespaces are allowed. Where they are not, only rootless Docker runs
/// sandboxes, and the filter for system calls alone keeps a sidecar from the host's network.
final class SidecarNetwork {
    private static final System.Logger LOG = System.getLogger(SidecarNetwork.class.getName());
    private static final Duration TRIAL_MAX = Duration.ofSeconds(10);

    private @Nullable Boolean allowed;

    /// Whether a sidecar gets a network namespace of its own.
    synchronized boolean isCutOff(GatewayCommand command) {
        Boolean known = allowed;
        if (known == null) {
            known = command.isRoot() || trial();
            allowed = known;
        }
        return known;
    }

    private static boolean trial() {
        List<String> command = new ArrayList<>(GatewayCommand.UNSHARE);
        command.add("true");
        String said;
        try {
            HostProgram tried =
                    HostProgram.run(
                            HostProgram.builder(command).redirectErrorStream(true),
                            ProcessBuilder::start,
                            TRIAL_MAX);
            if (tried.exitCode() == 0) {
                return true;
            }
            said = tried.output();
        } catch (IOException e) {
            said = String.valueOf(e.getMessage());
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "sidecars share the host's network namespace, because this user may make none: "
                        + said
                        + ". See: sallyport doctor");
        return false;
    }

    /// Refuses a sidecar that has a network, before it gets a socket.
    static void admit(long pid, Session session) throws IOException {
        long sandbox = session.identity().orElseThrow().netNamespaceInode();
        SidecarProcess sidecar = new SidecarProcess(pid, session.id().value());
        Optional<String> objection = sidecar.objection(sandbox);
        if (objection.isPresent()) {
            throw new IOException("the sidecar must have no network, but " + objection.get());
        }
    }

    /// What a person is told when there is no sidecar.
    static OperationException problem(IOException reason) {
        if (FullDisk.isCauseOf(reason)) {
            return OperationException.failed(reason);
        }
        return new OperationException(
                OperationException.Fault.FAILED,
                "The sidecar of the sandbox cannot be started: " + reason.getMessage() + ".",
                "As root it needs a network namespace, which takes CAP_SYS_ADMIN. See: sallyport doctor, and run/sidecar.log in SALLYPORT_HOME.",
                reason);
    }
}
