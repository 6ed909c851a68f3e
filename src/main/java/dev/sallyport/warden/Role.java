package dev.sallyport.warden;

import java.util.Optional;

/// Who is on the other end of a control connection, as the kernel says.
enum Role {
    /// The person whom the warden works for.
    OWNER,

    /// Root, who may see and end what belongs to another person, and does not enter it: that person
    /// can change what root would run there.
    ROOT;

    /// Empty for everybody else: they get no answer at all.
    static Optional<Role> of(int peerUid, int ownUid) {
        if (peerUid == ownUid) {
            return Optional.of(OWNER);
        }
        return peerUid == 0 ? Optional.of(ROOT) : Optional.empty();
    }
}
