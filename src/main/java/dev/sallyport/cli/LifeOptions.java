package dev.sallyport.cli;

import dev.sallyport.control.Api;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// What `run` and `new` say about how long a sandbox lives and how much it may use.
final class LifeOptions {
    @Option(
            names = "--idle",
            paramLabel = "DURATION",
            description = "Stop the sandbox when unused for this long: 30m, 12h, 2d. Default: 24h.")
    private @Nullable String idle;

    @Option(
            names = "--expires",
            paramLabel = "DURATION",
            description = "Longest lifetime of the sandbox, even if used. Default: 7d.")
    private @Nullable String expires;

    @Option(
            names = "--max-requests",
            paramLabel = "N",
            description = "End the sandbox after this many requests. Default: no cap.")
    private @Nullable Long maxRequests;

    @Option(
            names = "--max-bytes",
            paramLabel = "SIZE",
            description =
                    "End the sandbox after this many bytes up and down: 500M, 2G. Default: no cap.")
    private @Nullable String maxBytes;

    @Option(
            names = "--max-pushes",
            paramLabel = "N",
            description = "End the sandbox after this many pushes. Default: no cap.")
    private @Nullable Long maxPushes;

    Api.LifeRequest request() {
        return new Api.LifeRequest(
                Optional.ofNullable(idle),
                Optional.ofNullable(expires),
                Optional.ofNullable(maxRequests),
                Optional.ofNullable(maxBytes),
                Optional.ofNullable(maxPushes));
    }
}
