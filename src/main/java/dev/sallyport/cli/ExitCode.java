package dev.sallyport.cli;

import java.util.Arrays;
import java.util.List;

/// What a process status of Sallyport means; the one list that help texts are made from.
///
/// `run` and `exec` pass the command's own status on, so everything that Sallyport itself has to
/// report there is squeezed into 125, as `env`, `timeout` and `docker run` do.
enum ExitCode {
    OK(0, "success"),
    FAILED(1, "a check failed (audit verify, demo, doctor, policy explain, verify)"),
    USAGE(64, "wrong usage"),
    NOT_FOUND(66, "no such sandbox, secret or file"),
    UNAVAILABLE(69, "something required is missing or does not answer"),
    INTERNAL(70, "a bug in Sallyport"),
    CONFLICT(73, "the name is taken, or the state does not allow it"),
    REFUSED(77, "denied: no permission, or an unsafe request"),
    RUN_FAILED(125, "run and exec: Sallyport itself failed");

    private final int status;
    private final String meaning;

    ExitCode(int status, String meaning) {
        this.status = status;
        this.meaning = meaning;
    }

    int status() {
        return status;
    }

    /// What ends a command with this status.
    ///
    /// @param code stable word for programs
    CliException because(String code, String message, String remedy) {
        return new CliException(this, code, message, remedy);
    }

    /// For the footer of help texts.
    static List<String> help() {
        return Arrays.stream(values())
                .map(code -> "  %-4d %s".formatted(code.status, code.meaning))
                .toList();
    }
}
