package dev.sallyport.cli;

import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// Says which build this is.
@Command(name = "version", description = "Show the version.")
final class VersionCommand implements Callable<Integer> {
    @Mixin private Output output;

    static String version() {
        return Optional.ofNullable(Sallyport.class.getPackage().getImplementationVersion())
                .orElse("development");
    }

    static String text() {
        return "sallyport " + version() + " (Java " + Runtime.version() + ")";
    }

    /// The stable document of `--json`.
    record Version(String version, String java) {}

    @Override
    public Integer call() {
        output.answer(new Version(version(), Runtime.version().toString()), text() + "\n");
        return ExitCode.OK.status();
    }
}
