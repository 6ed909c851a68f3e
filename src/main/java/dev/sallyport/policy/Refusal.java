package dev.sallyport.policy;

/// Why a request is not served. One list for every door; each wire renders it in one exhaustive
/// switch.
public enum Refusal {
    /// The repository or the direction is not granted. One reason, so that nobody can probe.
    REPO_UNAVAILABLE(Fault.SANDBOX),
    /// The path is none of the endpoints that exist.
    NO_SUCH_ENDPOINT(Fault.SANDBOX),
    METHOD_NOT_ALLOWED(Fault.SANDBOX),
    /// Well-formed HTTP, but not what this endpoint takes.
    BAD_REQUEST(Fault.SANDBOX),
    /// A body, or what follows it, that can be read in two ways. Its head was fine and may have
    /// gone upstream; its end never does.
    MALFORMED_BODY(Fault.SANDBOX),
    BODY_TOO_LARGE(Fault.SANDBOX),
    HEAD_TOO_LARGE(Fault.SANDBOX),
    TOO_MANY_REQUESTS(Fault.SANDBOX),
    REQUEST_TIMEOUT(Fault.SANDBOX),
    LFS_NOT_SUPPORTED(Fault.SANDBOX),
    /// The repository names its objects by SHA-256.
    SHA256_NOT_SUPPORTED(Fault.UPSTREAM),
    /// A ref of the push is outside the granted patterns.
    REF_NOT_ALLOWED(Fault.SANDBOX),
    /// The name of a ref is git's, but not UTF-8, or has characters that nobody sees.
    REF_NAME_NOT_ALLOWED(Fault.SANDBOX),
    /// One push changes more refs than the limits allow.
    TOO_MANY_REFS(Fault.SANDBOX),
    DELETE_NOT_ALLOWED(Fault.SANDBOX),
    TAG_NOT_ALLOWED(Fault.SANDBOX),
    /// The ref is not where the push says it is; somebody else moved it, or nobody did.
    STALE_REF(Fault.SANDBOX),
    /// The push would drop commits that a branch has, or move a tag.
    FORCE_NOT_ALLOWED(Fault.SANDBOX),
    /// A branch can only point to a commit.
    NOT_A_COMMIT(Fault.SANDBOX),
    PATH_NOT_ALLOWED(Fault.SANDBOX),
    FILE_TOO_LARGE(Fault.SANDBOX),
    TOO_MANY_COMMITS(Fault.SANDBOX),
    SECRET_FOUND(Fault.SANDBOX),
    AUTHOR_NOT_ALLOWED(Fault.SANDBOX),
    /// The pack holds objects that no pushed ref reaches.
    HIDDEN_OBJECTS(Fault.SANDBOX),
    /// A pushed ref reaches objects that neither the pack nor upstream has.
    MISSING_OBJECTS(Fault.SANDBOX),
    /// The pack is not a well-formed one, or an object in it is not.
    MALFORMED_PACK(Fault.SANDBOX),
    /// The pack has more objects, inflates to more or is nested deeper than the limits allow.
    PACK_LIMIT(Fault.SANDBOX),
    JUDGEMENT_TIMEOUT(Fault.SANDBOX),
    /// The push's command list is not the one accepted form.
    MALFORMED_PUSH(Fault.SANDBOX),
    SESSION_ENDED(Fault.SANDBOX),
    /// The host name is not part of the policy.
    NAME_NOT_ALLOWED(Fault.SANDBOX),
    /// The host is, but not this port of it.
    PORT_NOT_ALLOWED(Fault.SANDBOX),
    /// The name that was dialled, the one in the TLS hello and the one in Host are not one.
    NAMES_DISAGREE(Fault.SANDBOX),
    /// What should be a TLS hello is none, hides its name, or is not one that is accepted.
    BAD_HELLO(Fault.SANDBOX),
    URL_NOT_ALLOWED(Fault.SANDBOX),
    /// The body's type or what is in it.
    CONTENT_NOT_ALLOWED(Fault.SANDBOX),
    /// The sandbox brought a credential of its own where only the placeholder may be, or in a
    /// parameter of the query.
    CREDENTIAL_NOT_ALLOWED(Fault.SANDBOX),
    UPGRADE_NOT_ALLOWED(Fault.SANDBOX),
    /// The bytes, requests or connections that a session or a host of it may use are used up.
    BUDGET_SPENT(Fault.SANDBOX),
    /// The name leads to addresses that may not be dialled, and to no other.
    ADDRESS_NOT_ALLOWED(Fault.UPSTREAM),
    /// Upstream wants a credential and did not take ours: it is wrong, expired or revoked.
    CREDENTIAL_REFUSED(Fault.UPSTREAM),
    /// Upstream wants a credential and there is none for it.
    CREDENTIAL_MISSING(Fault.UPSTREAM),
    /// Upstream knows who asks and does not allow it.
    UPSTREAM_FORBIDDEN(Fault.UPSTREAM),
    /// The repository is granted, but upstream has none of this name, or hides it from us.
    REPO_NOT_FOUND(Fault.UPSTREAM),
    /// What was sent is more than upstream takes.
    UPSTREAM_TOO_LARGE(Fault.UPSTREAM),
    /// Upstream gets too many requests.
    UPSTREAM_BUSY(Fault.UPSTREAM),
    /// Upstream says that it has an error of its own.
    UPSTREAM_FAILED(Fault.UPSTREAM),
    UPSTREAM_UNREACHABLE(Fault.UPSTREAM),
    UPSTREAM_TIMEOUT(Fault.UPSTREAM),
    /// Upstream answered with something that is not what was asked for: to git, a redirect or a
    /// wrong type; to others, a secret that was injected, DNS, or an upgrade; to all, garbage.
    UPSTREAM_MISBEHAVED(Fault.UPSTREAM),
    /// The decision could not be recorded, so it has no effect.
    NOT_RECORDED(Fault.GATEWAY),
    /// The local copy of the repository, against which pushes are judged, cannot be had.
    MIRROR_UNAVAILABLE(Fault.GATEWAY),
    GATEWAY_BUSY(Fault.GATEWAY),
    INTERNAL(Fault.GATEWAY);

    /// Who has to change something.
    public enum Fault {
        SANDBOX,
        UPSTREAM,
        GATEWAY
    }

    private final Fault fault;

    Refusal(Fault fault) {
        this.fault = fault;
    }

    public Fault fault() {
        return fault;
    }

    /// The reason code as it appears on wires and in the audit.
    public String code() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
}
