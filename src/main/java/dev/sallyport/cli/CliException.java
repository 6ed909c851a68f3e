package dev.sallyport.cli;

import dev.sallyport.control.Api;

/// Ends a command with a message for the person.
final class CliException extends Exception {
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;
    private final String code;
    private final String remedy;

    /// @param code stable word for programs
    CliException(ExitCode exitCode, String code, String message, String remedy) {
        super(message);
        this.exitCode = exitCode;
        this.code = code;
        this.remedy = remedy;
    }

    ExitCode exitCode() {
        return exitCode;
    }

    Api.Problem problem() {
        return new Api.Problem(code, String.valueOf(getMessage()), remedy);
    }
}
