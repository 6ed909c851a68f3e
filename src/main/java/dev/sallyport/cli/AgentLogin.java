package dev.sallyport.cli;

import dev.sallyport.config.AgentProfile;
import dev.sallyport.confine.PrivateMemory;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.SecretHosts;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Chooses the secret by which an agent proves itself to its model, and asks for it when there is
/// none.
record AgentLogin(Output output, AgentProfile profile) {

    AgentProfile.Login require(ControlClient warden)
            throws IOException, ControlException, CliException {
        SecretsApi.SecretList secrets = warden.secrets();
        Optional<AgentProfile.Login> stored = stored(profile, secrets);
        if (stored.isEmpty()) {
            requireNoneElsewhere(secrets);
        }
        return stored.isPresent() ? stored.get() : ask(warden);
    }

    /// One that is stored for another host would be replaced by what the person types.
    private void requireNoneElsewhere(SecretsApi.SecretList secrets) throws CliException {
        for (AgentProfile.Login login : profile.logins()) {
            for (SecretsApi.SecretView secret : secrets.secrets()) {
                if (secret.name().equals(login.secret())) {
                    throw new CliException(
                            ExitCode.UNAVAILABLE,
                            "secret-of-another-host",
                            "The secret %s is stored for %s, but %s needs it for %s."
                                    .formatted(
                                            secret.name(),
                                            secret.host(),
                                            profile.name(),
                                            login.hostForm()),
                            "Store it again: " + command(login, output));
                }
            }
        }
    }

    /// The first of the profile's whose secret is there, for its host.
    static Optional<AgentProfile.Login> stored(
            AgentProfile profile, SecretsApi.SecretList secrets) {
        for (AgentProfile.Login login : profile.logins()) {
            for (SecretsApi.SecretView secret : secrets.secrets()) {
                Optional<AgentProfile.Login> meant = login.at(secret.host());
                if (secret.name().equals(login.secret()) && meant.isPresent()) {
                    Optional<String> account =
                            secret.login().flatMap(SecretsApi.LoginView::account);
                    return Optional.of(meant.get().of(account.orElse("unknown")));
                }
            }
        }
        return Optional.empty();
    }

    /// Each command that would help, with where the person seems to have the value already.
    static String remedy(AgentProfile profile, Output output) {
        return profile.logins().stream()
                .map(login -> "For " + login.what() + ": " + command(login, output))
                .collect(Collectors.joining("\n"));
    }

    private static String command(AgentProfile.Login login, Output output) {
        AgentProfile.Source source = login.source();
        String set = "sallyport secret set " + login.secret() + " --host " + login.hostForm();
        if (source.isDocument()) {
            return set + " --kind " + source.kind().label() + " --file " + source.file();
        }
        boolean known = output.surroundings().environment().containsKey(source.variable());
        return known ? "printenv " + source.variable() + " | " + set : set;
    }

    private AgentProfile.Login ask(ControlClient warden)
            throws IOException, ControlException, CliException {
        Terminal terminal = output.surroundings().terminal();
        AgentProfile.Login first = profile.logins().getFirst();
        String missing = profile.name() + " needs " + first.what() + ", and none is stored.";
        if (output.isJson() || !terminal.in() || !terminal.err()) {
            throw new CliException(
                    ExitCode.UNAVAILABLE, "no-secret", missing, remedy(profile, output));
        }
        output.warn(missing + " Only " + takers(first) + " gets it, and never the sandbox.");
        others().forEach(
                        login ->
                                output.notice(
                                        "Or stop here. For "
                                                + login.what()
                                                + ": "
                                                + command(login, output)));
        PrivateMemory.ofThisProcess();
        Secret value = SecretSource.ask();
        try {
            warden.putSecret(
                    first.secret(),
                    new SecretsApi.PutSecret(
                            first.host(),
                            Optional.empty(),
                            value,
                            Optional.empty(),
                            Optional.empty()));
        } finally {
            value.wipe();
        }
        return first;
    }

    /// A service may have several hosts.
    private static String takers(AgentProfile.Login login) {
        List<String> besides = SecretHosts.besides(login.host());
        return login.host()
                + (besides.isEmpty() ? "" : ", with " + String.join(", ", besides) + ",");
    }

    private List<AgentProfile.Login> others() {
        return profile.logins().subList(1, profile.logins().size());
    }
}
