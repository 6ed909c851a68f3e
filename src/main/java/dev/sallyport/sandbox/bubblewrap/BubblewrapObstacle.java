package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// Finds out, by trying, whether sandboxes can be made on this machine, and if not, what a person
/// can do about it. What has worked is not tried again until a sandbox cannot be made: the trial
/// takes as long as the sandbox itself.
final class BubblewrapObstacle {
    private static final Path SYSCTL = Path.of("/proc/sys");
    private static final List<String> TOOLS =
            List.of("bwrap", "unshare", "nsenter", "setpriv", "setsid", "script");

    private final Function<Guise, Optional<String>> trial;
    private volatile boolean worked;

    BubblewrapObstacle() {
        this(BubblewrapObstacle::failedTrial);
    }

    /// @param trial what stands in the way of a sandbox that is made for nothing else
    BubblewrapObstacle(Function<Guise, Optional<String>> trial) {
        this.trial = trial;
    }

    Optional<String> find(Guise guise) {
        Optional<String> missing = missingTool();
        if (missing.isPresent() || worked) {
            return missing;
        }
        Optional<String> failed = trial.apply(guise);
        worked = failed.isEmpty();
        return failed;
    }

    /// The next [#find] tries again.
    void doubt() {
        worked = false;
    }

    private static Optional<String> missingTool() {
        return TOOLS.stream()
                .filter(tool -> HostProgram.find(tool).isEmpty())
                .findFirst()
                .map(BubblewrapObstacle::installation);
    }

    private static String installation(String tool) {
        String packages = tool.equals("bwrap") ? "bubblewrap" : "util-linux bsdutils";
        return "`%s` is not installed. On Debian or Ubuntu run: sudo apt-get install %s"
                .formatted(tool, packages);
    }

    private static Optional<String> failedTrial(Guise guise) {
        try {
            HostProgram trial =
                    HostProgram.run(
                            HostProgram.builder(trialCommand(guise)).redirectErrorStream(true),
                            guise::start);
            return trial.exitCode() == 0
                    ? Optional.empty()
                    : Optional.of(explain(SYSCTL, trial.output()));
        } catch (IOException | SandboxException e) {
            return Optional.of("bubblewrap cannot be tested: " + e.getMessage());
        }
    }

    private static List<String> trialCommand(Guise guise) throws SandboxException {
        List<String> command = new ArrayList<>(List.of(HostProgram.require("setsid")));
        command.addAll(guise.words());
        command.addAll(trial());
        return command;
    }

    private static List<String> trial() throws SandboxException {
        return List.of(
                HostProgram.require("unshare"),
                "--user",
                "--map-root-user",
                "--net",
                "--",
                HostProgram.require("bwrap"),
                "--unshare-pid",
                "--ro-bind",
                "/",
                "/",
                "--proc",
                "/proc",
                "--dev",
                "/dev",
                "--",
                HostProgram.require("unshare"),
                "--user",
                "--map-user=1",
                "--map-group=1",
                "--",
                HostProgram.require("true"));
    }

    static String explain(Path sysctl, String said) {
        if (value(sysctl, "user/max_user_namespaces").equals("0")) {
            return "this system allows no user namespaces. Ask its administrator to run: sysctl -w user.max_user_namespaces=10000";
        }
        if (value(sysctl, "kernel/unprivileged_userns_clone").equals("0")) {
            return "this system allows user namespaces only to root. Ask its administrator to run: sysctl -w kernel.unprivileged_userns_clone=1";
        }
        if (value(sysctl, "kernel/apparmor_restrict_unprivileged_userns").equals("1")) {
            return "AppArmor on this system keeps ordinary users from creating namespaces. Ask its administrator to run: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0";
        }
        return "bubblewrap cannot create a sandbox here; it said: "
                + (said.isEmpty() ? "nothing" : said)
                + ". Inside a container, the container needs permission to create namespaces.";
    }

    private static String value(Path sysctl, String name) {
        try {
            return Files.readString(sysctl.resolve(name)).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
