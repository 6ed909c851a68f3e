package dev.sallyport.lfs;

import dev.sallyport.policy.Hashes;
import dev.sallyport.policy.Refusal;
import dev.sallyport.relay.BodySource;
import dev.sallyport.relay.RefusedException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// An object on its way to the store, hashed as it passes. The piece with its last byte is held
/// back until the hash is known: of an object that is not what it is called, the store never sees
/// the end.
final class HashedBody implements BodySource {
    private final LfsObject object;
    private final MessageDigest digest = Hashes.sha256();
    private final Deque<ByteBuf> pieces = new ArrayDeque<>();
    private long taken;
    private long passed;
    private boolean verified;

    HashedBody(LfsObject object) {
        this.object = object;
    }

    @Override
    public void offer(ByteBuf piece) throws RefusedException {
        taken += piece.readableBytes();
        if (taken > object.size()) {
            piece.release();
            throw mismatch();
        }
        for (ByteBuffer part : piece.nioBuffers()) {
            digest.update(part);
        }
        if (piece.isReadable()) {
            pieces.add(piece);
        } else {
            piece.release();
        }
    }

    @Override
    public void finish() throws RefusedException {
        String hash = HexFormat.of().formatHex(digest.digest());
        if (taken != object.size() || !hash.equals(object.oid().hex())) {
            throw mismatch();
        }
        verified = true;
    }

    private static RefusedException mismatch() {
        return new RefusedException(Refusal.LFS_OBJECT_MISMATCH, "another object");
    }

    @Override
    public @Nullable ByteBuf poll() {
        ByteBuf next = pieces.peek();
        if (next == null || (!verified && passed + next.readableBytes() >= object.size())) {
            return null;
        }
        passed += next.readableBytes();
        return pieces.poll();
    }

    @Override
    public boolean isDone() {
        return verified && pieces.isEmpty();
    }

    boolean isVerified() {
        return verified;
    }

    @Override
    public void release() {
        pieces.forEach(ByteBuf::release);
        pieces.clear();
    }
}
