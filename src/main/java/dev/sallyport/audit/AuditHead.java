package dev.sallyport.audit;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// How far the log went, kept beside it, so that lines cut off its end are missed. It is written
/// after the lines it counts are on disk, and therefore never ahead of them.
///
/// One line of fixed length, overwritten in place: that needs no free space and is less than a
/// sector.
record AuditHead(long seq, String hash) {
    private static final Pattern FORM = Pattern.compile("([0-9]{19}) ([0-9a-f]{64})\n");
    private static final int BYTES = 19 + 1 + 64 + 1;

    static Optional<AuditHead> load(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        Ownership.requirePrivateFile(file);
        Matcher matcher =
                FORM.matcher(
                        Files.size(file) == BYTES
                                ? Files.readString(file, StandardCharsets.ISO_8859_1)
                                : "");
        if (!matcher.matches()) {
            throw new ConfigException(
                    file + " does not say how far the audit log went.",
                    "Keep the directory as evidence and move it aside; a new log begins.");
        }
        return Optional.of(new AuditHead(Long.parseLong(matcher.group(1)), matcher.group(2)));
    }

    void save(Path file) throws IOException {
        Ownership.createPrivateFile(file);
        byte[] bytes = String.format("%019d %s\n", seq, hash).getBytes(StandardCharsets.US_ASCII);
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            channel.write(ByteBuffer.wrap(bytes), 0);
            channel.force(false);
        }
    }
}
