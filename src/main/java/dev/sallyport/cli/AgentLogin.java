package dev.sallyport.cli;

import dev.sallyport.config.AgentProfile;
import dev.sallyport.config.EgressText;
import dev.sallyport.confine.PrivateMemory;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import dev.sallyport.control.HostApi;
import dev.sallyport.control.SecretsApi;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.SecretHosts;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Chooses the secret by which an agent proves itself to its model, and asks for it when there is
/// none.
record AgentLogin(Output output, AgentProfile profile) {
    private static final String NO_SECRET = "no-secret";

    /// @param gateway on another machine, where the secrets are; empty for this one
    AgentProfile.Login require(ControlClient warden, Optional<String> gateway)
            throws IOException, ControlException, CliException {
        if (gateway.isPresent()) {
            return requireAt(gateway.get(), warden);
        }
        SecretsApi.SecretList secrets = warden.secrets();
        Optional<AgentProfile.Login> stored = stored(profile, secrets);
        if (stored.isEmpty()) {
            requireNoneElsewhere(secrets);
        }
        return stored.isPresent() ? stored.get() : ask(warden);
    }

    /// That machine says which one to use: nothing else is said here of what is stored there.
    private AgentProfile.Login requireAt(String gateway, ControlClient warden)
            throws ControlException, CliException {
        List<HostApi.Login> asked =
                profile.logins().stream()
                        .map(way -> new HostApi.Login(way.secret(), way.host(), way.preset()))
                        .toList();
        HostApi.Chosen answer = warden.fleet().login(gateway, new HostApi.Logins(asked));
        HostApi.ChosenLogin chosen = answer.login().orElseThrow(() -> noneAt(gateway));
        return profile.logins().stream()
                .flatMap(way -> meant(way, chosen.secret(), chosen.host(), chosen.account()))
                .findFirst()
                .orElseThrow(() -> otherAnswer(gateway));
    }

    private CliException noneAt(String gateway) {
        return ExitCode.UNAVAILABLE.because(
                NO_SECRET,
                missing(" on the machine of the gateway " + gateway),
                "Run one of these on that machine.\n" + remedy(profile, AgentLogin::set));
    }

    private CliException otherAnswer(String gateway) {
        return ExitCode.UNAVAILABLE.because(
                "other-login",
                "The gateway %s names a login that %s does not have."
                        .formatted(gateway, profile.name()),
                "Install the same version of Sallyport on both machines.");
    }

    /// One that is stored for another host would be replaced by what the person types.
    private void requireNoneElsewhere(SecretsApi.SecretList secrets) throws CliException {
        for (AgentProfile.Login login : profile.logins()) {
            for (SecretsApi.SecretView secret : secrets.secrets()) {
                if (secret.name().equals(login.secret())) {
                    throw ExitCode.UNAVAILABLE.because(
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
        return profile.logins().stream()
                .flatMap(login -> secrets.secrets().stream().flatMap(s -> meant(login, s)))
                .findFirst();
    }

    private static Stream<AgentProfile.Login> meant(
            AgentProfile.Login login, SecretsApi.SecretView secret) {
        Optional<String> account = secret.login().flatMap(SecretsApi.LoginView::account);
        return meant(login, secret.name(), secret.host(), account);
    }

    /// The login for the secret that is stored under this name; none if that is another one's.
    private static Stream<AgentProfile.Login> meant(
            AgentProfile.Login login, String secret, String host, Optional<String> account) {
        return login.secret().equals(secret)
                ? login.at(host).stream().map(way -> way.of(account.orElse("unknown")))
                : Stream.empty();
    }

    /// The first of the profile's that the rules of a sandbox inject, wherever it is stored.
    ///
    /// @param rules of which the first for a host decides
    static Optional<AgentProfile.Login> injected(AgentProfile profile, List<EgressText> rules) {
        for (AgentProfile.Login login : profile.logins()) {
            Optional<EgressText> rule =
                    rules.stream().filter(one -> login.at(one.host()).isPresent()).findFirst();
            Optional<String> secret =
                    rule.flatMap(EgressText::inspection)
                            .flatMap(EgressText.InspectionText::inject)
                            .map(EgressText.InjectionText::secret);
            if (secret.equals(Optional.of(login.secret()))) {
                return login.at(rule.orElseThrow().host());
            }
        }
        return Optional.empty();
    }

    /// Each command that would help, with where the person seems to have the value already.
    static String remedy(AgentProfile profile, Output output) {
        return remedy(profile, login -> command(login, output));
    }

    private static String remedy(
            AgentProfile profile, Function<AgentProfile.Login, String> command) {
        return profile.logins().stream()
                .map(login -> "For " + login.what() + ": " + command.apply(login))
                .collect(Collectors.joining("\n"));
    }

    private static String command(AgentProfile.Login login, Output output) {
        AgentProfile.Source source = login.source();
        boolean known =
                !source.isDocument()
                        && output.surroundings().environment().containsKey(source.variable());
        return known ? "printenv " + source.variable() + " | " + set(login) : set(login);
    }

    private static String set(AgentProfile.Login login) {
        AgentProfile.Source source = login.source();
        String set = "sallyport secret set " + login.secret() + " --host " + login.hostForm();
        return source.isDocument()
                ? set + " --kind " + source.kind().label() + " --file " + source.file()
                : set;
    }

    private String missing(String where) {
        AgentProfile.Login first = profile.logins().getFirst();
        return profile.name() + " needs " + first.what() + ", and none is stored" + where + ".";
    }

    private AgentProfile.Login ask(ControlClient warden)
            throws IOException, ControlException, CliException {
        Terminal terminal = output.surroundings().terminal();
        AgentProfile.Login first = profile.logins().getFirst();
        String missing = missing("");
        if (output.isJson() || !terminal.in() || !terminal.err()) {
            throw ExitCode.UNAVAILABLE.because(NO_SECRET, missing, remedy(profile, output));
        }
        output.warn(missing + " Only " + takers(first) + " gets it, and never the sandbox.");
        profile.logins().stream()
                .skip(1)
                .forEach(
                        login ->
                                output.notice(
                                        "Or stop here. For %s: %s"
                                                .formatted(login.what(), command(login, output))));
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
}
