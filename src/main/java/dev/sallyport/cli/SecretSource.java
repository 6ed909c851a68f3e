package dev.sallyport.cli;

import dev.sallyport.config.LoginDocument;
import dev.sallyport.config.SecretInput;
import dev.sallyport.credential.Secret;
import java.io.ByteArrayInputStream;
import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Which secret a command is about, and where it takes the value from: standard input, a private
/// file or a terminal that does not show it. There is no way to give it as an argument, because
/// every process of the machine can read those.
final class SecretSource {
    private final Surroundings surroundings;

    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the secret.")
    private String name = "";

    @Parameters(index = "1..*", arity = "0..*", hidden = true)
    private List<String> refused = new ArrayList<>();

    @Option(names = "--file", paramLabel = "PATH", description = "Read it from this file.")
    private @Nullable Path file;

    SecretSource(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    String name() {
        return name;
    }

    void requireNoValueInArguments() throws CliException {
        if (!refused.isEmpty()) {
            throw new CliException(
                    ExitCode.REFUSED,
                    "secret-in-arguments",
                    "A secret cannot be given on the command line, where other processes can read"
                            + " it. If that was the value, it may now be in your shell history.",
                    "Remove it from there, consider a new secret, and run: sallyport secret set NAME <"
                            + " token.txt");
        }
    }

    Secret read() throws IOException, CliException {
        if (file != null) {
            return SecretInput.read(NamedFile.of(surroundings, "--file", file));
        }
        return surroundings.terminal().in() ? ask() : SecretInput.read(surroundings.in());
    }

    /// The document of a login, which nobody types.
    LoginDocument readLogin() throws IOException, CliException {
        if (file != null) {
            return SecretInput.readLogin(NamedFile.of(surroundings, "--file", file));
        }
        if (surroundings.terminal().in()) {
            throw new CliException(
                    ExitCode.USAGE,
                    "no-login",
                    "A login is a JSON document and cannot be typed.",
                    "Give it as a file: --file credentials.json");
        }
        return SecretInput.readLogin(surroundings.in());
    }

    /// The private key of a GitHub App, which nobody types.
    Secret readAppKey() throws IOException, CliException {
        if (file != null) {
            return SecretInput.readAppKey(NamedFile.of(surroundings, "--file", file));
        }
        if (surroundings.terminal().in()) {
            throw new CliException(
                    ExitCode.USAGE,
                    "no-key",
                    "The private key of a GitHub App is a file and cannot be typed.",
                    "Give it as a file: --file key.pem");
        }
        return SecretInput.readAppKey(surroundings.in());
    }

    /// An access key of AWS, which has several parts.
    Secret readAwsKey() throws IOException, CliException {
        if (file != null) {
            return SecretInput.readAwsKey(NamedFile.of(surroundings, "--file", file));
        }
        if (surroundings.terminal().in()) {
            throw new CliException(
                    ExitCode.USAGE,
                    "no-key",
                    "An access key of AWS has several parts and cannot be typed.",
                    "Give it as a file: --file ~/.aws/credentials");
        }
        return SecretInput.readAwsKey(surroundings.in());
    }

    /// Without showing it.
    static Secret ask() throws IOException, CliException {
        Optional<char[]> typed =
                Optional.ofNullable(System.console())
                        .filter(Console::isTerminal)
                        .map(console -> console.readPassword("Value (not shown): "));
        if (typed.isEmpty()) {
            throw new CliException(
                    ExitCode.USAGE,
                    "no-secret",
                    "Standard input is a terminal that cannot hide what you type.",
                    "Give the value as a file: sallyport secret set NAME < token.txt");
        }
        byte[] bytes = latin(typed.get());
        try {
            return SecretInput.read(new ByteArrayInputStream(bytes));
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    /// One byte for each character; one that is not ASCII is refused as such by whoever reads it.
    private static byte[] latin(char[] typed) {
        byte[] bytes = new byte[typed.length];
        for (int i = 0; i < typed.length; i++) {
            bytes[i] = typed[i] < 0x80 ? (byte) typed[i] : (byte) 0x80;
            typed[i] = ' ';
        }
        return bytes;
    }
}
