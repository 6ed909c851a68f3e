package dev.sallyport.cli;

import java.util.Arrays;
import java.util.List;

/// What a process status of Sallyport means; the one list that help texts are made from.
///
/// `run` and `exec` pass the command's own status on, so everything that Sallyport itself has to
/// report there is squeezed into 125, as `env`, `timeout` and `docker run` do.
enum ExitCode {
    OK(0, "everything went well"),
    FAILED(1, "what was checked does not hold (audit verify, demo, doctor, verify)"),
    USAGE(64, "the command line is wrong"),
    NOT_FOUND(66, "there is no sandbox or secret of that name"),
    UNAVAILABLE(69, "something that is needed is missing or does not answer"),
    INTERNAL(70, "a mistake in Sallyport"),
    CONFLICT(73, "the name is taken, or the state does not permit it"),
    REFUSED(77, "refused: permission, or an unsafe request"),
    RUN_FAILED(125, "run and exec: Sallyport itself failed, whatever the reason");

    private final int status;
    private final String meaning;

    ExitCode(int status, String meaning) {
        this.status = status;
        this.meaning = meaning;
    }

    int status() {
        return status;
    }

    /// For the footer of help texts.
    static List<String> help() {
        return Arrays.stream(values())
                .map(code -> "  %-4d %s".formatted(code.status, code.meaning))
                .toList();
    }
}
