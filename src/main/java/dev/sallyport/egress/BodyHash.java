package dev.sallyport.egress;

import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Hashes;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Inspection;
import io.netty.buffer.ByteBuf;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Optional;

/// The hash of a body, which is signed with the head of its request. Of a body that was not read it
/// is that of none.
final class BodyHash {
    private final MessageDigest digest;

    private BodyHash(MessageDigest digest) {
        this.digest = digest;
    }

    /// Empty when the permit's rule signs nothing.
    static Optional<BodyHash> of(EgressPermit permit) {
        return permit.inspection()
                .flatMap(Inspection::injection)
                .filter(Injection::isSigned)
                .map(_ -> new BodyHash(Hashes.sha256()));
    }

    /// The next piece, which stays the caller's.
    void add(ByteBuf piece) {
        digest.update(piece.nioBuffer());
    }

    /// Of all that was added; once.
    String hex() {
        return HexFormat.of().formatHex(digest.digest());
    }
}
