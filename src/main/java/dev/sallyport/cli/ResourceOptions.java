package dev.sallyport.cli;

import dev.sallyport.control.Api;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// What a sandbox may take of the machine.
final class ResourceOptions {
    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description =
                    "Memory limit, such as 512m or 4g. Default: half of the machine's memory.")
    private @Nullable String memory;

    @Option(
            names = "--cpus",
            paramLabel = "N",
            description = "Number of CPUs, such as 1.5. Default: all.")
    private @Nullable BigDecimal cpus;

    @Option(
            names = "--pids",
            paramLabel = "N",
            description = "Maximum number of processes. Default: 4096.")
    private @Nullable Long processes;

    @Option(
            names = "--file-size",
            paramLabel = "SIZE",
            description = "Maximum size of one file. Default: 32g.")
    private @Nullable String fileSize;

    Api.ResourceRequest request() throws CliException {
        return new Api.ResourceRequest(
                memory == null ? Optional.empty() : Optional.of(bytes(memory)),
                cpus == null ? Optional.empty() : Optional.of(thousandths(cpus)),
                Optional.ofNullable(processes),
                fileSize == null ? Optional.empty() : Optional.of(bytes(fileSize)));
    }

    private static long thousandths(BigDecimal number) throws CliException {
        try {
            return number.movePointRight(3).longValueExact();
        } catch (ArithmeticException e) {
            throw usage(number.toString());
        }
    }

    static long bytes(String text) throws CliException {
        String size = text.toLowerCase(Locale.ROOT);
        int shift =
                switch (size.isEmpty() ? ' ' : size.charAt(size.length() - 1)) {
                    case 'k' -> 10;
                    case 'm' -> 20;
                    case 'g' -> 30;
                    default -> 0;
                };
        String digits = shift == 0 ? size : size.substring(0, size.length() - 1);
        if (!digits.matches("[0-9]{1,9}")) {
            throw usage(text);
        }
        return Long.parseLong(digits) << shift;
    }

    private static CliException usage(String text) {
        return new CliException(
                ExitCode.USAGE,
                "bad-size",
                "Not a size or number: " + text,
                "Write a size as 512m or 4g, and CPUs as 2 or 1.5.");
    }
}
