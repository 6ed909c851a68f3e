package dev.sallyport.warden;

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
        argv.add(Path.of(javaHome, "bin", "java").toString());
        argv.addAll(
                List.of(
                        "-Xmx256m",
                        "-XX:MaxDirectMemorySize=256m",
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:-HeapDumpOnOutOfMemoryError",
                        "-XX:-CreateCoredumpOnCrash",
                        "-XX:ErrorFile=/dev/null",
                        "-XX:-UsePerfData",
                        "-XX:+DisableAttachMechanism",
                        "--enable-native-access=ALL-UNNAMED",
                        // A resumed session would skip the look at the name in the hello.
                        "-Djdk.tls.server.enableSessionTicketExtension=false",
                        "-Djava.io.tmpdir=" + work,
                        "-Dio.netty.native.workdir=" + work));
        program.aotCache().ifPresent(cache -> argv.add("-XX:AOTCache=" + cache));
        argv.addAll(List.of("-cp", program.jar().toString(), "dev.sallyport.cli.Sallyport"));
        argv.addAll(
                List.of("internal-gateway", directory.toString(), account.mirrors().toString()));
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
