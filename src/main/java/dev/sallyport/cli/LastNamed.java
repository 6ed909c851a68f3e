package dev.sallyport.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine;

/// Runs the command that was named last, or shows the help of a group of commands that was named
/// alone.
final class LastNamed implements CommandLine.IExecutionStrategy {
    private final CommandLine.IExecutionStrategy last = new CommandLine.RunLast();

    @Override
    public int execute(CommandLine.ParseResult parsed) {
        CommandLine.ParseResult named = parsed;
        while (named.hasSubcommand()) {
            named = named.subcommand();
        }
        CommandLine command = named.commandSpec().commandLine();
        if (command.getCommand() instanceof Callable
                || named.isUsageHelpRequested()
                || named.isVersionHelpRequested()) {
            return last.execute(parsed);
        }
        command.usage(command.getErr());
        return ExitCode.USAGE.status();
    }
}
