package dev.sallyport.cli;

import dev.sallyport.config.GitHost;
import dev.sallyport.config.LoginDocument;
import dev.sallyport.config.SecretKind;
import dev.sallyport.config.StoredSecret;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.policy.Word;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
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
            SecretCommands.Store.class,
            SecretCommands.ListAll.class,
            SecretCommands.Rotate.class,
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
            return table.render(
                    output.surroundings().outInk(),
                    "No secrets. Store one with: sallyport secret set github < token.txt\n");
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
                "Running sandboxes use the new value from their next request. For a login, give",
                "the JSON file as for secret set; host and token endpoint stay the same. For a",
                "GitHub App, give its new private key; host and id stay the same."
            })
    static final class Rotate extends SucceedingCommand {
        @Mixin private SecretSource source;

        @Option(
                names = "--end-sessions",
                description =
                        "End every sandbox that could use the old value for good, stopped ones too. Ephemeral sandboxes are removed.")
        private boolean endSessions;

        @Override
        void act() throws IOException, ControlException, CliException {
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
        }

        private Optional<SecretsApi.SecretView> present(ControlClient warden)
                throws ControlException {
            return warden.secrets().secrets().stream()
                    .filter(secret -> secret.name().equals(source.name()))
                    .findFirst();
        }

        private SecretsApi.RotateSecret request(Optional<SecretsApi.SecretView> present)
                throws IOException, CliException {
            if (present.flatMap(SecretsApi.SecretView::app).isPresent()) {
                return new SecretsApi.RotateSecret(
                        source.readAppKey(), endSessions, Optional.empty());
            }
            if (present.filter(p -> p.kind().equals(SecretKind.AWS.label())).isPresent()) {
                return new SecretsApi.RotateSecret(
                        source.readAwsKey(), endSessions, Optional.empty());
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
                                    document.refresh(),
                                    document.expires().map(Instant::toString))));
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

    /// Stores a secret that comes from standard input or a private file. There is no way to give it
    /// as an argument, because every process of the machine can read those.
    @Command(
            name = "set",
            description = "Store a secret, read from standard input or a file, for one host.",
            footer = {
                "",
                "Examples:",
                "  sallyport secret set github < token.txt",
                "  sallyport secret set github --kind github-app --app 123456 < key.pem",
                "  sallyport secret set corp --host git.corp.example --file token.txt",
                "  sallyport secret set old --host old.example --kind basic --user me < pw.txt",
                "  sallyport secret set anthropic --host api.anthropic.com < key.txt",
                "  sallyport secret set chatgpt --kind oauth --file ~/.codex/auth.json",
                "  sallyport secret set bedrock --kind aws \\",
                "    --host bedrock-runtime.us-east-1.amazonaws.com --file ~/.aws/credentials",
                "",
                "Only you may have access to the file (chmod 600). At a terminal you are asked",
                "for the value; your input is not shown.",
                "",
                "The gateway renews a login (--kind oauth). Log in separately for Sallyport: if",
                "another program uses the same login, one of the two loses it.",
                "",
                "With a GitHub App (--kind github-app) each sandbox gets tokens for its",
                "repositories only, which end within the hour. The key stays with the daemon."
            })
    static final class Store extends SucceedingCommand {
        private static final String GITHUB = "github";

        @Mixin private SecretSource source;

        @Option(
                names = "--host",
                paramLabel = "HOST",
                description =
                        "The only host it may be sent to. Default for the name github: github.com.")
        private @Nullable String host;

        @Option(
                names = "--user",
                paramLabel = "USER",
                description = "User name to send with it. Default: depends on the kind of host.")
        private @Nullable String user;

        @Option(
                names = "--kind",
                paramLabel = "KIND",
                description =
                        "token, basic (a password; needs --user), oauth (a login that is renewed),"
                                + " github-app (the private key of a GitHub App; needs --app) or aws"
                                + " (an access key). Default: basic with --user, else token.")
        private @Nullable String kind;

        @Option(
                names = "--app",
                paramLabel = "ID",
                description = "For github-app: App ID or client ID of the GitHub App.")
        private @Nullable String app;

        @Mixin private final LoginOptions login = new LoginOptions();

        @Override
        void act() throws IOException, ControlException, CliException {
            source.requireNoValueInArguments();
            requireKind();
            SecretsApi.PutSecret request = request();
            try (ControlClient warden = output.wardens().connectOrStart(output)) {
                SecretsApi.SecretView stored = warden.putSecret(source.name(), request);
                output.answer(stored, text(stored));
            } finally {
                request.wipe();
            }
        }

        private SecretsApi.PutSecret request() throws IOException, CliException {
            if (SecretKind.OAUTH.label().equals(kind)) {
                return login.request(
                        output.surroundings(), source.readLogin(), Optional.ofNullable(host));
            }
            String boundHost = boundHost();
            if (SecretKind.GITHUB_APP.label().equals(kind)) {
                return new SecretsApi.PutSecret(
                        boundHost,
                        Optional.empty(),
                        source.readAppKey(),
                        Optional.ofNullable(kind),
                        Optional.empty(),
                        Optional.ofNullable(app));
            }
            return new SecretsApi.PutSecret(
                    boundHost,
                    Optional.ofNullable(user),
                    SecretKind.AWS.label().equals(kind) ? source.readAwsKey() : source.read(),
                    Optional.ofNullable(kind),
                    Optional.empty());
        }

        private static String text(SecretsApi.SecretView stored) {
            String renewed = stored.login().map(l -> ", renewed at " + l.endpoint()).orElse("");
            String app = stored.app().map(id -> ", key of the GitHub App " + id).orElse("");
            return "stored " + stored.name() + " for " + stored.host() + renewed + app + "\n";
        }

        private String boundHost() throws CliException {
            if (host != null) {
                return host;
            }
            if (source.name().equals(GITHUB)) {
                return GitHost.GITHUB.name().value();
            }
            throw ExitCode.USAGE.because(
                    "no-host",
                    "A secret belongs to one host, and no host is given.",
                    "Add --host HOST. Only the name github has a default: github.com.");
        }

        /// Before anybody types a value in vain.
        private void requireKind() throws CliException {
            Optional<SecretKind> known =
                    Optional.ofNullable(kind)
                            .flatMap(word -> Word.of(SecretKind.class, word))
                            .filter(k -> k.fits(Optional.ofNullable(user)));
            if (kind != null && known.isEmpty()) {
                throw ExitCode.USAGE.because(
                        "wrong-kind",
                        Word.of(SecretKind.class, kind).isEmpty()
                                ? "Unknown kind of secret: " + kind + "."
                                : user == null
                                        ? "--kind basic needs --user."
                                        : "--user is only for --kind basic.",
                        Word.of(SecretKind.class, kind).isEmpty()
                                ? "Use one of " + SecretKind.all() + "."
                                : "Use --kind basic --user USER, or leave both out.");
            }
            boolean isApp = known.equals(Optional.of(SecretKind.GITHUB_APP));
            if (isApp != (app != null)
                    || !Optional.ofNullable(app).stream().allMatch(StoredSecret::isApp)) {
                throw ExitCode.USAGE.because(
                        "wrong-app",
                        "The key of a GitHub App needs the App's id, and no other secret has one.",
                        "Use --kind github-app --app ID, with the App ID or client ID from the App's settings.");
            }
            if (login.areGiven() && !known.equals(Optional.of(SecretKind.OAUTH))) {
                throw ExitCode.USAGE.because(
                        "wrong-kind",
                        "--provider, --token-endpoint and --client-id are about logins.",
                        "Add --kind oauth, or leave them out.");
            }
        }
    }
}
