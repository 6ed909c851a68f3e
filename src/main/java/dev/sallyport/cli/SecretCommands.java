package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.SecretsApi;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// What can be done with secrets that are stored.
@Command(
        name = "secret",
        description = "Store, list, rotate and remove the credentials that the gateway uses.",
        footer = {
            "",
            "Examples:",
            "  sallyport secret set github < token.txt",
            "  sallyport secret set corp --host git.corp.example --file token.txt",
            "  sallyport secret rotate github < new-token.txt",
            "  sallyport secret list"
        },
        subcommands = {
            SecretSetCommand.class,
            SecretCommands.ListAll.class,
            SecretRotateCommand.class,
            SecretCommands.Encrypt.class,
            SecretCommands.Remove.class
        })
final class SecretCommands {
    @Command(name = "list", aliases = "ls", description = "List secrets; never their values.")
    static final class ListAll extends WardenCommand {
        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            SecretsApi.SecretList list = warden.secrets();
            output.answer(list, text(list));
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
    static final class Remove extends WardenCommand {
        @Parameters(paramLabel = "NAME", description = "Name of the secret.")
        private String name = "";

        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            warden.removeSecret(name);
            output.answer(new Api.Done(), "removed " + name + "\n");
        }
    }

    @Command(
            name = "encrypt",
            description = "Encrypt the stored secrets with the key set in policy.yaml.")
    static final class Encrypt extends WardenCommand {
        @Override
        void ask(ControlClient warden) throws IOException, ControlException, CliException {
            SecretsApi.Encrypted encrypted = warden.encryptSecrets();
            output.answer(encrypted, "all secrets are encrypted: " + encrypted.secrets() + "\n");
        }
    }
}
