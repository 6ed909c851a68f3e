package dev.sallyport.cli;

import dev.sallyport.agent.FoundProgram;
import dev.sallyport.agent.PublishedClient;
import dev.sallyport.config.AgentProfile;
import dev.sallyport.config.LoginDocument;
import dev.sallyport.config.LoginProvider;
import dev.sallyport.config.LoginText;
import dev.sallyport.config.SecretKind;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.MalformedNameException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Where a login is renewed: what a person says, else what the document says, else what is known of
/// the provider whose agent wrote it.
final class LoginOptions {
    @Option(
            names = "--provider",
            paramLabel = "NAME",
            description =
                    "For oauth: anthropic, openai or google. Default: the one whose agent wrote the file.")
    private @Nullable String provider;

    @Option(
            names = "--token-endpoint",
            paramLabel = "URL",
            description = "For oauth: https URL where the login is renewed.")
    private @Nullable String endpoint;

    @Option(
            names = "--client-id",
            paramLabel = "ID",
            description = "For oauth: id of the client that logged in.")
    private @Nullable String clientId;

    boolean areGiven() {
        return provider != null || endpoint != null || clientId != null;
    }

    SecretsApi.PutSecret request(
            Surroundings surroundings, LoginDocument document, Optional<String> host)
            throws IOException, CliException {
        Optional<LoginProvider> known = provider(document);
        LoginText login =
                new LoginText(
                        document.refresh(),
                        document.expires().map(Instant::toString),
                        first(endpoint, document.said().endpoint())
                                .or(() -> known.map(LoginProvider::endpoint))
                                .orElseThrow(() -> missing("--token-endpoint URL")),
                        first(clientId, document.said().clientId())
                                .or(() -> known.map(LoginProvider::clientId))
                                .orElseThrow(() -> missing("--client-id ID")),
                        clientSecret(surroundings, document, known),
                        document.said().scope().filter(_ -> known.isEmpty()),
                        document.said()
                                .form()
                                .or(() -> known.map(LoginProvider::form))
                                .orElse("form"));
        try {
            login.check();
        } catch (MalformedNameException e) {
            throw ExitCode.USAGE.because(
                    "bad-login",
                    "The login cannot be used: " + e.getMessage() + ".",
                    "Correct it, and run the command again.");
        }
        return new SecretsApi.PutSecret(
                host.or(() -> known.map(LoginProvider::host))
                        .orElseThrow(() -> missing("--host HOST")),
                Optional.empty(),
                document.access(),
                Optional.of(SecretKind.OAUTH.label()),
                Optional.of(login));
    }

    /// What the document says, else what the provider's own program has.
    private static Optional<Secret> clientSecret(
            Surroundings surroundings, LoginDocument document, Optional<LoginProvider> known)
            throws IOException, CliException {
        Optional<LoginProvider.Published> published =
                known.flatMap(LoginProvider::published)
                        .filter(_ -> document.said().clientSecret().isEmpty());
        if (published.isEmpty()) {
            return document.said().clientSecret();
        }
        AgentProfile agent =
                AgentStart.profiles(surroundings).find(published.get().agent()).orElseThrow();
        Optional<FoundProgram> program = AgentStart.find(surroundings, agent);
        Optional<String> found =
                program.isEmpty()
                        ? Optional.empty()
                        : PublishedClient.secret(program.get(), published.get().form());
        return Optional.of(
                found.map(text -> Secret.of(text.getBytes(StandardCharsets.US_ASCII)))
                        .orElseThrow(() -> noClientSecret(agent)));
    }

    private static CliException noClientSecret(AgentProfile agent) {
        return ExitCode.USAGE.because(
                "no-client-secret",
                "This login is renewed with the client secret of "
                        + agent.name()
                        + ", and no program that has it was found here.",
                "Install %s (%s), or add the member client_secret to the document."
                        .formatted(agent.name(), agent.program().install()));
    }

    private Optional<LoginProvider> provider(LoginDocument document)
            throws IOException, CliException {
        Optional<String> name = first(provider, document.provider());
        if (name.isEmpty()) {
            return Optional.empty();
        }
        Optional<LoginProvider> known = LoginProvider.find(name.get());
        if (known.isEmpty()) {
            throw ExitCode.USAGE.because(
                    "unknown-provider",
                    "No such provider is known.",
                    "Use "
                            + LoginProvider.all().stream()
                                    .map(LoginProvider::name)
                                    .collect(Collectors.joining(", "))
                            + ", or give --token-endpoint, --client-id and --host.");
        }
        return known;
    }

    private static Optional<String> first(@Nullable String given, Optional<String> said) {
        return given == null ? said : Optional.of(given);
    }

    private static CliException missing(String option) {
        return ExitCode.USAGE.because(
                "incomplete-login",
                "The document does not say where the login is used and renewed.",
                "Add " + option + ", or name a known --provider.");
    }
}
