package dev.sallyport.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Prints a script that completes commands and options in a shell.
@Command(
        name = "completion",
        description = "Print a completion script for a shell.",
        footer = {
            "",
            "Examples:",
            "  source <(sallyport completion bash)",
            "  echo 'source <(sallyport completion zsh)' >> ~/.zshrc"
        })
final class CompletionCommand implements Callable<Integer> {
    enum Shell {
        bash,
        zsh
    }

    @Mixin private final Output output;

    @Parameters(paramLabel = "bash|zsh", description = "The shell.")
    private Shell shell = Shell.bash;

    CompletionCommand(Output output) {
        this.output = output;
    }

    /// The stable document of `--json`.
    record Script(String shell, String script) {}

    @Override
    public Integer call() {
        CommandLine tree = Commands.tree(output.surroundings());
        // The generated script serves both: under zsh it loads bashcompinit itself.
        String script = AutoComplete.bash("sallyport", tree);
        output.answer(new Script(shell.name(), script), script);
        return ExitCode.OK.status();
    }
}
