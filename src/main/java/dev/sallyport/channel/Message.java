package dev.sallyport.channel;

import dev.sallyport.approval.Outcome;
import dev.sallyport.approval.Question;
import dev.sallyport.config.EgressText;
import dev.sallyport.config.GitSettings;
import dev.sallyport.config.GrantText;
import dev.sallyport.config.Limits;
import dev.sallyport.config.LoginText;
import dev.sallyport.credential.Secret;
import java.util.List;
import java.util.Optional;

/// Everything that warden and gateway can say to each other, but for what is to be recorded, which
/// has a [RecordLane]. [Direction] tells who may say which; anything else ends the connection.
///
/// Names travel as text and are parsed again on arrival: the type on the other side is the proof
/// that they were.
public sealed interface Message {

    /// Who may send a message.
    enum Direction {
        TO_GATEWAY,
        TO_WARDEN
    }

    /// What only the warden may say, to a gateway or to a sidecar.
    sealed interface ToGateway extends Message {}

    /// What only a gateway or a sidecar may say.
    sealed interface ToWarden extends Message {}

    /// The permission table: each message type is one of the two, by compilation.
    default Direction direction() {
        return switch (this) {
            case ToGateway _ -> Direction.TO_GATEWAY;
            case ToWarden _ -> Direction.TO_WARDEN;
        };
    }

    /// First message to a new gateway.
    record Configure(Limits limits, List<Host> hosts, Optional<Resolver> resolver)
            implements ToGateway {}

    /// The git hosts are others now.
    record Hosts(List<Host> hosts) implements ToGateway {}

    /// Who turns names into addresses instead of the system; see `config.SecureResolver`.
    record Resolver(String dial, String name, Optional<String> caPem) {}

    /// A git host as the gateway needs it; see `config.GitHost`.
    record Host(String name, String kind, Optional<String> caPem, Optional<String> dial) {}

    /// A message that descriptors travel with, on their own socket, numbered from
    /// `firstDescriptor`.
    sealed interface Carrying extends ToGateway {
        long firstDescriptor();

        int descriptors();

        /// The same with the right number.
        Message from(long first);
    }

    /// A session begins or its rights change. `listeners` descriptors, in this order, travel on the
    /// descriptor socket, numbered from `firstDescriptor`; the list is empty when only the rights
    /// change. `notices` are sentences of the warden's for those inside.
    record Attach(
            String session,
            String sandbox,
            Rights rights,
            List<HostSecret> secrets,
            List<InjectedSecret> injected,
            Optional<Authority> authority,
            Spent spent,
            long firstDescriptor,
            List<ListenerKind> listeners,
            List<String> notices)
            implements Carrying {
        @Override
        public int descriptors() {
            return listeners.size();
        }

        @Override
        public Attach from(long first) {
            return new Attach(
                    session, sandbox, rights, secrets, injected, authority, spent, first, listeners,
                    notices);
        }

        /// Overwrites the secrets in it; called when it has been sent.
        public void wipe() {
            secrets.forEach(HostSecret::wipe);
            injected.forEach(InjectedSecret::wipe);
            authority.ifPresent(known -> known.key().wipe());
        }
    }

    /// The listeners that an attached session has besides those of [Attach], all of them: what it
    /// had before and is not named here is closed, with the connections that came in from the host.
    /// Their descriptors travel in this order, `outward` first.
    record Ports(String session, long firstDescriptor, List<Outward> outward, List<Inward> inward)
            implements Carrying {
        @Override
        public int descriptors() {
            return outward.size() + inward.size();
        }

        @Override
        public Ports from(long first) {
            return new Ports(session, first, outward, inward);
        }
    }

    /// A socket inside the sandbox, for a port of hosts that its rules list.
    record Outward(String address, int port) {}

    /// A socket of the host that leads to a port of the sandbox's loopback.
    record Inward(String address, int hostPort, int insidePort) {}

    /// Sockets of the sandbox's network namespace that are not connected yet, to be connected to
    /// published ports.
    record Sockets(String session, long firstDescriptor, int descriptors) implements Carrying {
        @Override
        public Sockets from(long first) {
            return new Sockets(session, first, descriptors);
        }
    }

    /// The gateway runs out of [Sockets] for a session that has published ports.
    record SocketsWanted(String session) implements ToWarden {}

    /// What the session may do.
    ///
    /// @param git how git is set up inside, to be told to those who ask
    record Rights(
            List<GrantText> grants, List<EgressText> egress, boolean learn, GitSettings git) {}

    /// What the session has used before, so that no budget begins anew with a new gateway.
    record Spent(long requests, long bytesUp, long bytesDown) {}

    /// A secret that a rule of the session injects into requests to the one host it belongs to.
    ///
    /// @param login what it is renewed with, if it is an access token
    record InjectedSecret(String name, String host, Secret secret, Optional<Renewable> login) {
        void wipe() {
            secret.wipe();
            login.ifPresent(known -> known.login().wipe());
        }
    }

    /// What an access token is renewed with, and how the endpoint is reached.
    ///
    /// @param since when the access token was stored, in ISO 8601
    /// @param version another one for whatever is stored
    record Renewable(
            LoginText login,
            String since,
            String version,
            boolean privateAddresses,
            Optional<String> dial,
            Optional<String> ca) {}

    /// What certificates for inspected hosts are signed with; the sandbox trusts it and nobody else
    /// does.
    ///
    /// @param key PKCS #8 in Base64
    record Authority(String certificatePem, Secret key) {}

    /// The secret that may be written into requests to one git host, or one of several tokens that
    /// were minted for it.
    ///
    /// @param secret absent for a token that is to be minted, or cannot be
    /// @param minted absent for a secret that is good for whatever the session may do there
    record HostSecret(
            String host, String user, Optional<Secret> secret, Optional<MintedFor> minted) {
        /// One that a person stored.
        public static HostSecret stored(String host, String user, Secret secret) {
            return new HostSecret(host, user, Optional.of(secret), Optional.empty());
        }

        void wipe() {
            secret.ifPresent(Secret::wipe);
        }
    }

    /// What a token is good for.
    ///
    /// @param use `git` or `api`
    /// @param repos as in grants
    /// @param access of git: `read` or `write`
    /// @param failed whether it cannot be minted just now
    record MintedFor(String use, List<String> repos, String access, boolean failed) {}

    /// The session has ended: close its listeners and connections now, and forget its secrets.
    record Detach(String session) implements ToGateway {}

    /// Share the objects of a repository with a session's sandbox.
    ///
    /// @param repo `host/owner/name`
    /// @param directory empty, the gateway's to write, and mounted read-only in that sandbox
    record Lend(String session, String repo, String directory) implements ToGateway {}

    /// How far [Lend] is, at most once a second.
    ///
    /// @param receivedBytes what has come from upstream
    /// @param indexedPercent how much of it is in the copy; 0 while more comes
    record Lending(String session, long receivedBytes, int indexedPercent) implements ToWarden {}

    /// What came of [Lend].
    record Lent(String session, boolean shared) implements ToWarden {}

    /// The gateway has its configuration and can take sessions.
    record Ready() implements ToWarden {}

    /// The listeners of a session accept connections.
    record Attached(String session) implements ToWarden {}

    /// A permitted operation succeeded; counts as use of the session.
    ///
    /// @param pushes how many of the operations were pushes that upstream took
    record Used(String session, long requests, long bytesUp, long bytesDown, long pushes)
            implements ToWarden {}

    /// How the gateway is doing; every few seconds.
    ///
    /// @param values one for each [Figure], in their order
    /// @param requests how many ended since the last such message, by how long they took
    record Figures(List<Long> values, List<Long> requests) implements ToWarden {}

    /// The endpoint of a login has given new tokens. The gateway uses none of them before they come
    /// back with an [Attach].
    ///
    /// @param session one that holds the login
    /// @param secret the login's name
    /// @param version of the tokens that these take the place of
    /// @param refresh absent when the present one stays good
    /// @param expires of the access token, in ISO 8601
    record LoginRenewed(
            String session,
            String secret,
            String version,
            Secret access,
            Optional<Secret> refresh,
            Optional<String> expires)
            implements ToWarden {
        /// Overwrites the tokens in it.
        public void wipe() {
            access.wipe();
            refresh.ifPresent(Secret::wipe);
        }
    }

    /// What became of [LoginRenewed]. Whatever the sessions have to know was sent before.
    ///
    /// @param version as it was said there
    /// @param settled whether the tokens are on disk, or of no use to anybody, because the login is
    ///   another one by now or gone; if not, they could not be stored and may be sent again
    record LoginStored(String version, boolean settled) implements ToGateway {}

    /// A person has to say yes before something happens that a session's rules allow.
    ///
    /// @param id random, and of the form that [dev.sallyport.approval.OpenQuestion] requires
    record Ask(String session, String id, Question question) implements ToWarden {}

    /// Nobody waits for the answer to [Ask] any more.
    record Withdraw(String session, String id) implements ToWarden {}

    /// What became of [Ask]; recorded before it is sent.
    ///
    /// @param digest of the question that was answered
    /// @param note of the person for those inside; may be empty
    record Answered(String id, String digest, Outcome outcome, String note) implements ToGateway {}

    /// The port at which sandboxes of other machines come in. One descriptor travels with it when
    /// the port is opened, none when only what it goes by has changed.
    ///
    /// @param chainPem the gateway's certificate, and what signed it
    /// @param key of that certificate: PKCS #8 in Base64
    /// @param authorities whose session certificates are good (PEM)
    /// @param hostKeys of the hosts that may ask for sessions, in Base64
    /// @param codes ids of the enrolment codes that are open
    /// @param pods whether pods of a cluster may come
    record PublicPort(
            String chainPem,
            Secret key,
            List<String> authorities,
            List<String> hostKeys,
            List<String> codes,
            boolean pods,
            long firstDescriptor,
            int descriptors)
            implements Carrying {
        @Override
        public PublicPort from(long first) {
            return new PublicPort(
                    chainPem, key, authorities, hostKeys, codes, pods, first, descriptors);
        }
    }

    /// There is no such port any more. Its connections end, too.
    record PublicPortClosed() implements ToGateway {}

    /// The certificates by which a session of another machine is known, all of them; connections
    /// with others end.
    record Badges(String session, List<Badge> badges) implements ToGateway {}

    /// A certificate.
    ///
    /// @param sha256 of the whole certificate, in hexadecimal digits
    /// @param expires in ISO 8601
    record Badge(String sha256, String expires) {}

    /// A host has sent a request to the public port. Only its form was looked at.
    ///
    /// @param text as it came
    record Knock(long id, String text) implements ToWarden {}

    /// What is to be answered to [Knock].
    record Reply(long id, int status, String json) implements ToGateway {}

    /// To a sidecar: whose connections it carries, and whether ports are published.
    record Carry(String session, boolean publishes) implements ToGateway {}

    /// A sidecar has a new key.
    ///
    /// @param key the public one, in Base64
    /// @param proof by the key before, in Base64; empty for the first
    record CertificateWanted(String session, String key, String proof) implements ToWarden {}

    /// To a sidecar: a certificate.
    ///
    /// @param key that it is for, as in [CertificateWanted]
    /// @param gateway that knows it, `host:port`; connections to another one end
    /// @param authorities one of which has signed the gateway's certificate (PEM)
    record Certified(
            String session,
            String key,
            String certificatePem,
            String gateway,
            List<String> authorities)
            implements ToGateway {}

    /// A sidecar, which has no network, needs a connection to its gateway. One wish at a time.
    record LineWanted(String session) implements ToWarden {}

    /// What became of [LineWanted]: a connection on which nothing was said, or the trouble.
    record Line(String session, String trouble, long firstDescriptor, int descriptors)
            implements Carrying {
        @Override
        public Line from(long first) {
            return new Line(session, trouble, first, descriptors);
        }
    }

    /// How a sidecar gets on.
    ///
    /// @param trouble empty while it is connected to the gateway
    /// @param refused whether the gateway does not know its certificate
    record CarriedBy(String session, String trouble, boolean refused) implements ToWarden {}

    /// What has passed through a published port at a sidecar; see `session.PortTraffic`. A gateway
    /// has it recorded.
    record PortUsed(
            String session,
            int hostPort,
            int insidePort,
            long connections,
            long bytesIn,
            long bytesOut)
            implements ToWarden {}
}
