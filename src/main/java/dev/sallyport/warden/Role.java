package dev.sallyport.warden;

import java.util.Optional;

/// Who is on the other end of a control connection, as the kernel says.
enum Role {
    /// The person whom the warden works for.
    OWNER,

    /// Root, who may ask for all that the owner may, but to run a command in a sandbox: the owner
    /// can change what root would run there. See [Operations].
    ROOT;

    /// Empty for everybody else: they get no answer at all.
    static Optional<Role> of(int peerUid, int ownUid) {
        if (peerUid == ownUid) {
            return Optional.of(OWNER);
        }
        return peerUid == 0 ? Optional.of(ROOT) : Optional.empty();
    }
}
