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
            throw ExitCode.REFUSED.because(
                    "secret-in-arguments",
                    "A secret cannot be given on the command line, where other processes can read"
                            + " it. If that was the value, it may now be in your shell history.",
                    "Remove it from there, consider a new secret, and run: sallyport secret set NAME <"
                            + " token.txt");
        }
    }

    Secret read() throws IOException, CliException {
        return isTyped() ? ask() : given(SecretInput::read);
    }

    private boolean isTyped() {
        return file == null && surroundings.terminal().in();
    }

    private <T> T given(SecretInput.Reading<T> reading) throws IOException, CliException {
        return file == null
                ? reading.read(surroundings.in())
                : SecretInput.open(NamedFile.of(surroundings, "--file", file), reading);
    }

    /// What nobody types.
    private <T> T given(SecretInput.Reading<T> reading, String code, String what, String example)
            throws IOException, CliException {
        if (isTyped()) {
            throw ExitCode.USAGE.because(
                    code, what + " and cannot be typed.", "Give it as a file: --file " + example);
        }
        return given(reading);
    }

    /// The document of a login.
    LoginDocument readLogin() throws IOException, CliException {
        String what = "A login is a JSON document";
        return given(SecretInput::readLogin, "no-login", what, "credentials.json");
    }

    /// The private key of a GitHub App.
    Secret readAppKey() throws IOException, CliException {
        String what = "The private key of a GitHub App is a file";
        return given(SecretInput::readAppKey, "no-key", what, "key.pem");
    }

    /// An access key of AWS, which has several parts.
    Secret readAwsKey() throws IOException, CliException {
        String what = "An access key of AWS has several parts";
        return given(SecretInput::readAwsKey, "no-key", what, "~/.aws/credentials");
    }

    /// Without showing it.
    static Secret ask() throws IOException, CliException {
        Optional<char[]> typed =
                Optional.ofNullable(System.console())
                        .filter(Console::isTerminal)
                        .map(console -> console.readPassword("Value (not shown): "));
        if (typed.isEmpty()) {
            throw ExitCode.USAGE.because(
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
