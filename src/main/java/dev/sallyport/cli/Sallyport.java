package dev.sallyport.cli;

import dev.sallyport.channel.ChannelClient;
import dev.sallyport.confine.Jvm;
import dev.sallyport.confine.PrivateMemory;
import dev.sallyport.demo.Rehearsal;
import dev.sallyport.gatehouse.GatehouseMain;
import dev.sallyport.gateway.GatewayMain;
import dev.sallyport.pod.PodMain;
import dev.sallyport.porter.PorterMain;
import dev.sallyport.sidecar.SidecarMain;
import dev.sallyport.warden.WardenMain;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// Entry point of every process: the command line, and those that it, the warden or a service
/// manager starts.
public final class Sallyport {
    private Sallyport() {}

    public static void main(String[] args) throws Exception {
        String role = args.length == 0 ? "" : args[0];
        switch (role) {
            case "internal-warden" -> WardenMain.main(rest(args));
            case "internal-gatehouse" ->
                    GatehouseMain.main(
                            rest(args), OwnProgram.command(Jvm.WARDEN, "internal-warden"));
            case "internal-gateway" -> GatewayMain.main(rest(args));
            case "internal-sidecar" -> SidecarMain.main(rest(args));
            case "internal-pod" -> PodMain.main(rest(args));
            case "internal-porter" -> PorterMain.main(rest(args));
            case "internal-complete" ->
                    Completions.print(Surroundings.ofThisProcess(), List.of(rest(args)));
            case "internal-man" -> new ManPages(Path.of(args[1])).write();
            case "internal-train" -> new Training(trained(args)).run();
            case "internal-train-cli" -> Training.commands(Path.of(args[1]));
            case "internal-rehearse" ->
                    Rehearsal.run(Path.of(args[1]), List.of(args).subList(2, args.length));
            case "internal-train-gateway" ->
                    GatewayMain.train(Path.of(args[1]), ChannelClient.wardenPid());
            default -> {
                if (role.equals("secret")) {
                    PrivateMemory.ofThisProcess();
                }
                System.exit(Commands.execute(Surroundings.ofThisProcess(), args));
            }
        }
    }

    /// A directory with a jar that was built; without one, the one of this program.
    private static Path trained(String[] args) {
        return args.length > 1 ? Path.of(args[1]) : OwnProgram.file().resolveSibling("");
    }

    private static String[] rest(String[] args) {
        return Arrays.copyOfRange(args, 1, args.length);
    }
}
