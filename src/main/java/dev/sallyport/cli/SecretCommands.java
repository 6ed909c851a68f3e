package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.SecretsApi;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/// What can be done with secrets that are stored.
final class SecretCommands {
    private SecretCommands() {}

    @Command(name = "list", aliases = "ls", description = "List secrets; never their values.")
    static final class ListAll implements Callable<Integer> {
        @Mixin private final Output output;
        private final Wardens wardens;

        ListAll(Output output, Wardens wardens) {
            this.output = output;
            this.wardens = wardens;
        }

        @Override
        public Integer call() throws IOException, ControlException, CliException {
            try (ControlClient warden = wardens.connectOrStart(output)) {
                SecretsApi.SecretList list = warden.secrets();
                output.answer(list, text(list));
            }
            return ExitCode.OK.status();
        }

        private String text(SecretsApi.SecretList list) {
            Table table = new Table("NAME", "KIND", "HOST", "USER", "SET", "ROTATED", "SANDBOXES");
            for (SecretsApi.SecretView secret : list.secrets()) {
                table.row(
                        secret.name(),
                        secret.kind(),
                        secret.host(),
                        secret.user().orElse("-"),
                        secret.updated(),
                        secret.rotated().orElse("-"),
                        secret.sandboxes().isEmpty() ? "-" : String.join(" ", secret.sandboxes()));
            }
            return table.isEmpty()
                    ? "No secrets. Store one with: sallyport secret set github < token.txt\n"
                    : table.render(output.surroundings().outInk());
        }
    }

    @Command(name = "remove", aliases = "rm", description = "Remove a secret.")
    static final class Remove implements Callable<Integer> {
        @Mixin private final Output output;
        private final Wardens wardens;

        @Parameters(paramLabel = "NAME", description = "Name of the secret.")
        private String name = "";

        Remove(Output output, Wardens wardens) {
            this.output = output;
            this.wardens = wardens;
        }

        @Override
        public Integer call() throws IOException, ControlException, CliException {
            try (ControlClient warden = wardens.connectOrStart(output)) {
                warden.removeSecret(name);
                output.answer(new Api.Done(), "removed " + name + "\n");
            }
            return ExitCode.OK.status();
        }
    }

    @Command(
            name = "encrypt",
            description = "Encrypt the stored secrets with the key set in policy.yaml.")
    static final class Encrypt implements Callable<Integer> {
        @Mixin private final Output output;
        private final Wardens wardens;

        Encrypt(Output output, Wardens wardens) {
            this.output = output;
            this.wardens = wardens;
        }

        @Override
        public Integer call() throws IOException, ControlException, CliException {
            try (ControlClient warden = wardens.connectOrStart(output)) {
                SecretsApi.Encrypted encrypted = warden.encryptSecrets();
                output.answer(
                        encrypted, "all secrets are encrypted: " + encrypted.secrets() + "\n");
            }
            return ExitCode.OK.status();
        }
    }
}
