package dev.sallyport.mirror;

import dev.sallyport.policy.Hashes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// What a finished file of a copy looks like. Size and change time say cheaply that nobody touched
/// it; if they differ, its whole content is hashed again.
///
/// @param trailer the SHA-1 of all bytes before it, with which packs and indexes end
/// @param changed nanoseconds since 1970 of the last change to the file; unlike the modification
///   time nobody can set it
record PackSeal(long bytes, String trailer, long changed) {
    static final int TRAILER_BYTES = 20;
    private static final int BUFFER_BYTES = 1 << 16;

    /// Reads the whole file.
    ///
    /// @throws CorruptCopyException when it does not end in the digest of its content
    static PackSeal of(Path file) throws IOException {
        PackSeal before = stat(file, "");
        String digest = digest(file, before.bytes() - TRAILER_BYTES);
        return new PackSeal(before.bytes(), digest, before.changed());
    }

    /// Whether the file is the one that was sealed. When it was touched but has the same content,
    /// the new seal says so.
    PackSeal check(Path file) throws IOException {
        PackSeal now = stat(file, trailer);
        if (now.equals(this)) {
            return this;
        }
        if (now.bytes() != bytes || !of(file).trailer().equals(trailer)) {
            throw new CorruptCopyException(file.getFileName() + " was changed");
        }
        return now;
    }

    /// The seal of the same file in another place.
    PackSeal movedTo(Path file) throws IOException {
        return stat(file, trailer);
    }

    private static PackSeal stat(Path file, String trailer) throws IOException {
        Map<String, Object> found =
                Files.readAttributes(
                        file, "unix:size,ctime,isRegularFile", LinkOption.NOFOLLOW_LINKS);
        if (!Boolean.TRUE.equals(found.get("isRegularFile"))
                || !(found.get("size") instanceof Long size)
                || !(found.get("ctime") instanceof FileTime changed)) {
            throw new CorruptCopyException(file.getFileName() + " is not a regular file");
        }
        return new PackSeal(size, trailer, changed.to(TimeUnit.NANOSECONDS));
    }

    private static String digest(Path file, long bytes) throws IOException {
        MessageDigest sha1 = Hashes.sha1();
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream in = Files.newInputStream(file)) {
            for (long left = bytes; left > 0; ) {
                int count = in.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (count < 0) {
                    throw new CorruptCopyException(file.getFileName() + " is cut");
                }
                sha1.update(buffer, 0, count);
                left -= count;
            }
            byte[] digest = sha1.digest();
            if (bytes < 0 || !Arrays.equals(digest, in.readNBytes(TRAILER_BYTES + 1))) {
                throw new CorruptCopyException(file.getFileName() + " does not match its digest");
            }
            return HexFormat.of().formatHex(digest);
        }
    }
}
