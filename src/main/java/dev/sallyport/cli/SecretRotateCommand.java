package dev.sallyport.cli;

import dev.sallyport.config.LoginDocument;
import dev.sallyport.config.SecretKind;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.SecretsApi;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
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
            "Running sandboxes use the new value from their next request. For a login, give the",
            "JSON file as for secret set; host and token endpoint stay the same. For a GitHub App,",
            "give its new private key; host and id stay the same."
        })
final class SecretRotateCommand implements Callable<Integer> {
    @Mixin private Output output;
    @Mixin private SecretSource source;

    @Option(
            names = "--end-sessions",
            description =
                    "End every sandbox that could use the old value for good, stopped ones too. Ephemeral sandboxes are removed.")
    private boolean endSessions;

    @Override
    public Integer call() throws IOException, ControlException, CliException {
        source.requireNoValueInArguments();
        try (ControlClient warden = output.wardens().connectOrStart(output)) {
            SecretsApi.RotateSecret request = request(present(warden));
            try {
                SecretsApi.SecretRotated rotated = warden.rotateSecret(source.name(), request);
                output.answer(rotated, text(rotated));
            } finally {
                request.wipe();
            }
        }
        return ExitCode.OK.status();
    }

    private Optional<SecretsApi.SecretView> present(ControlClient warden) throws ControlException {
        return warden.secrets().secrets().stream()
                .filter(secret -> secret.name().equals(source.name()))
                .findFirst();
    }

    private SecretsApi.RotateSecret request(Optional<SecretsApi.SecretView> present)
            throws IOException, CliException {
        if (present.flatMap(SecretsApi.SecretView::app).isPresent()) {
            return new SecretsApi.RotateSecret(source.readAppKey(), endSessions, Optional.empty());
        }
        if (present.filter(p -> p.kind().equals(SecretKind.AWS.label())).isPresent()) {
            return new SecretsApi.RotateSecret(source.readAwsKey(), endSessions, Optional.empty());
        }
        if (present.flatMap(SecretsApi.SecretView::login).isEmpty()) {
            return new SecretsApi.RotateSecret(source.read(), endSessions, Optional.empty());
        }
        LoginDocument document = source.readLogin();
        return new SecretsApi.RotateSecret(
                document.access(),
                endSessions,
                Optional.of(
                        new SecretsApi.NewLogin(
                                document.refresh(), document.expires().map(Instant::toString))));
    }

    private String text(SecretsApi.SecretRotated rotated) {
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
