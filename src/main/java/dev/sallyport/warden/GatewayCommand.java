package dev.sallyport.warden;

import dev.sallyport.confine.Jvm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The command line of a gateway process: no privileges, no inherited environment, bounded memory,
/// and nothing that writes its memory to disk.
record GatewayCommand(String javaHome, StagedJar program, GatewayAccount account) {
    /// For one process.
    ///
    /// @param directory the channel's directory of this process
    List<String> argv(Path directory) {
        Path work = GatewayAccount.work(directory);
        List<String> argv = new ArrayList<>(restraint());
        argv.addAll(
                Jvm.GATEWAY.command(
                        Path.of(javaHome),
                        program.jar().toString(),
                        program.aotCache(),
                        List.of("-Djava.io.tmpdir=" + work, "-Dio.netty.native.workdir=" + work),
                        "internal-gateway",
                        directory.toString(),
                        account.mirrors().toString()));
        return List.copyOf(argv);
    }

    /// The parent-death signal backs up the closed channel: a gateway that hangs ends too.
    private List<String> restraint() {
        List<String> argv = new ArrayList<>(List.of("setpriv", "--no-new-privs"));
        argv.addAll(List.of("--pdeathsig", "KILL"));
        if (account.separateUid().isPresent()) {
            String uid = Integer.toString(account.uid());
            argv.addAll(List.of("--reuid", uid, "--regid", uid, "--clear-groups"));
            argv.addAll(List.of("--bounding-set=-all", "--inh-caps=-all"));
        }
        argv.add("--");
        return argv;
    }
}
