package dev.sallyport.cli;

import dev.sallyport.control.Api;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// A command line and the variables that the person chose to pass with it.
///
/// @param variables `NAME=VALUE`, or `NAME` for the person's own value
/// @param given what holds unless the person says otherwise
record CommandRequest(
        Output output, List<String> command, List<String> variables, Map<String, String> given) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final Pattern SECRETIVE =
            Pattern.compile(
                    "(?i).*(TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|CREDENTIAL|PRIVATE_KEY).*");

    /// What programs need to draw on a terminal; says nothing about the person.
    private static final List<String> TERMINAL_VARIABLES = List.of("TERM", "COLORTERM");

    Api.ExecCommand toExec(Optional<String> directory) throws CliException {
        OwnArguments.requireUtf8();
        boolean tty = output.surroundings().terminal().isInteractive();
        return new Api.ExecCommand(List.copyOf(command), tty, directory, environment(tty));
    }

    /// @param tty whether the command draws on the person's terminal
    Map<String, String> environment(boolean tty) throws CliException {
        Map<String, String> environment = new TreeMap<>(given);
        Map<String, String> own = output.surroundings().environment();
        if (tty) {
            for (String name : TERMINAL_VARIABLES) {
                Optional.ofNullable(own.get(name)).ifPresent(v -> environment.put(name, v));
            }
        }
        for (String variable : variables) {
            add(environment, variable, own);
        }
        return environment;
    }

    private void add(Map<String, String> environment, String variable, Map<String, String> own)
            throws CliException {
        int equals = variable.indexOf('=');
        String name = equals < 0 ? variable : variable.substring(0, equals);
        String value = equals < 0 ? own.get(name) : variable.substring(equals + 1);
        if (!NAME.matcher(name).matches()) {
            throw ExitCode.USAGE.because(
                    "bad-variable",
                    "--env takes NAME or NAME=VALUE; a name is letters, digits and underscores.",
                    "For example: --env CI=true --env LANG");
        }
        if (value == null) {
            throw ExitCode.USAGE.because(
                    "no-variable",
                    "--env " + name + ": there is no such variable in your environment.",
                    "Give it a value with --env " + name + "=VALUE, or leave it out.");
        }
        if (SECRETIVE.matcher(name).matches()) {
            output.warn(
                    "--env " + name + ": programs in the sandbox can read and send this value.");
        }
        environment.put(name, value);
    }
}
