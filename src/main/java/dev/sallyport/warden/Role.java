package dev.sallyport.warden;

import java.util.Optional;

/// Who is on the other end of a control connection, as the kernel says.
enum Role {
    /// The person who runs the warden, or root, who could be that person anyway.
    OWNER;

    /// Empty for everybody else: they get no answer at all.
    static Optional<Role> of(int peerUid, int ownUid) {
        return peerUid == 0 || peerUid == ownUid ? Optional.of(OWNER) : Optional.empty();
    }
}
