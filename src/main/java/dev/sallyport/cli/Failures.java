package dev.sallyport.cli;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.FullDisk;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import picocli.CommandLine;

/// Turns whatever ends a command early into a message for the person and a documented status.
record Failures(Surroundings surroundings)
        implements CommandLine.IExecutionExceptionHandler, CommandLine.IParameterExceptionHandler {
    private record Verdict(ExitCode exitCode, Api.Problem problem) {}

    @Override
    public int handleExecutionException(
            Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
        Verdict verdict = verdict(failure);
        if (verdict.exitCode() == ExitCode.INTERNAL
                && surroundings.environment().containsKey("SALLYPORT_DEBUG")) {
            failure.printStackTrace(surroundings.err());
        }
        return report(verdict, command, parsed.originalArgs().toArray(String[]::new));
    }

    @Override
    public int handleParseException(CommandLine.ParameterException failure, String[] arguments) {
        CommandLine command = failure.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        String see = "See: " + name + " --help";
        String remedy =
                failure instanceof CommandLine.UnmatchedArgumentException unmatched
                        ? DidYouMean.ask(unmatched).map(ask -> ask + "\n" + see).orElse(see)
                        : see;
        Api.Problem problem = new Api.Problem("usage", message(failure), remedy);
        return report(new Verdict(ExitCode.USAGE, problem), command, arguments);
    }

    /// The library's own words for a word too many are about indexes.
    private static String message(CommandLine.ParameterException failure) {
        if (!(failure instanceof CommandLine.UnmatchedArgumentException unmatched)) {
            return String.valueOf(failure.getMessage());
        }
        String first = unmatched.getUnmatched().getFirst();
        if (unmatched.isUnknownOption()) {
            return "There is no option " + first + ".";
        }
        boolean isGroup = !failure.getCommandLine().getSubcommands().isEmpty();
        return isGroup
                ? "There is no command " + first + "."
                : "Too many arguments: " + String.join(" ", unmatched.getUnmatched());
    }

    private int report(Verdict verdict, CommandLine command, String[] arguments) {
        boolean passesOn = command.getCommand() instanceof PassesStatusOn;
        Output output = new Output(surroundings);
        if (isJsonAsked(arguments)) {
            output.useJson();
        }
        output.problem(verdict.problem(), passesOn);
        return (passesOn ? ExitCode.RUN_FAILED : verdict.exitCode()).status();
    }

    /// Looked up in the raw arguments, because parsing may be what failed. What follows `--` is the
    /// sandboxed command's.
    private static boolean isJsonAsked(String[] arguments) {
        return Arrays.stream(arguments).takeWhile(a -> !a.equals("--")).anyMatch("--json"::equals);
    }

    /// For what does not end the command.
    static Api.Problem problem(Exception failure) {
        return verdict(failure).problem();
    }

    private static Verdict verdict(Exception failure) {
        return switch (failure) {
            case CliException e -> new Verdict(e.exitCode(), e.problem());
            case ControlException e -> new Verdict(exitCode(e), e.problem());
            case ConfigException e ->
                    new Verdict(
                            ExitCode.REFUSED,
                            new Api.Problem("unsafe-path", e.problem(), e.remedy()));
            case NoSuchFileException e -> file(ExitCode.NOT_FOUND, "no-file", "does not exist", e);
            case AccessDeniedException e ->
                    file(ExitCode.REFUSED, "no-access", "cannot be accessed: permission denied", e);
            case IOException e when FullDisk.isCauseOf(e) ->
                    new Verdict(
                            ExitCode.UNAVAILABLE,
                            new Api.Problem("disk-full", FullDisk.sentence(e), FullDisk.REMEDY));
            case IOException e ->
                    new Verdict(
                            ExitCode.UNAVAILABLE,
                            new Api.Problem("io", String.valueOf(e.getMessage()), ""));
            default ->
                    new Verdict(
                            ExitCode.INTERNAL,
                            new Api.Problem(
                                    "internal",
                                    "Bug in Sallyport: " + failure,
                                    "Please report it with the output of SALLYPORT_DEBUG=1."));
        };
    }

    private static Verdict file(
            ExitCode exitCode, String code, String what, java.nio.file.FileSystemException e) {
        return new Verdict(exitCode, new Api.Problem(code, e.getFile() + " " + what + ".", ""));
    }

    private static ExitCode exitCode(ControlException e) {
        if (e.problem().code().equals("unsafe-path")) {
            return ExitCode.REFUSED;
        }
        return switch (e.status()) {
            case 400, 413 -> ExitCode.USAGE;
            case 403 -> ExitCode.REFUSED;
            case 404 -> ExitCode.NOT_FOUND;
            case 409, 421 -> ExitCode.CONFLICT;
            default -> ExitCode.UNAVAILABLE;
        };
    }
}
