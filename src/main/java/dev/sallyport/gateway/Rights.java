package dev.sallyport.gateway;

import dev.sallyport.approval.Asker;
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
import dev.sallyport.credential.Login;
import dev.sallyport.credential.MintedTokens;
import dev.sallyport.policy.Access;
import dev.sallyport.policy.Egress;
import dev.sallyport.policy.EgressRule;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.Policy;
import dev.sallyport.policy.Reach;
import dev.sallyport.policy.RepoGrant;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import dev.sallyport.policy.TokenEndpoint;
import dev.sallyport.policy.Word;
import dev.sallyport.session.LiveSession;
import dev.sallyport.session.Usage;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// Parses what the warden says about hosts and sessions into the types that doors rely on. Names
/// are parsed again although the warden has done so: here the type is the proof.
final class Rights {
    private static final Logger LOG = System.getLogger(Rights.class.getName());

    private Rights() {}

    /// Renews a login for whoever has these rights.
    interface LoginRenewal {
        CompletableFuture<Void> renew(Policy policy, InjectedCredential due);
    }

    /// @throws IllegalArgumentException for text that is no name; the session then has no rights
    static LiveSession of(Message.Attach attach, LoginRenewal renewal) {
        SessionId id = new SessionId(attach.session());
        List<RepoGrant> grants = new ArrayList<>();
        List<EgressRule> rules = new ArrayList<>();
        List<CredentialSource> credentials = new ArrayList<>();
        List<InjectedCredential> injected = new ArrayList<>();
        try {
            for (GrantText grant : attach.rights().grants()) {
                grants.add(grant.toGrant());
            }
            for (EgressText rule : attach.rights().egress()) {
                rules.add(rule.toRule());
            }
            credentials.addAll(sources(attach.secrets()));
            for (Message.InjectedSecret secret : attach.injected()) {
                injected.add(injected(secret));
            }
        } catch (MalformedNameException | DateTimeException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        Egress egress = new Egress(rules, attach.rights().learn());
        Policy policy = new Policy(id, grants, egress, endpoints(injected));
        return new LiveSession(
                id,
                attach.sandbox(),
                policy,
                new CredentialBook(credentials, injected, due -> renewal.renew(policy, due)),
                attach.rights().git(),
                attach.notices(),
                spent(attach),
                Asker.NOBODY);
    }

    /// A host has one secret, or the tokens that were minted for it.
    private static List<CredentialSource> sources(List<Message.HostSecret> secrets)
            throws MalformedNameException {
        List<CredentialSource> sources = new ArrayList<>();
        Map<HostName, List<MintedTokens.Token>> minted = new LinkedHashMap<>();
        for (Message.HostSecret secret : secrets) {
            HostName host = HostName.parse(secret.host());
            Optional<Credential> credential =
                    secret.secret().map(value -> new Credential(host, secret.user(), value));
            if (secret.minted().isPresent()) {
                minted.computeIfAbsent(host, _ -> new ArrayList<>())
                        .add(token(secret.minted().get(), credential));
            } else {
                sources.add(new CredentialSource.Stored(credential.orElseThrow(Rights::unknown)));
            }
        }
        minted.forEach((host, tokens) -> sources.add(new MintedTokens(host, tokens)));
        return sources;
    }

    private static MintedTokens.Token token(
            Message.MintedFor minted, Optional<Credential> credential)
            throws MalformedNameException {
        List<RepoPattern> repos = new ArrayList<>();
        for (String repo : minted.repos()) {
            repos.add(RepoPattern.parse(repo));
        }
        return new MintedTokens.Token(
                MintedTokens.Use.of(minted.use()).orElseThrow(Rights::unknown),
                repos,
                Word.of(Access.class, minted.access()).orElseThrow(Rights::unknown),
                credential,
                minted.failed());
    }

    private static IllegalArgumentException unknown() {
        return new IllegalArgumentException("a secret is not described as it should be");
    }

    private static InjectedCredential injected(Message.InjectedSecret secret)
            throws MalformedNameException {
        HostName host = HostName.parse(secret.host());
        if (secret.login().isEmpty()) {
            return new InjectedCredential(secret.name(), host, secret.secret());
        }
        Message.Renewable login = secret.login().get();
        Reach reach = new Reach(login.privateAddresses(), login.dial(), login.ca());
        return new InjectedCredential(
                secret.name(),
                host,
                secret.secret(),
                Optional.of(
                        login.login()
                                .toLogin(login.version(), Instant.parse(login.since()), reach)));
    }

    private static List<TokenEndpoint> endpoints(List<InjectedCredential> injected) {
        return injected.stream()
                .flatMap(secret -> secret.login().stream())
                .map(Login::endpoint)
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
                Word.of(HostKind.class, host.kind())
                        .orElseThrow(() -> new IllegalArgumentException("no such kind of host"));
        return new GitHost(new HostName(host.name()), kind, host.caPem(), host.dial());
    }
}
