package dev.sallyport.cli;

import dev.sallyport.config.GitHost;
import dev.sallyport.config.SecretKind;
import dev.sallyport.config.StoredSecret;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.SecretsApi;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Stores a secret that comes from standard input or a private file. There is no way to give it as
/// an argument, because every process of the machine can read those.
@Command(
        name = "set",
        description = "Store a secret, read from standard input or a file, for one host.",
        footer = {
            "",
            "Examples:",
            "  sallyport secret set github < token.txt",
            "  sallyport secret set github --kind github-app --app 123456 < key.pem",
            "  sallyport secret set corp --host git.corp.example --file token.txt",
            "  sallyport secret set old --host git.old.example --kind basic --user me < password.txt",
            "  sallyport secret set anthropic --host api.anthropic.com < key.txt",
            "  sallyport secret set chatgpt --kind oauth --file ~/.codex/auth.json",
            "  sallyport secret set bedrock --kind aws --host bedrock-runtime.us-east-1.amazonaws.com \\",
            "    --file ~/.aws/credentials",
            "",
            "Only you may have access to the file (chmod 600). At a terminal you are asked",
            "for the value; your input is not shown.",
            "",
            "The gateway renews a login (--kind oauth). Log in separately for Sallyport: if another",
            "program uses the same login, one of the two loses it.",
            "",
            "With a GitHub App (--kind github-app) each sandbox gets tokens for its repositories only,",
            "which end within the hour. The key stays with the daemon."
        })
final class SecretSetCommand implements Callable<Integer> {
    private static final String GITHUB = "github";

    @Mixin private Output output;
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
    public Integer call() throws IOException, ControlException, CliException {
        source.requireNoValueInArguments();
        requireKind();
        SecretsApi.PutSecret request = request();
        try (ControlClient warden = output.wardens().connectOrStart(output)) {
            SecretsApi.SecretView stored = warden.putSecret(source.name(), request);
            output.answer(stored, text(stored));
        } finally {
            request.wipe();
        }
        return ExitCode.OK.status();
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
        throw new CliException(
                ExitCode.USAGE,
                "no-host",
                "A secret belongs to one host, and no host is given.",
                "Add --host HOST. Only the name github has a default: github.com.");
    }

    /// Before anybody types a value in vain.
    private void requireKind() throws CliException {
        Optional<SecretKind> known =
                Optional.ofNullable(kind)
                        .flatMap(SecretKind::parse)
                        .filter(k -> k.fits(Optional.ofNullable(user)));
        if (kind != null && known.isEmpty()) {
            throw new CliException(
                    ExitCode.USAGE,
                    "wrong-kind",
                    SecretKind.parse(kind).isEmpty()
                            ? "Unknown kind of secret: " + kind + "."
                            : "A secret of kind basic needs a user, and no other kind has one.",
                    SecretKind.parse(kind).isEmpty()
                            ? "Use one of " + SecretKind.all() + "."
                            : "Use --kind basic --user USER, or leave both out.");
        }
        boolean isApp = known.equals(Optional.of(SecretKind.GITHUB_APP));
        if (isApp != (app != null)
                || !Optional.ofNullable(app).stream().allMatch(StoredSecret::isApp)) {
            throw new CliException(
                    ExitCode.USAGE,
                    "wrong-app",
                    "The key of a GitHub App needs the App's id, and no other secret has one.",
                    "Use --kind github-app --app ID, with the App ID or client ID from the App's settings.");
        }
        if (login.areGiven() && !known.equals(Optional.of(SecretKind.OAUTH))) {
            throw new CliException(
                    ExitCode.USAGE,
                    "wrong-kind",
                    "--provider, --token-endpoint and --client-id are about logins.",
                    "Add --kind oauth, or leave them out.");
        }
    }
}
