package dev.sallyport.gateway;

import dev.sallyport.channel.Message;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.GitHost;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.HostKind;
import dev.sallyport.config.SecureResolver;
import dev.sallyport.credential.Authority;
import dev.sallyport.credential.Credential;
import dev.sallyport.credential.CredentialBook;
import dev.sallyport.credential.CredentialSource;
import dev.sallyport.credential.InjectedCredential;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.LiveSession;
import dev.sallyport.session.Usage;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Parses what the warden says about hosts and sessions into the types that doors rely on. Names
/// are parsed again although the warden has done so: here the type is the proof.
final class Rights {
    private static final Logger LOG = System.getLogger(Rights.class.getName());

    private Rights() {}

    /// @throws IllegalArgumentException for text that is no name; the session then has no rights
    static LiveSession of(Message.Attach attach) {
        SessionId id = new SessionId(attach.session());
        List<RepoGrant> grants = new ArrayList<>();
        List<EgressRule> rules = new ArrayList<>();
        List<CredentialSource> credentials = new ArrayList<>();
        try {
            for (GrantText grant : attach.rights().grants()) {
                grants.add(grant.toGrant());
            }
            for (EgressText rule : attach.rights().egress()) {
                rules.add(rule.toRule());
            }
            for (Message.HostSecret secret : attach.secrets()) {
                HostName host = HostName.parse(secret.host());
                Credential stored = new Credential(host, secret.user(), secret.secret());
                credentials.add(new CredentialSource.Stored(stored));
            }
        } catch (MalformedNameException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        Egress egress = new Egress(rules, attach.rights().learn());
        return new LiveSession(
                id,
                attach.sandbox(),
                new Policy(id, grants, egress),
                new CredentialBook(credentials, injected(attach)),
                attach.rights().git(),
                attach.notices());
    }

    private static List<InjectedCredential> injected(Message.Attach attach) {
        return attach.injected().stream()
                .map(
                        secret ->
                                new InjectedCredential(
                                        secret.name(),
                                        new HostName(secret.host()),
                                        secret.secret()))
                .toList();
    }

    /// Empty when there is none or it cannot be read; inspected hosts are refused then.
    static Optional<Authority> authority(Message.Attach attach) {
        try {
            return attach.authority().map(a -> Authority.of(a.certificatePem(), a.key()));
        } catch (IllegalArgumentException e) {
            LOG.log(Level.ERROR, "a session has no certificate authority", e);
            return Optional.empty();
        }
    }

    static Usage spent(Message.Attach attach) {
        Message.Spent spent = attach.spent();
        return new Usage(spent.requests(), spent.bytesUp(), spent.bytesDown());
    }

    static SecureResolver resolver(Message.Resolver resolver) {
        return new SecureResolver(resolver.dial(), new HostName(resolver.name()), resolver.caPem());
    }

    static GitHost host(Message.Host host) {
        HostKind kind =
                HostKind.of(host.kind())
                        .orElseThrow(() -> new IllegalArgumentException("no such kind of host"));
        return new GitHost(new HostName(host.name()), kind, host.caPem(), host.dial());
    }
}
