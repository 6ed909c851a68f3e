package dev.sallyport.doctor;

import dev.sallyport.sandbox.HostProgram;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Asks a program of the host one question.
final class Program {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(5);

    /// The first line of its answer; empty when it fails, is silent or takes too long.
    static Optional<String> firstLine(List<String> command) {
        try {
            HostProgram asked =
                    HostProgram.run(
                            HostProgram.builder(command).redirectErrorStream(true),
                            ProcessBuilder::start,
                            ANSWER_MAX);
            return asked.output()
                    .lines()
                    .filter(line -> asked.exitCode() == 0 && !line.isBlank())
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
