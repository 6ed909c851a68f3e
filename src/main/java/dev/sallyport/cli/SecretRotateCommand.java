package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.credential.Secret;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Replaces the value of a secret; host, user and kind stay.
@Command(
        name = "rotate",
        description = "Replace the value of a secret, read from standard input or a file.",
        footer = {
            "",
            "Examples:",
            "  sallyport secret rotate github < token.txt",
            "  sallyport secret rotate corp --file token.txt --end-sessions",
            "",
            "Running sandboxes use the new value from their next request."
        })
final class SecretRotateCommand implements Callable<Integer> {
    @Mixin private final Output output;
    @Mixin private final SecretSource source;
    private final Wardens wardens;

    @Option(
            names = "--end-sessions",
            description =
                    "End every sandbox that could use the old value for good, stopped ones too. Ephemeral sandboxes are removed.")
    private boolean endSessions;

    SecretRotateCommand(Output output, Wardens wardens) {
        this.output = output;
        this.source = new SecretSource(output.surroundings());
        this.wardens = wardens;
    }

    @Override
    public Integer call() throws IOException, ControlException, CliException {
        source.requireNoValueInArguments();
        Secret value = source.read();
        try (ControlClient warden = wardens.connectOrStart(output)) {
            Api.SecretRotated rotated =
                    warden.rotateSecret(source.name(), new Api.RotateSecret(value, endSessions));
            output.answer(rotated, text(rotated));
        } finally {
            value.wipe();
        }
        return ExitCode.OK.status();
    }

    private String text(Api.SecretRotated rotated) {
        String done =
                "rotated " + rotated.secret().name() + " for " + rotated.secret().host() + "\n";
        if (!endSessions) {
            return done;
        }
        return done
                + (rotated.ended().isEmpty()
                        ? "no sandbox could use the old value\n"
                        : "ended " + String.join(", ", rotated.ended()) + "\n");
    }
}
