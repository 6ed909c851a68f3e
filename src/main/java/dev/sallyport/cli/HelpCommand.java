package dev.sallyport.cli;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Prints what `--help` prints, for those who type it the other way round.
@Command(
        name = HelpCommand.NAME,
        description = "Show the help of a command.",
        footer = {
            "",
            "Examples:",
            "  sallyport help",
            "  sallyport help run",
            "  sallyport help secret set"
        })
final class HelpCommand extends SucceedingCommand {
    static final String NAME = "help";

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "Default: all commands.")
    private List<String> words = List.of();

    @Spec private @Nullable CommandSpec spec;

    /// The stable document of `--json`.
    record Page(String command, String help) {}

    @Override
    void act() {
        CommandLine command = Objects.requireNonNull(spec).root().commandLine();
        for (int i = 0; i < words.size(); i++) {
            CommandLine named = command.getSubcommands().get(words.get(i));
            if (named == null) {
                throw new CommandLine.UnmatchedArgumentException(
                        command, words.subList(i, words.size()));
            }
            command = named;
        }
        String help = command.getUsageMessage(command.getColorScheme());
        output.answer(new Page(command.getCommandSpec().qualifiedName(), help), help);
    }
}
