package dev.sallyport.cli;

import dev.sallyport.config.AgentProfile;
import dev.sallyport.confine.PrivateMemory;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.credential.Secret;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// Chooses the secret by which an agent proves itself to its model, and asks for it when there is
/// none.
record AgentLogin(Output output, AgentProfile profile) {

    AgentProfile.Login require(ControlClient warden)
            throws IOException, ControlException, CliException {
        Optional<AgentProfile.Login> stored = stored(profile, warden.secrets());
        return stored.isPresent() ? stored.get() : ask(warden);
    }

    /// The first of the profile's whose secret is there, for its host.
    static Optional<AgentProfile.Login> stored(
            AgentProfile profile, SecretsApi.SecretList secrets) {
        return profile.logins().stream()
                .filter(
                        login ->
                                secrets.secrets().stream()
                                        .anyMatch(
                                                secret ->
                                                        secret.name().equals(login.secret())
                                                                && secret.host()
                                                                        .equals(login.host())))
                .findFirst();
    }

    /// Each command that would help, with where the person seems to have the value already.
    static String remedy(AgentProfile profile, Output output) {
        return profile.logins().stream()
                .map(login -> "For " + login.what() + ": " + command(login, output))
                .collect(Collectors.joining("\n"));
    }

    private static String command(AgentProfile.Login login, Output output) {
        String set = "sallyport secret set " + login.secret() + " --host " + login.host();
        boolean known = output.surroundings().environment().containsKey(login.variable());
        return known ? "printenv " + login.variable() + " | " + set : set;
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
        output.warn(missing + " Only " + first.host() + " gets it, and never the sandbox.");
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

    private List<AgentProfile.Login> others() {
        return profile.logins().subList(1, profile.logins().size());
    }
}
