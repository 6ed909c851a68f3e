package dev.sallyport.policy;

/// The two services of smart HTTP, which are the two directions of a grant.
public enum GitService {
    UPLOAD_PACK("git-upload-pack", Access.READ),
    RECEIVE_PACK("git-receive-pack", Access.WRITE);

    private final String wireName;
    private final Access needs;

    GitService(String wireName, Access needs) {
        this.wireName = wireName;
        this.needs = needs;
    }

    public String wireName() {
        return wireName;
    }

    public Access needs() {
        return needs;
    }
}
