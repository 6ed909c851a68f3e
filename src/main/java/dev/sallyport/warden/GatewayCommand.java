package dev.sallyport.warden;

import dev.sallyport.confine.Jvm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The command line of a gateway process, or of a sidecar, which is to its sandbox what a gateway
/// is to all: no privileges, no inherited environment, bounded memory, and nothing that writes its
/// memory to disk.
///
/// @param cutOff whether it gets a network of its own with nothing in it
record GatewayCommand(
        Jvm role, String javaHome, StagedJar program, GatewayAccount account, boolean cutOff) {
    /// Makes a network with nothing in it and becomes what follows. No user is mapped into the user
    /// namespace that it takes: nothing in it belongs to anybody.
    static final List<String> UNSHARE = List.of("unshare", "--user", "--net", "--");

    /// For one process.
    ///
    /// @param directory the channel's directory of this process
    List<String> argv(Path directory) {
        Path work = GatewayAccount.work(directory);
        // First, because it would undo the parent-death signal.
        List<String> argv = new ArrayList<>(cutOff && !isRoot() ? UNSHARE : List.of());
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
        return role == Jvm.SIDECAR
                ? new String[] {"internal-sidecar", directory.toString()}
                : new String[] {
                    "internal-gateway", directory.toString(), account.mirrors().toString()
                };
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
    GatewayCommand sidecar(boolean withoutNetwork) {
        return new GatewayCommand(Jvm.SIDECAR, javaHome, program, account, withoutNetwork);
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
