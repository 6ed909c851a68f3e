package dev.sallyport.http;

/// What a refusal says in the same words on every wire.
public final class Sentences {
    public static final String CREDENTIAL_REFUSED =
            "the git host refused the credential that Sallyport holds for it; it may be wrong, expired or revoked. Replace it on the host with: sallyport secret rotate NAME < FILE";
    public static final String CREDENTIAL_MISSING =
            "the git host wants a credential and Sallyport has none for it. Add it on the host with: sallyport secret set NAME --host HOST < FILE";
    public static final String UPSTREAM_FORBIDDEN =
            "the git host does not allow this with the credential that Sallyport holds; check what the credential may do, and whether the repository is archived or closed.";
    public static final String REPO_NOT_FOUND =
            "the git host has no such repository, or the credential that Sallyport holds may not see it; check the name and the credential.";
    public static final String UPSTREAM_TOO_LARGE =
            "the git host does not take a request of this size; push fewer commits at once.";
    public static final String UPSTREAM_BUSY =
            "the git host gets too many requests; wait and try again.";
    public static final String UPSTREAM_FAILED =
            "the git host has an error of its own; try again later.";
    public static final String REF_NAME_NOT_ALLOWED =
            "the name of a ref is not valid UTF-8, or has characters that cannot be seen; rename it.";
    public static final String TOO_MANY_REFS =
            "the push changes too many refs at once; push fewer.";

    private Sentences() {}
}
