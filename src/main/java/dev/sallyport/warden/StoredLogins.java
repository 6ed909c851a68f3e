package dev.sallyport.warden;

import dev.sallyport.config.AgentProfile;
import dev.sallyport.config.Presets;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.config.SecretKind;
import dev.sallyport.control.HostApi;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.MalformedNameException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Tells a machine with sandboxes which of an agent's logins is stored here, so that it can put the
/// right placeholder into a sandbox (ADR 19). The machine may be hostile (I2): it hears only of
/// secrets that a preset injects, for the host where that preset injects them, and gets no right by
/// it. What it wants to use it has to ask for by the preset's name, like everybody.
record StoredLogins(ReachRequests reach, Ledger ledger) {
    private static final int LOGINS_MAX = 16;
    private static final String PROFILE = "Correct the agent's profile on the sandbox's machine.";

    /// Whatever the answer is, a refusal or a failure included, it is recorded before it is given.
    ///
    /// @param machine that asks
    HostApi.Chosen choose(String machine, HostApi.Logins asked) throws OperationException {
        String told = "refused";
        try {
            requireAll(asked.logins());
            Optional<HostApi.ChosenLogin> stored = firstStored(asked.logins());
            Optional<HostApi.ChosenLogin> chosen =
                    stored.isPresent() ? stored : firstOfOwnRules(asked.logins());
            // The name of a login by own rules is the machine's word: nothing need be stored by it.
            told =
                    stored.map(HostApi.ChosenLogin::secret)
                            .orElse(chosen.isPresent() ? "own-rules" : "none");
            return new HostApi.Chosen(chosen);
        } finally {
            record(machine, asked.logins(), told);
        }
    }

    private void record(String machine, List<HostApi.Login> asked, String told)
            throws OperationException {
        String names =
                asked.stream()
                        .limit(LOGINS_MAX)
                        .map(HostApi.Login::secret)
                        .filter(SecretFiles::isName)
                        .collect(Collectors.joining(","));
        ledger.record("fleet.login", Map.of("host", machine, "asked", names, "told", told));
    }

    private static void requireAll(List<HostApi.Login> asked) throws OperationException {
        if (asked.isEmpty() || asked.size() > LOGINS_MAX) {
            throw OperationException.invalid(
                    "An agent has 1 to " + LOGINS_MAX + " logins to choose from.", PROFILE);
        }
        for (HostApi.Login login : asked) {
            require(login);
        }
    }

    /// Nothing that no profile could say. What is stored here makes no difference to a refusal: it
    /// would tell of it.
    private static void require(HostApi.Login login) throws OperationException {
        if (!SecretFiles.isName(login.secret())) {
            throw OperationException.invalid("A login has no name of a secret.", PROFILE);
        }
        if (!Presets.names().contains(login.preset())) {
            throw OperationException.invalid(
                    "The login "
                            + login.secret()
                            + " names a preset that this gateway does not know.",
                    "Install the same version of Sallyport on both machines.");
        }
        try {
            HostName.parse(Presets.inUsualRegion(login.host()));
            if (Presets.hasRegion(login.host()) && !Presets.isRegional(login.preset())) {
                throw OperationException.invalid(
                        "The host of the login %s has a region, and the preset %s has none."
                                .formatted(login.secret(), login.preset()),
                        PROFILE);
            }
        } catch (IOException e) {
            throw OperationException.failed(e);
        } catch (MalformedNameException e) {
            throw OperationException.invalid(
                    "The host of the login " + login.secret() + ": " + e.getMessage() + ".",
                    PROFILE);
        }
    }

    private Optional<HostApi.ChosenLogin> firstStored(List<HostApi.Login> logins)
            throws OperationException {
        List<SecretFiles.Entry> entries = entries();
        for (HostApi.Login login : logins) {
            for (SecretFiles.Entry entry : entries) {
                if (isStored(login, entry)) {
                    return Optional.of(
                            new HostApi.ChosenLogin(
                                    entry.name(),
                                    entry.host().value(),
                                    entry.login().flatMap(SecretFiles.LoginEntry::account)));
                }
            }
        }
        return Optional.empty();
    }

    private List<SecretFiles.Entry> entries() throws OperationException {
        return OperationException.asking(() -> reach.secrets().list());
    }

    private boolean isStored(HostApi.Login login, SecretFiles.Entry entry)
            throws OperationException {
        Optional<AgentProfile.Login> meant =
                entry.name().equals(login.secret())
                        ? profile(login).at(entry.host().value())
                        : Optional.empty();
        return meant.isPresent() && canBeUsed(meant.get().preset(), entry);
    }

    /// As it stands in a profile; of what an agent finds inside, nothing is known here.
    private static AgentProfile.Login profile(HostApi.Login login) {
        return new AgentProfile.Login(
                login.secret(),
                login.host(),
                "",
                new AgentProfile.Source("", "", SecretKind.TOKEN),
                login.preset(),
                new AgentProfile.Setup(Map.of(), List.of()));
    }

    private static boolean injects(EgressRule rule, SecretFiles.Entry entry) {
        return rule.host().equals(new HostPattern(HostPattern.Breadth.EXACT, entry.host()))
                && rule.inspection()
                        .flatMap(Inspection::injection)
                        .map(Injection::secret)
                        .equals(Optional.of(entry.name()));
    }

    /// Whether the preset injects this secret, and a sandbox could be made with it: the secret is
    /// of the kind that its rules need. A preset that cannot be had is not refused here: that would
    /// tell of a secret that it does not inject.
    private boolean canBeUsed(String preset, SecretFiles.Entry entry) throws OperationException {
        try {
            List<EgressRule> rules = reach.presets(List.of(preset), "agent");
            if (rules.stream().noneMatch(rule -> injects(rule, entry))) {
                return false;
            }
            for (EgressRule rule : rules) {
                reach.requireSecret(rule);
            }
            return true;
        } catch (OperationException e) {
            if (e.status() == OperationException.Fault.INVALID.status()) {
                return false;
            }
            throw e;
        }
    }

    /// Where a person has written rules of their own for the hosts of a login, its preset adds
    /// nothing and needs no secret.
    private Optional<HostApi.ChosenLogin> firstOfOwnRules(List<HostApi.Login> logins)
            throws OperationException {
        List<EgressRule> own = reach.rules().get().egress().rules();
        for (HostApi.Login login : logins) {
            List<EgressRule> rules = reach.presets(List.of(login.preset()), "agent");
            if (!Presets.hasRegion(login.host())
                    && rules.stream().allMatch(rule -> ReachRequests.isCovered(rule, own))) {
                return Optional.of(
                        new HostApi.ChosenLogin(login.secret(), login.host(), Optional.empty()));
            }
        }
        return Optional.empty();
    }
}
