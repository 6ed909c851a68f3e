package dev.sallyport.cli;

import dev.sallyport.config.GitHost;
import dev.sallyport.config.SecretInput;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.credential.Secret;
import java.io.ByteArrayInputStream;
import java.io.Console;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Stores a secret that comes from standard input or a private file. There is no way to give it as
/// an argument, because every process of the machine can read those.
@Command(
        name = "set",
        description = "Store a secret, read from standard input or a file, for one host.",
        footer = {
            "",
            "Examples:",
            "  sallyport secret set github < token.txt",
            "  sallyport secret set corp --host git.corp.example --file token.txt",
            "",
            "The file must be yours alone (chmod 600). At a terminal you are asked for the",
            "value, and what you type is not shown."
        })
final class SecretSetCommand implements Callable<Integer> {
    private static final String GITHUB = "github";

    @Mixin private final Output output;
    private final Wardens wardens;

    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the secret.")
    private String name = "";

    @Parameters(index = "1..*", arity = "0..*", hidden = true)
    private List<String> refused = new ArrayList<>();

    @Option(
            names = "--host",
            paramLabel = "HOST",
            description =
                    "The one host it may be sent to. Default for the name github: github.com.")
    private @Nullable String host;

    @Option(
            names = "--user",
            paramLabel = "USER",
            description = "User name that goes with it. Default: what the host's kind wants.")
    private @Nullable String user;

    @Option(names = "--file", paramLabel = "PATH", description = "Read it from this file.")
    private @Nullable Path file;

    SecretSetCommand(Output output, Wardens wardens) {
        this.output = output;
        this.wardens = wardens;
    }

    @Override
    public Integer call() throws IOException, ControlException, CliException {
        requireNoValueInArguments();
        String boundHost = boundHost();
        Secret value = read();
        try (ControlClient warden = wardens.connectOrStart(output)) {
            Api.SecretView stored =
                    warden.putSecret(
                            name, new Api.PutSecret(boundHost, Optional.ofNullable(user), value));
            output.answer(stored, "stored " + stored.name() + " for " + stored.host() + "\n");
        } finally {
            value.wipe();
        }
        return ExitCode.OK.status();
    }

    private void requireNoValueInArguments() throws CliException {
        if (!refused.isEmpty()) {
            throw new CliException(
                    ExitCode.REFUSED,
                    "secret-in-arguments",
                    "A secret is never taken from the command line, where other processes can read"
                            + " it. If that was the value, it may now be in your shell's history.",
                    "Remove it there, consider a new one, and use: sallyport secret set NAME <"
                            + " token.txt");
        }
    }

    private String boundHost() throws CliException {
        if (host != null) {
            return host;
        }
        if (name.equals(GITHUB)) {
            return GitHost.GITHUB.name().value();
        }
        throw new CliException(
                ExitCode.USAGE,
                "no-host",
                "A secret belongs to one host, and this one names none.",
                "Add --host HOST. Only the name github stands for a host: github.com.");
    }

    private Secret read() throws IOException, CliException {
        if (file != null) {
            return SecretInput.read(output.surroundings().directory().resolve(file));
        }
        return output.surroundings().terminal().in()
                ? ask()
                : SecretInput.read(output.surroundings().in());
    }

    private static Secret ask() throws IOException, CliException {
        Optional<char[]> typed =
                Optional.ofNullable(System.console())
                        .filter(Console::isTerminal)
                        .map(console -> console.readPassword("Value (not shown): "));
        if (typed.isEmpty()) {
            throw new CliException(
                    ExitCode.USAGE,
                    "no-secret",
                    "Standard input is a terminal on which typing cannot be hidden.",
                    "Give the value as a file: sallyport secret set NAME < token.txt");
        }
        byte[] encoded = new String(typed.get()).getBytes(StandardCharsets.UTF_8);
        Arrays.fill(typed.get(), ' ');
        try {
            return SecretInput.read(new ByteArrayInputStream(encoded));
        } finally {
            Arrays.fill(encoded, (byte) 0);
        }
    }
}
