package dev.sallyport.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// Prints a script that completes commands, options and names of sandboxes in a shell.
@Command(
        name = "completion",
        description = "Print a completion script for a shell.",
        footer = {
            "",
            "Examples:",
            "  source <(sallyport completion bash)",
            "  echo 'source <(sallyport completion zsh)' >> ~/.zshrc",
            "  sallyport completion fish > ~/.config/fish/completions/sallyport.fish"
        })
final class CompletionCommand implements Callable<Integer> {
    enum Shell {
        bash,
        zsh,
        fish
    }

    @Mixin private Output output;

    @Parameters(paramLabel = "bash|zsh|fish", description = "The shell.")
    private Shell shell = Shell.bash;

    /// The stable document of `--json`.
    record Script(String shell, String script) {}

    @Override
    public Integer call() throws IOException {
        String script = script(shell);
        output.answer(new Script(shell.name(), script), script);
        return ExitCode.OK.status();
    }

    /// See [Completions] for who answers what it asks.
    static String script(Shell shell) throws IOException {
        try (InputStream in =
                CompletionCommand.class.getResourceAsStream("completion." + shell.name())) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
