package dev.sallyport.cli;

import dev.sallyport.config.Perimeter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Carries the hosts of the policy file to programs at somebody's perimeter.
@Command(
        name = "export",
        description = "Export the allowed hosts as configuration for other programs.",
        footer = {
            "",
            "Example:",
            "  sallyport policy export --format dnsmasq --output perimeter --resolver 192.0.2.53",
            "",
            "SHA256SUMS is written beside the files; check with: sha256sum --check SHA256SUMS"
        })
final class PolicyExportCommand implements Callable<Integer> {
    @Mixin private Output output;

    @Option(
            names = "--format",
            required = true,
            paramLabel = "FORMAT",
            description = "dnsmasq, tinyproxy or nftables.")
    private String format = "";

    @Option(
            names = "--output",
            required = true,
            paramLabel = "DIR",
            description = "Output directory; created if missing.")
    private Path directory = Path.of("");

    @Option(
            names = "--resolver",
            paramLabel = "ADDRESS[#PORT]",
            description = "dnsmasq only: resolver for the allowed names. Default: 127.0.0.53.")
    private String resolver = "127.0.0.53";

    @Option(
            names = "--file",
            paramLabel = "PATH",
            description = "Use this policy file instead of the one in SALLYPORT_HOME.")
    private @Nullable Path file;

    /// The stable document of `--json`.
    record Written(List<String> files) {}

    @Override
    public Integer call() throws IOException, CliException {
        Perimeter.Format chosen =
                Perimeter.Format.of(format)
                        .orElseThrow(
                                () ->
                                        usage(
                                                "Unknown format.",
                                                "Use dnsmasq, tinyproxy or nftables."));
        if (!resolver.matches("[0-9a-fA-F.:]{2,45}(#[1-9][0-9]{0,4})?")) {
            throw usage("The resolver is not an address.", "Write it as 192.0.2.53#53.");
        }
        Path target =
                output.surroundings().directory().resolve(directory).toAbsolutePath().normalize();
        Map<String, String> files =
                new Perimeter(PolicyCommands.load(output, file).egress())
                        .files(chosen, target, resolver);
        Files.createDirectories(target);
        for (Map.Entry<String, String> entry : files.entrySet()) {
            Files.writeString(target.resolve(entry.getKey()), entry.getValue());
        }
        List<String> names = List.copyOf(files.keySet());
        output.answer(new Written(names), String.join("\n", names) + "\n");
        return ExitCode.OK.status();
    }

    private static CliException usage(String problem, String remedy) {
        return new CliException(ExitCode.USAGE, "usage", problem, remedy);
    }
}
