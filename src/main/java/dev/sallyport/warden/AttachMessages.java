package dev.sallyport.warden;

import dev.sallyport.channel.ListenerKind;
import dev.sallyport.channel.Message;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.GitHost;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.HostKind;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.config.SecretKind;
import dev.sallyport.config.StoredSecret;
import dev.sallyport.credential.Authority;
import dev.sallyport.credential.Credential;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.SecretHosts;
import dev.sallyport.policy.SessionId;
import dev.sallyport.policy.TokenEndpoint;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.session.Moment;
import dev.sallyport.session.Session;
import dev.sallyport.session.Usage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.function.Function;
import java.util.function.Supplier;

/// Writes a session's rights down for the gateway. The gateway gets the secrets of the hosts that
/// the session was granted repositories of, those that its rules inject, each with the host of its
/// rule, and no others. Of a GitHub App it gets tokens, never the key.
final class AttachMessages implements LinkMessages {
    private final Supplier<PolicyFile> rules;
    private final SecretFiles secrets;
    private final AppTokens apps;
    private final Authorities authorities;
    private final Function<SessionId, Usage> spent;
    private final Function<SessionId, Message.Badges> badges;

    /// @param spent what a session has used until now
    /// @param badges the certificates of a session of another machine
    AttachMessages(
            Supplier<PolicyFile> rules,
            SecretFiles secrets,
            AppTokens apps,
            Authorities authorities,
            Function<SessionId, Usage> spent,
            Function<SessionId, Message.Badges> badges) {
        this.rules = rules;
        this.secrets = secrets;
        this.apps = apps;
        this.authorities = authorities;
        this.spent = spent;
        this.badges = badges;
    }

    @Override
    public Message.Configure configure() {
        PolicyFile policy = rules.get();
        return new Message.Configure(
                policy.limits(),
                hosts(policy),
                policy.resolver()
                        .map(
                                resolver ->
                                        new Message.Resolver(
                                                resolver.dial(),
                                                resolver.name().value(),
                                                resolver.caPem())));
    }

    @Override
    public Message.Hosts hosts() {
        return new Message.Hosts(hosts(rules.get()));
    }

    private static List<Message.Host> hosts(PolicyFile policy) {
        return policy.hosts().stream().map(AttachMessages::host).toList();
    }

    private static Message.Host host(GitHost host) {
        return new Message.Host(
                host.name().value(), host.kind().label(), host.caPem(), host.dial());
    }

    @Override
    public Message.Attach attach(Session session, List<ListenerKind> listeners) throws IOException {
        List<Message.HostSecret> forGit = new ArrayList<>(apps.of(session));
        forGit.addAll(secretsFor(session.policy().gitHosts()));
        return message(session, forGit, injected(session), listeners);
    }

    @Override
    public void ended(SessionId id) {
        apps.ended(id);
    }

    /// For when the secrets cannot be read: the sandbox keeps its doors, git hosts are asked
    /// anonymously, and what a rule would write a secret into is refused.
    @Override
    public Message.Attach attachWithoutSecrets(Session session, List<ListenerKind> listeners) {
        return message(session, List.of(), List.of(), listeners);
    }

    /// Whoever comes from another machine is known by a certificate.
    @Override
    public List<Message> after(Session session) {
        return session.spec().runtime() == RuntimeKind.REMOTE
                ? List.of(badges.apply(session.id()))
                : List.of();
    }

    private Message.Attach message(
            Session session,
            List<Message.HostSecret> secrets,
            List<Message.InjectedSecret> injected,
            List<ListenerKind> listeners) {
        Usage used = spent.apply(session.id());
        return new Message.Attach(
                session.id().value(),
                session.name(),
                rights(session),
                secrets,
                injected,
                authorities.find(session).map(AttachMessages::authority),
                new Message.Spent(used.requests(), used.bytesUp(), used.bytesDown()),
                0,
                listeners,
                Notices.of(session, used, Moment.now()));
    }

    private static Message.Authority authority(Authority authority) {
        return new Message.Authority(authority.certificatePem(), authority.key());
    }

    /// The secrets that the session's rules inject, each once, and only where [SecretHosts] lets it
    /// go.
    private List<Message.InjectedSecret> injected(Session session) throws IOException {
        List<Message.InjectedSecret> found = new ArrayList<>();
        for (SecretFiles.Entry entry : secrets.list()) {
            if (isInjected(session, entry)) {
                secrets.find(entry.name(), entry.host())
                        .map(
                                secret ->
                                        new Message.InjectedSecret(
                                                entry.name(),
                                                entry.host().value(),
                                                secret.value(),
                                                secret.login().map(this::renewable)))
                        .ifPresent(found::add);
            }
        }
        return found;
    }

    /// How the endpoint's host is reached is said where it is said of every other host.
    private Message.Renewable renewable(StoredSecret.StoredLogin login) {
        Reach reach = reach(login.text().endpoint());
        return new Message.Renewable(
                login.text(),
                login.since().toString(),
                login.version(),
                reach.privateAddresses(),
                reach.dial(),
                reach.caPem());
    }

    private Reach reach(String url) {
        TokenEndpoint endpoint;
        try {
            endpoint = TokenEndpoint.parse(url);
        } catch (MalformedNameException e) {
            throw new IllegalStateException("the file was checked when it was read", e);
        }
        return rules.get().egress().rules().stream()
                .filter(rule -> rule.host().matches(endpoint.host()))
                .filter(rule -> rule.ports().contains(endpoint.port()))
                .map(EgressRule::reach)
                .findFirst()
                .orElse(Reach.PUBLIC);
    }

    /// Whether the gateway gets this secret for the session: what [#attach] goes by.
    static boolean mayUse(Session session, SecretFiles.Entry secret) {
        boolean forGit =
                (secret.kind().isForGit() || secret.kind() == SecretKind.GITHUB_APP)
                        && session.policy().gitHosts().contains(secret.host());
        return forGit || (secret.kind() != SecretKind.GITHUB_APP && isInjected(session, secret));
    }

    private static boolean isInjected(Session session, SecretFiles.Entry secret) {
        return session.egress().rules().stream()
                .filter(rule -> SecretHosts.reach(secret.host(), rule))
                .flatMap(rule -> rule.inspection().stream())
                .flatMap(inspection -> inspection.injection().stream())
                .anyMatch(injection -> injection.secret().equals(secret.name()));
    }

    private static Message.Rights rights(Session session) {
        return new Message.Rights(
                session.grants().stream().map(GrantText::of).toList(),
                session.egress().rules().stream().map(EgressText::of).toList(),
                session.egress().learn(),
                session.spec().git());
    }

    private List<Message.HostSecret> secretsFor(SortedSet<HostName> hosts) throws IOException {
        List<Message.HostSecret> found = new ArrayList<>();
        for (Credential credential : secrets.load(this::tokenUser)) {
            if (hosts.contains(credential.host())) {
                found.add(
                        Message.HostSecret.stored(
                                credential.host().value(), credential.user(), credential.secret()));
            } else {
                credential.secret().wipe();
            }
        }
        return found;
    }

    private String tokenUser(HostName host) {
        return rules.get().host(host).map(GitHost::kind).orElse(HostKind.PLAIN).tokenUser();
    }
}
