package dev.sallyport.warden;

import dev.sallyport.config.GitBypass;
import dev.sallyport.config.GitHost;
import dev.sallyport.config.HostLimits;
import dev.sallyport.config.Machine;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.Presets;
import dev.sallyport.config.ProjectFile;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.config.SecretKind;
import dev.sallyport.config.StoredSecret;
import dev.sallyport.control.Api;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.HostPattern;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.SecretHosts;
import dev.sallyport.policy.TcpTarget;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/// Turns what a person asked for into what a session may reach besides git.
///
/// @param remote whether another machine asks. It may be hostile (I2), and is not told which host a
///   secret is stored for that it cannot use: to it, that secret is missing.
record ReachRequests(Supplier<PolicyFile> rules, SecretFiles secrets, boolean remote) {
    private static final int RULES_MAX = 512;
    private static final String ORIGIN = "--allow";
    private static final String ORIGIN_TCP = "--allow-tcp";
    private static final String PRESETS = "--preset";

    /// With options behind it.
    private static final Pattern PRESET = Pattern.compile("[a-z0-9-]+(?:\\+[a-z0-9-]+){0,16}");

    ReachRequests(Supplier<PolicyFile> rules, SecretFiles secrets) {
        this(rules, secrets, false);
    }

    ReachRequests ofMachine() {
        return new ReachRequests(rules, secrets, true);
    }

    private PolicyFile policy() {
        return rules.get();
    }

    /// What was asked for by hand stands last: it adds hosts, and takes no rule's inspection away.
    /// What an agent needs comes after the rules that a person wrote, which thus decide.
    ///
    /// @param project the rules of a trusted project file
    Egress plan(Api.ReachRequest request, List<EgressRule> project) throws OperationException {
        List<EgressRule> rules = new ArrayList<>(presets(request.presets(), PRESETS));
        if (request.egress()) {
            rules.addAll(policy().egress().rules());
            rules.addAll(project);
        }
        rules.addAll(implied(request, rules));
        rules.addAll(tunnels(request.allow(), rules));
        rules.addAll(plainTunnels(request.tcp(), rules));
        if (request.learn()) {
            policy().hosts().forEach(git -> rules.add(closed(git)));
        }
        requireFew(rules);
        for (EgressRule rule : rules) {
            requireSecret(rule);
        }
        return new Egress(rules, request.learn());
    }

    /// The same session's reach with more hosts.
    Egress widen(Egress present, Api.Allow more) throws OperationException {
        if (more.ask() && !more.tcp().isEmpty()) {
            throw OperationException.invalid(
                    "Nobody can be asked about a plain tunnel.", "Leave out --ask or --tcp.");
        }
        List<EgressRule> rules = new ArrayList<>(present.rules());
        List<EgressRule> hosts = tunnels(more.hosts(), present.rules());
        rules.addAll(more.ask() ? AskedHosts.of(hosts, present.rules()) : hosts);
        rules.addAll(plainTunnels(more.tcp(), rules));
        requireFew(rules);
        return new Egress(AskedHosts.last(rules), present.learn());
    }

    /// What a session gets now from what was asked for. What a person gave it by name, or by
    /// trusting a file, stays theirs to give: only a new git host closes it. Nothing is read of its
    /// workspace, which a sandbox can write to.
    static Egress again(Session session, PolicyFile now) {
        GitBypass bypass = GitBypass.of(now.hosts());
        List<EgressRule> own =
                session.asked().own().stream().filter(r -> bypass.by(r).isEmpty()).toList();
        List<EgressRule> rules = new ArrayList<>();
        own.stream().filter(ReachRequests::isPreset).forEach(rules::add);
        if (session.asked().egress()) {
            rules.addAll(now.egress().rules());
        }
        own.stream().filter(rule -> !isPreset(rule)).forEach(rules::add);
        if (session.egress().learn()) {
            now.hosts().forEach(git -> rules.add(closed(git)));
        }
        List<EgressRule> sorted = AskedHosts.last(rules);
        return new Egress(
                sorted.subList(0, Math.min(sorted.size(), RULES_MAX)), session.egress().learn());
    }

    private static boolean isPreset(EgressRule rule) {
        return rule.origin().startsWith(PRESETS);
    }

    private static void requireFew(List<EgressRule> rules) throws OperationException {
        if (rules.size() > RULES_MAX) {
            throw OperationException.invalid(
                    "A sandbox can have at most " + RULES_MAX + " rules for hosts.",
                    "Use wildcards, or leave out presets you do not need.");
        }
    }

    /// Read as if they stood in a file, so that they are checked and expanded as there.
    List<EgressRule> presets(List<String> names, String origin) throws OperationException {
        StringBuilder yaml = new StringBuilder("egress:\n");
        for (String name : names) {
            if (!PRESET.matcher(name).matches() || !isKnown(name)) {
                throw OperationException.invalid(
                        "Unknown preset.", "List them with: sallyport policy presets");
            }
            yaml.append("  - preset: ").append(name).append('\n');
        }
        try {
            byte[] content = yaml.toString().getBytes(StandardCharsets.US_ASCII);
            return names.isEmpty()
                    ? List.of()
                    : ProjectFile.parse(
                                    content, Path.of(origin), policy().hosts(), Machine.current())
                            .rules();
        } catch (IOException e) {
            throw OperationException.refused(e);
        }
    }

    /// Without what is covered already: a secret that would never be used need not be there.
    private List<EgressRule> implied(Api.ReachRequest request, List<EgressRule> before)
            throws OperationException {
        List<String> names = new ArrayList<>(request.implied());
        names.removeAll(request.presets());
        return presets(names, "agent").stream().filter(rule -> !isCovered(rule, before)).toList();
    }

    static boolean isCovered(EgressRule rule, List<EgressRule> before) {
        return rule.ports().stream()
                .allMatch(
                        port ->
                                before.stream()
                                        .filter(other -> other.ports().contains(port))
                                        .anyMatch(other -> other.host().covers(rule.host())));
    }

    private static boolean isKnown(String preset) {
        return Presets.names().stream()
                .anyMatch(known -> preset.equals(known) || preset.startsWith(known + "+"));
    }

    /// A rule without ports: nothing is learned of a git host, nor of what is below its name.
    private static EgressRule closed(GitHost git) {
        return new EgressRule(
                new HostPattern(HostPattern.Breadth.DOMAIN, git.name()),
                new TreeSet<>(),
                Reach.PUBLIC,
                Optional.empty(),
                "git host");
    }

    /// @param before the rules that are asked first
    private List<EgressRule> tunnels(List<String> hosts, List<EgressRule> before)
            throws OperationException {
        List<EgressRule> rules = new ArrayList<>();
        for (String text : hosts) {
            EgressRule rule = rule(text);
            requireNotInspected(rule, before);
            rules.add(rule);
        }
        return rules;
    }

    /// One that another rule decides about would be a plain tunnel in name only.
    private List<EgressRule> plainTunnels(List<String> targets, List<EgressRule> before)
            throws OperationException {
        List<EgressRule> rules = new ArrayList<>();
        for (String text : targets) {
            EgressRule rule = plainTunnel(text);
            Optional<EgressRule> other =
                    before.stream()
                            .filter(earlier -> !earlier.tcp() && isCovered(rule, List.of(earlier)))
                            .findFirst();
            if (other.isPresent()) {
                throw OperationException.invalid(
                        "%s is TLS or HTTP by another rule (%s), which decides."
                                .formatted(text, other.get().origin()),
                        "Leave it out, or change that rule.");
            }
            rules.add(rule);
        }
        return rules;
    }

    private EgressRule plainTunnel(String text) throws OperationException {
        TcpTarget target;
        try {
            target = TcpTarget.parse(text);
        } catch (MalformedNameException e) {
            throw OperationException.invalid(
                    "Not a host and port: " + text + " (" + e.getMessage() + ").",
                    "Leave out scheme and path. Use db.example.com:5432.");
        }
        EgressRule rule = EgressRule.tcp(target.host(), target.port(), Reach.PUBLIC, ORIGIN_TCP);
        Optional<HostName> git = GitBypass.of(policy().hosts()).by(rule);
        if (git.isPresent()) {
            throw OperationException.invalid(
                    "%s leads to the git host %s; a plain tunnel to it would bypass the git rules."
                            .formatted(target.host(), git.get()),
                    "Grant repositories with --repo, or use a name that is not below that host.");
        }
        host(target.host().value());
        return rule;
    }

    /// Whoever asks for a host means a tunnel to it. Where a rule inspects all of what was asked
    /// for, there is none to be had.
    private static void requireNotInspected(EgressRule asked, List<EgressRule> before)
            throws OperationException {
        for (EgressRule rule : before) {
            boolean covered =
                    rule.inspection().isPresent()
                            && rule.host().covers(asked.host())
                            && !Collections.disjoint(rule.ports(), asked.ports());
            if (covered) {
                throw OperationException.invalid(
                        "%s is inspected (%s); a tunnel to it would bypass that rule."
                                .formatted(asked.host(), rule.origin()),
                        "Leave it out, or change the rule.");
            }
        }
    }

    private EgressRule rule(String text) throws OperationException {
        int colon = text.indexOf('/') < 0 ? text.lastIndexOf(':') : -1;
        HostPattern host = host(colon < 0 ? text : text.substring(0, colon));
        SortedSet<Integer> ports =
                colon < 0
                        ? EgressRule.PORTS
                        : new TreeSet<>(Set.of(port(text.substring(colon + 1))));
        return new EgressRule(host, ports, Reach.PUBLIC, Optional.empty(), ORIGIN);
    }

    private HostPattern host(String text) throws OperationException {
        HostPattern host;
        try {
            host = HostPattern.parse(text);
            HostLimits.require(host);
        } catch (MalformedNameException e) {
            throw OperationException.invalid(
                    "Not a host: " + text + " (" + e.getMessage() + ").",
                    "Leave out scheme and path. Use example.com, *.example.com or example.com:8443.");
        }
        for (GitHost git : policy().hosts()) {
            if (host.matches(git.name())) {
                throw OperationException.invalid(
                        git.name() + " is a git host; a tunnel to it would bypass the git rules.",
                        "Repositories are granted to a new sandbox: sallyport new --repo "
                                + git.name()
                                + "/OWNER/NAME. Or write an egress rule with paths in policy.yaml.");
            }
        }
        return host;
    }

    private static int port(String text) throws OperationException {
        try {
            return TcpTarget.port(text);
        } catch (MalformedNameException e) {
            throw OperationException.invalid(
                    "A port is a number from 1 to 65535.", "For example: example.com:8443");
        }
    }

    /// A sandbox whose requests would all be refused is not made: the person is there to mend it.
    void requireSecret(EgressRule rule) throws OperationException {
        Optional<Injection> injection = rule.inspection().flatMap(Inspection::injection);
        if (injection.isEmpty()) {
            return;
        }
        String name = injection.get().secret();
        String host = rule.host().name().value();
        String kind = injection.get().isSigned() ? " --kind aws" : "";
        String remedy =
                "Run: sallyport secret set " + name + kind + " --host " + host + " < key.txt";
        try {
            Optional<SecretFiles.Entry> entry =
                    secrets.list().stream()
                            .filter(e -> e.name().equals(name))
                            .filter(e -> !remote || SecretHosts.reach(e.host(), rule))
                            .findFirst();
            if (entry.isEmpty()) {
                throw OperationException.invalid(
                        "The secret %s for %s is missing (%s)."
                                .formatted(name, host, rule.origin()),
                        remedy);
            }
            if (!SecretHosts.reach(entry.get().host(), rule)) {
                throw OperationException.invalid(
                        "The secret %s belongs to %s, not to %s (%s)."
                                .formatted(name, entry.get().host(), host, rule.origin()),
                        remedy);
            }
            if (entry.get().kind() == SecretKind.GITHUB_APP) {
                throw OperationException.invalid(
                        "The secret %s is the key of a GitHub App, which is not sent to any host (%s)."
                                .formatted(name, rule.origin()),
                        "Remove inject: from this rule.");
            }
            requirePlace(rule, injection.get(), entry.get().kind());
            requireFindable(name, entry.get().host());
        } catch (IOException e) {
            throw OperationException.failed(e);
        }
    }

    /// Requests are signed with an access key of AWS and with nothing else.
    private static void requirePlace(EgressRule rule, Injection injection, SecretKind kind)
            throws OperationException {
        if (injection.isSigned() == (kind == SecretKind.AWS)) {
            return;
        }
        String name = injection.secret();
        throw injection.isSigned()
                ? OperationException.invalid(
                        "The secret %s is of kind %s, and requests are signed with a secret of kind aws (%s)."
                                .formatted(name, kind.label(), rule.origin()),
                        "Run: sallyport secret set %s --kind aws --host %s --file ~/.aws/credentials"
                                .formatted(name, rule.host().name()))
                : OperationException.invalid(
                        "The secret %s is an access key of AWS, which is not sent to any host (%s)."
                                .formatted(name, rule.origin()),
                        "Write inject: {secret: %s, aws-signature: REGION/SERVICE} in this rule."
                                .formatted(name));
    }

    private void requireFindable(String name, HostName host)
            throws OperationException, IOException {
        Optional<StoredSecret> stored = secrets.find(name, host);
        boolean findable =
                stored.filter(s -> s.values().stream().allMatch(Secret::canBeFound)).isPresent();
        stored.ifPresent(StoredSecret::wipe);
        if (!findable) {
            throw OperationException.invalid(
                    "The secret "
                            + name
                            + " is too short to detect in responses, so it is not injected.",
                    "Use a key of at least 8 characters.");
        }
    }
}
