package dev.sallyport.policy;

import java.util.Arrays;
import java.util.Optional;

/// Why a request is not served. One list for every door, with the sentence that the sandbox gets on
/// every wire that has room for one; how else a wire renders it is one exhaustive switch.
public enum Refusal {
    /// The repository is not granted, whether it exists or not: nobody can probe.
    REPO_UNAVAILABLE(
            "this repository is not available to this sandbox; see http://gateway.sallyport/policy"),
    /// The repository is granted for reading; that is no secret to who can fetch from it.
    REPO_READ_ONLY(
            "this repository is read-only for this sandbox; see http://gateway.sallyport/policy"),
    /// The API of the repository is granted, but not for this.
    OPERATION_NOT_ALLOWED(
            "this API operation is not allowed to this sandbox; see http://gateway.sallyport/policy"),
    /// The path is none of the endpoints that exist.
    NO_SUCH_ENDPOINT("there is nothing at this path; see http://gateway.sallyport/policy"),
    METHOD_NOT_ALLOWED("this method is not allowed here"),
    /// Well-formed HTTP, but not what this endpoint takes.
    BAD_REQUEST("this request is not valid here"),
    /// A body, or what follows it, that can be read in two ways. Its head was fine and may have
    /// gone upstream; its end never does.
    MALFORMED_BODY("the request body is malformed"),
    BODY_TOO_LARGE("the request body is too large; send less at once"),
    HEAD_TOO_LARGE("the request head is too large"),
    TOO_MANY_REQUESTS("this sandbox sends too many requests; wait a second and try again"),
    REQUEST_TIMEOUT("the request took too long to arrive"),
    /// Git is granted, but large files are not, or not in this direction.
    LFS_NOT_ALLOWED(
            "Git LFS is not allowed for this repository; see http://gateway.sallyport/policy, and set GIT_LFS_SKIP_SMUDGE=1 to work without large files"),
    LFS_LOCKS_READ_ONLY("locks can be listed, not created or removed, from this sandbox"),
    LFS_OBJECT_TOO_LARGE("a large file is larger than allowed"),
    /// What was uploaded does not have the hash or the size that it was announced with.
    LFS_OBJECT_MISMATCH("the uploaded object is not the one that its id and size name"),
    /// A pushed commit has a pointer whose object upstream does not have.
    LFS_OBJECT_MISSING(
            "a commit names a large file that the git host does not have; run: git lfs push --all origin"),
    /// The bytes that a session may upload, whether pushes name them or not, are used up.
    LFS_UPLOADS_SPENT("this sandbox has uploaded as many large files as it may"),
    /// The git host names another host than those that it is known to keep objects at.
    LFS_STORAGE_NOT_ALLOWED(
            Fault.UPSTREAM, "the git host keeps this object at a host that is not allowed"),
    /// Where to transfer an object is not known, or not any more.
    LFS_ACTION_GONE("the transfer link is unknown or has expired; try again"),
    /// The repository names its objects by SHA-256.
    SHA256_NOT_SUPPORTED(Fault.UPSTREAM, "SHA-256 repositories are not supported"),
    /// A ref of the push is outside the granted patterns.
    REF_NOT_ALLOWED("this ref is not allowed to be pushed; see http://gateway.sallyport/policy"),
    /// A ref of the push opens a review without a branch (`refs/for/…`).
    REVIEW_REF_NOT_ALLOWED(
            "refs that open reviews cannot be pushed; push a branch and open a pull request or"
                    + " merge request from it"),
    /// An option of the push is none that can be allowed, or is not allowed here.
    PUSH_OPTION_NOT_ALLOWED("a push option is not allowed; see http://gateway.sallyport/policy"),
    /// The name of a ref is git's, but not UTF-8, or has characters that nobody sees.
    REF_NAME_NOT_ALLOWED("the ref name is not valid UTF-8 or has invisible characters; rename it"),
    /// One push changes more refs than the limits allow.
    TOO_MANY_REFS("the push changes too many refs; push fewer at once"),
    DELETE_NOT_ALLOWED("deleting refs is not allowed"),
    TAG_NOT_ALLOWED("pushing tags is not allowed"),
    /// The ref is not where the push says it is; somebody else moved it, or nobody did.
    STALE_REF("the remote ref has moved; fetch first, then push again"),
    /// The push would drop commits that a branch has, or move a tag.
    FORCE_NOT_ALLOWED(
            "a push that drops commits (force) is not allowed; push on top of the remote branch"),
    /// A branch can only point to a commit.
    NOT_A_COMMIT("a branch can only point to a commit"),
    PATH_NOT_ALLOWED("a commit changes a path that is not allowed"),
    FILE_TOO_LARGE("a file is too large"),
    TOO_MANY_COMMITS("the push has too many new commits; push fewer at once"),
    SECRET_FOUND("a commit adds what looks like a credential; remove it from the history"),
    AUTHOR_NOT_ALLOWED("a commit has an author or committer that is not allowed"),
    /// The pack holds objects that no pushed ref reaches.
    HIDDEN_OBJECTS("the pack has objects that no pushed ref reaches"),
    /// A pushed ref reaches objects that neither the pack nor upstream has.
    MISSING_OBJECTS(
            "the push lacks objects that are on no upstream branch or tag either; fetch first, then push again"),
    /// The pack is not a well-formed one, or an object in it is not.
    MALFORMED_PACK("the pack, or an object in it, is malformed"),
    /// The pack has more objects, inflates to more or is nested deeper than the limits allow.
    PACK_LIMIT("the pack exceeds a limit; push fewer commits at once"),
    JUDGEMENT_TIMEOUT("checking the push took too long; push fewer commits at once"),
    /// The push's command list is not the one accepted form.
    MALFORMED_PUSH("the push is not in a form that is accepted here"),
    /// What the session may do was changed while the request was on its way.
    RIGHTS_CHANGED("the rules of this sandbox have just changed; try again"),
    /// A rule has a person asked, and the person said no.
    APPROVAL_DENIED("a person was asked and said no; do not try again unchanged"),
    APPROVAL_EXPIRED(
            "a person has to say yes to this first, and nobody answered in time; tell the person who runs this sandbox, then try again"),
    /// As many questions wait as may, or there is nobody to ask.
    APPROVAL_UNAVAILABLE(
            "a person has to say yes to this first, and cannot be asked now; wait until earlier requests of this sandbox are answered, then try again"),
    SESSION_ENDED("the session of this sandbox has ended"),
    /// The host name is not part of the policy.
    NAME_NOT_ALLOWED("this host is not allowed; see http://gateway.sallyport/policy"),
    /// The host is, but not this port of it.
    PORT_NOT_ALLOWED("this port of the host is not allowed; see http://gateway.sallyport/policy"),
    /// The name that was dialled, the one in the TLS hello and the one in Host are not one.
    NAMES_DISAGREE("the request names another host than the connection"),
    /// What should be a TLS hello is none, hides its name, or is not one that is accepted.
    BAD_HELLO("the connection does not start with a TLS hello that is accepted"),
    URL_NOT_ALLOWED("this path of the host is not allowed; see http://gateway.sallyport/policy"),
    /// The body's type or what is in it.
    CONTENT_NOT_ALLOWED("the type or content of the request body is not allowed"),
    /// The sandbox brought a credential of its own where only the placeholder may be, or in a
    /// parameter of the query.
    CREDENTIAL_NOT_ALLOWED(
            "a sandbox must not send a credential of its own; send the placeholder that http://gateway.sallyport/policy names, or nothing"),
    UPGRADE_NOT_ALLOWED("changing the protocol of this connection is not allowed"),
    /// The bytes, requests or connections that a session or a host of it may use are used up.
    BUDGET_SPENT("this sandbox has used up what it may transfer; tell the person who runs it"),
    /// The name leads to addresses that may not be dialled, and to no other.
    ADDRESS_NOT_ALLOWED(Fault.UPSTREAM, "the host name leads to an address that is not allowed"),
    /// Upstream wants a credential and did not take ours: it is wrong, expired or revoked.
    CREDENTIAL_REFUSED(
            Fault.UPSTREAM,
            "the git host refused the credential, which may be wrong, expired or revoked; the person who runs this sandbox can replace it: sallyport secret rotate NAME < FILE"),
    /// Upstream wants a credential and there is none for it.
    CREDENTIAL_MISSING(
            Fault.UPSTREAM,
            "the git host wants a credential and Sallyport has none; the person who runs this sandbox can add it: sallyport secret set NAME --host HOST < FILE"),
    /// The provider does not renew a login any more.
    LOGIN_EXPIRED(
            Fault.UPSTREAM,
            "the login that Sallyport holds for this host has expired or was revoked; the person who runs this sandbox must log in again and run: sallyport secret rotate NAME < FILE"),
    /// A login has to be renewed, and the provider cannot be asked just now.
    LOGIN_NOT_RENEWED(
            Fault.UPSTREAM,
            "the login that Sallyport holds for this host could not be renewed; try again later"),
    /// The host did not take a login, which therefore was renewed; the body is not kept for a
    /// second time.
    LOGIN_RENEWED(
            Fault.UPSTREAM,
            "the login that Sallyport holds for this host was renewed; send the request again"),
    /// A token of a GitHub App has to be minted, and GitHub gives none.
    TOKEN_NOT_MINTED(
            Fault.UPSTREAM,
            "the git host did not issue a token for the GitHub App for this repository; the person who runs this sandbox can see why: sallyport show NAME"),
    /// Upstream knows who asks and does not allow it.
    UPSTREAM_FORBIDDEN(
            Fault.UPSTREAM,
            "the git host does not allow this with the credential that Sallyport holds; check what the credential may do"),
    /// The repository is granted, but upstream has none of this name, or hides it from us.
    REPO_NOT_FOUND(
            Fault.UPSTREAM,
            "the git host has no such repository, or the credential may not see it; check both"),
    /// What was sent is more than upstream takes.
    UPSTREAM_TOO_LARGE(
            Fault.UPSTREAM,
            "the git host does not accept a request of this size; push fewer commits at once"),
    /// Upstream gets too many requests.
    UPSTREAM_BUSY(Fault.UPSTREAM, "the git host gets too many requests; wait and try again"),
    /// Upstream says that it has an error of its own.
    UPSTREAM_FAILED(Fault.UPSTREAM, "the git host has an error; try again later"),
    UPSTREAM_UNREACHABLE(Fault.UPSTREAM, "the upstream host cannot be reached; try again later"),
    /// Nothing was said to it but hello: another host may be in its place.
    UPSTREAM_UNTRUSTED(
            Fault.UPSTREAM,
            "the certificate of the upstream host is not trusted; if a company's or test CA signed it, the person who runs this sandbox sets ca-file for the host in policy.yaml"),
    UPSTREAM_TIMEOUT(Fault.UPSTREAM, "the upstream host did not answer in time; try again later"),
    /// Upstream answered with something that is not what was asked for: to git, a redirect or a
    /// wrong type; to others, a secret that was injected, DNS, or an upgrade; to all, garbage.
    UPSTREAM_MISBEHAVED(Fault.UPSTREAM, "the upstream host gave an answer that is not passed on"),
    /// The decision could not be recorded, so it has no effect.
    NOT_RECORDED(
            Fault.GATEWAY,
            "the decision could not be recorded, so nothing was done; tell the person who runs this sandbox"),
    /// There is no room on the machine's disk for the record or for the pack.
    DISK_FULL(
            Fault.GATEWAY,
            "the disk of the machine that runs this sandbox is full, so nothing was done; tell the person who runs this sandbox"),
    /// The local copy of the repository, against which pushes are judged, cannot be had.
    MIRROR_UNAVAILABLE(
            Fault.GATEWAY,
            "the repository could not be copied to check the push; tell the person who runs this sandbox"),
    GATEWAY_BUSY(Fault.GATEWAY, "the gateway is busy; wait a second and try again"),
    INTERNAL(
            Fault.GATEWAY,
            "the gateway has an internal error; tell the person who runs this sandbox");

    /// Who has to change something.
    public enum Fault {
        SANDBOX,
        UPSTREAM,
        GATEWAY
    }

    private final Fault fault;
    private final String sentence;

    /// The sandbox's own, as most are.
    Refusal(String sentence) {
        this(Fault.SANDBOX, sentence);
    }

    Refusal(Fault fault, String sentence) {
        this.fault = fault;
        this.sentence = sentence;
    }

    /// The one with this code, as it stands in the record.
    public static Optional<Refusal> of(String code) {
        return Arrays.stream(values()).filter(r -> r.code().equals(code)).findFirst();
    }

    /// What is wrong and what to do, without a full stop.
    public String sentence() {
        return sentence;
    }

    public Fault fault() {
        return fault;
    }

    /// The reason code as it appears on wires and in the audit.
    public String code() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
}
