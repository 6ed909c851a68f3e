package dev.sallyport.warden;

import dev.sallyport.confine.Jvm;
import dev.sallyport.policy.SessionId;
import dev.sallyport.porter.SidecarProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The command line of a gateway process, or of a sidecar, which is to its sandbox what a gateway
/// is to all: no privileges, no inherited environment, bounded memory, and nothing that writes its
/// memory to disk.
///
/// @param carried for a sidecar, what it is for
record GatewayCommand(
        Jvm role,
        String javaHome,
        StagedJar program,
        GatewayAccount account,
        Optional<Carried> carried) {
    /// A session whose gateway is elsewhere.
    ///
    /// @param cutOff whether its sidecar gets a network of its own with nothing in it
    record Carried(SessionId session, boolean cutOff) {}

    /// Makes a network with nothing in it and becomes what follows. No user is mapped into the user
    /// namespace that it takes: nothing in it belongs to anybody.
    static final List<String> UNSHARE = List.of("unshare", "--user", "--net", "--");

    /// For one process.
    ///
    /// @param directory the channel's directory of this process
    List<String> argv(Path directory) {
        Path work = GatewayAccount.work(directory);
        // First, because it would undo the parent-death signal.
        List<String> argv = new ArrayList<>(isCutOff() && !isRoot() ? UNSHARE : List.of());
        argv.addAll(restraint());
        argv.addAll(
                role.command(
                        Path.of(javaHome),
                        program.jar().toString(),
                        program.aotCache(),
                        List.of("-Djava.io.tmpdir=" + work, "-Dio.netty.native.workdir=" + work),
                        arguments(directory)));
        return List.copyOf(argv);
    }

    private String[] arguments(Path directory) {
        return carried.map(
                        of ->
                                new String[] {
                                    SidecarProcess.ROLE, directory.toString(), of.session().value()
                                })
                .orElseGet(
                        () ->
                                new String[] {
                                    "internal-gateway",
                                    directory.toString(),
                                    account.mirrors().toString()
                                });
    }

    boolean isCutOff() {
        return carried.filter(Carried::cutOff).isPresent();
    }

    /// The directories besides its own that it may write to.
    List<Path> shared() {
        return role == Jvm.SIDECAR ? List.of() : List.of(account.mirrors(), account.lent());
    }

    /// Whether we are, and can give it a user of its own.
    boolean isRoot() {
        return account.separateUid().isPresent();
    }

    /// The same program as a sidecar.
    GatewayCommand sidecar(Carried of) {
        return new GatewayCommand(Jvm.SIDECAR, javaHome, program, account, Optional.of(of));
    }

    /// The parent-death signal backs up the closed channel: a gateway that hangs ends too.
    private List<String> restraint() {
        List<String> argv = new ArrayList<>(List.of("setpriv", "--no-new-privs"));
        argv.addAll(List.of("--pdeathsig", "KILL"));
        if (isRoot()) {
            String uid = Integer.toString(account.uid());
            argv.addAll(List.of("--reuid", uid, "--regid", uid, "--clear-groups"));
            argv.addAll(List.of("--bounding-set=-all", "--inh-caps=-all"));
        }
        argv.add("--");
        return argv;
    }
}
