package dev.sallyport.warden;

import dev.sallyport.channel.ListenerKind;
import dev.sallyport.channel.Message;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.GitHost;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.HostKind;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.policy.HostName;
import dev.sallyport.session.Session;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/// Writes a session's rights down for the gateway. The gateway gets the secrets of the hosts that
/// the session was granted repositories of, and no others.
final class AttachMessages {
    private final PolicyFile policy;
    private final SecretFiles secrets;

    AttachMessages(PolicyFile policy, SecretFiles secrets) {
        this.policy = policy;
        this.secrets = secrets;
    }

    Message.Configure configure() {
        return new Message.Configure(
                policy.limits(), policy.hosts().stream().map(AttachMessages::host).toList());
    }

    private static Message.Host host(GitHost host) {
        return new Message.Host(
                host.name().value(), host.kind().label(), host.caPem(), host.dial());
    }

    Message.Attach attach(Session session, List<ListenerKind> listeners) throws IOException {
        return message(session, secretsFor(session.policy().gitHosts()), listeners);
    }

    /// For when the secrets cannot be read: the sandbox keeps its doors, and upstreams are asked
    /// anonymously.
    Message.Attach attachWithoutSecrets(Session session, List<ListenerKind> listeners) {
        return message(session, List.of(), listeners);
    }

    private static Message.Attach message(
            Session session, List<Message.HostSecret> secrets, List<ListenerKind> listeners) {
        return new Message.Attach(
                session.id().value(),
                session.name(),
                rights(session),
                secrets,
                List.of(),
                Optional.empty(),
                new Message.Spent(
                        session.usage().requests(),
                        session.usage().bytesUp(),
                        session.usage().bytesDown()),
                0,
                listeners);
    }

    private static Message.Rights rights(Session session) {
        return new Message.Rights(
                session.grants().stream().map(GrantText::of).toList(),
                session.egress().rules().stream().map(EgressText::of).toList(),
                session.egress().learn());
    }

    private List<Message.HostSecret> secretsFor(SortedSet<HostName> hosts) throws IOException {
        return secrets.load(this::tokenUser).stream()
                .filter(credential -> hosts.contains(credential.host()))
                .map(
                        credential ->
                                new Message.HostSecret(
                                        credential.host().value(),
                                        credential.user(),
                                        credential.secret()))
                .toList();
    }

    private String tokenUser(HostName host) {
        return policy.host(host).map(GitHost::kind).orElse(HostKind.PLAIN).tokenUser();
    }
}
