package dev.sallyport.demo;

import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.Person;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/// The programs of the host that the demo uses, by the Debian package that brings them.
final class Needs {
    private static final int INSTALL_MINUTES_MAX = 10;
    private static final Map<String, String> PACKAGE_OF = new LinkedHashMap<>();

    static {
        PACKAGE_OF.put("bwrap", "bubblewrap");
        PACKAGE_OF.put("git", "git");
        PACKAGE_OF.put("unshare", "util-linux");
        PACKAGE_OF.put("nsenter", "util-linux");
        PACKAGE_OF.put("setpriv", "util-linux");
        PACKAGE_OF.put("setsid", "util-linux");
        PACKAGE_OF.put("script", "bsdutils");
    }

    private Needs() {}

    /// As root on Debian or Ubuntu installs what is missing, after saying so; otherwise says which
    /// one command does.
    static void satisfy(DemoListener stage) throws DemoException {
        List<String> missing = missing();
        if (missing.isEmpty()) {
            return;
        }
        List<String> packages =
                List.copyOf(new TreeSet<>(missing.stream().map(PACKAGE_OF::get).toList()));
        String command = "apt-get install -y " + String.join(" ", packages);
        boolean debian = Files.exists(Path.of("/etc/debian_version"));
        if (!debian || !Person.current().isRoot()) {
            throw new DemoException(
                    "Missing: "
                            + String.join(", ", missing)
                            + ". "
                            + (debian
                                    ? "Install with: sudo " + command
                                    : "Install the packages that contain them: "
                                            + String.join(" ", packages)));
        }
        stage.step("missing: " + String.join(", ", missing) + "; installing with: " + command);
        install(packages);
        if (!missing().isEmpty()) {
            throw new DemoException("Still missing after " + command + ": " + missing());
        }
    }

    static List<String> missing() {
        return PACKAGE_OF.keySet().stream()
                .filter(program -> HostProgram.find(program).isEmpty())
                .toList();
    }

    private static void install(List<String> packages) throws DemoException {
        apt(List.of("apt-get", "-qq", "update"));
        List<String> command =
                new ArrayList<>(
                        List.of("apt-get", "-qq", "install", "-y", "--no-install-recommends"));
        command.addAll(packages);
        apt(command);
    }

    private static void apt(List<String> command) throws DemoException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
        builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        try {
            Process process = builder.start();
            if (!process.waitFor(INSTALL_MINUTES_MAX, TimeUnit.MINUTES)
                    || process.exitValue() != 0) {
                process.destroy();
                throw new DemoException("Command failed: " + String.join(" ", command));
            }
        } catch (IOException e) {
            throw new DemoException("Cannot run: " + String.join(" ", command));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DemoException("Interrupted while installing.");
        }
    }
}
