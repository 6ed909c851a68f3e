package dev.sallyport.policy;

import java.util.Optional;

/// Proof that the policy allowed connections to one port of one host.
public final class EgressPermit implements Permit {
    private final SessionId session;
    private final HostName host;
    private final int port;
    private final EgressRule rule;
    private final Ground ground;

    /// Why a connection is allowed.
    enum Ground {
        RULE,
        LEARNING,
        GRANT,
        RENEWAL,
        DOWNLOAD,
        STORAGE,
        MINTING,
        REVIEW
    }

    EgressPermit(SessionId session, HostName host, int port, EgressRule rule, Ground ground) {
        this.session = session;
        this.host = host;
        this.port = port;
        this.rule = rule;
        this.ground = ground;
    }

    @Override
    public SessionId session() {
        return session;
    }

    @Override
    public HostName host() {
        return host;
    }

    public int port() {
        return port;
    }

    public Reach reach() {
        return rule.reach();
    }

    public Optional<Inspection> inspection() {
        return rule.inspection();
    }

    /// Whether whatever is said passes, which nobody here can judge.
    public boolean isTcp() {
        return rule.tcp();
    }

    /// Whether a person has to say yes first: to each request, or to a connection that is not
    /// inspected.
    public boolean asks() {
        return rule.ask() || inspection().filter(Inspection::ask).isPresent();
    }

    /// Whether a person has to say yes to what was allowed without that by an earlier one.
    public boolean asksUnlike(EgressPermit earlier) {
        return asks() && !earlier.asks();
    }

    /// Whether another one is reached in the same way, with the same secret or none.
    public boolean isLike(EgressPermit other) {
        return host.equals(other.host)
                && port == other.port
                && reach().equals(other.reach())
                && injection().equals(other.injection());
    }

    /// Whether another one says the same about bodies.
    public boolean judgesBodiesLike(EgressPermit other) {
        return json().equals(other.json()) && bytesMax().equals(other.bytesMax());
    }

    private JsonRules json() {
        return inspection().map(Inspection::json).orElse(JsonRules.NONE);
    }

    private Optional<Long> bytesMax() {
        return inspection().flatMap(Inspection::requestBytesMax);
    }

    private Optional<Injection> injection() {
        return inspection().flatMap(Inspection::injection);
    }

    /// Whether it is for single pages of a host that is somebody else's ([SecretHosts]).
    public boolean isForPages() {
        return SecretHosts.arePages(rule);
    }

    /// The rule in the words of the file, for the record.
    public String origin() {
        return rule.origin();
    }

    /// Whether no rule covers it and it passes only because the session learns.
    public boolean learned() {
        return ground == Ground.LEARNING;
    }

    /// Whether it is good for the git door and for nothing else: the host is one that the session
    /// has repositories of, and no rule names it.
    public boolean isForGit() {
        return ground == Ground.GRANT;
    }

    /// Whether it is good for renewing a login there, which the gateway does by itself, and for
    /// nothing that a sandbox asks for.
    public boolean isForRenewal() {
        return ground == Ground.RENEWAL;
    }

    /// Whether it is good for what an API has redirected the gateway to, and for nothing else.
    public boolean isForDownload() {
        return ground == Ground.DOWNLOAD;
    }

    /// Whether it is good for objects of Git LFS that a git host keeps there, and for nothing else.
    public boolean isForStorage() {
        return ground == Ground.STORAGE;
    }
}
