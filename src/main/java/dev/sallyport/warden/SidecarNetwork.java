package dev.sallyport.warden;

import dev.sallyport.config.FullDisk;
import dev.sallyport.porter.SidecarProcess;
import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Sees to it that sidecars have no network (ADR 37). An ordinary user can make one with nothing in
/// it wherever user namespaces are allowed. Where they are not, only rootless Docker runs
/// sandboxes, and the filter for system calls alone keeps a sidecar from the host's network.
final class SidecarNetwork {
    private static final System.Logger LOG = System.getLogger(SidecarNetwork.class.getName());
    private static final Duration TRIAL_MAX = Duration.ofSeconds(10);

    /// What the kernel, or what guards it, says to those who may not: `EPERM` and `EACCES`. Too
    /// many namespaces (`ENOSPC`) or too many processes are no refusal, and pass.
    private static final List<String> REFUSALS =
            List.of(": Operation not permitted", ": Permission denied");

    /// Of a program that says in its last words why it could not do what it is for. With another
    /// one, it could not run what it was given.
    private static final int REFUSED = 1;

    private final List<String> trial;
    private boolean allowed;

    SidecarNetwork() {
        this(Stream.concat(GatewayCommand.UNSHARE.stream(), Stream.of("true")).toList());
    }

    /// @param trial does to itself what is done to sidecars
    SidecarNetwork(List<String> trial) {
        this.trial = List.copyOf(trial);
    }

    /// Whether a sidecar gets a network namespace of its own. Asked again each time until it does.
    ///
    /// @param root root always does, or there is no sidecar
    /// @throws OperationException when that is not known: trouble must not take the network
    ///   namespace away
    synchronized boolean isCutOff(boolean root) throws OperationException {
        allowed = allowed || root || tried();
        return allowed;
    }

    private boolean tried() throws OperationException {
        HostProgram tried;
        try {
            tried =
                    HostProgram.run(
                            HostProgram.builder(trial).redirectErrorStream(true),
                            ProcessBuilder::start,
                            TRIAL_MAX);
        } catch (IOException e) {
            throw unknown(String.valueOf(e.getMessage()), e);
        }
        if (tried.exitCode() == 0) {
            return true;
        }
        if (tried.exitCode() != REFUSED || REFUSALS.stream().noneMatch(tried.output()::endsWith)) {
            throw unknown(tried.output(), null);
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "sidecars share the host's network namespace, because this user may make none: "
                        + tried.output()
                        + ". See: sallyport doctor");
        return false;
    }

    private static OperationException unknown(String said, @Nullable IOException cause) {
        String message =
                "The sidecar of the sandbox is not started, because no network namespace could be made for it: "
                        + said
                        + ".";
        String remedy =
                "Try again. If it stays so, look at unshare (of util-linux), and at user.max_user_namespaces and user.max_net_namespaces in sysctl.";
        return new OperationException(OperationException.Fault.FAILED, message, remedy, cause);
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
