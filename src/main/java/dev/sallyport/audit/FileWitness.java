package dev.sallyport.audit;

import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// Adds heads to a file. Its directory is not made: where another disk is not mounted, that must be
/// noticed.
public record FileWitness(Path file) implements Witness {
    @Override
    public void tell(String head) throws IOException {
        Ownership.createPrivateFile(file);
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.APPEND,
                        LinkOption.NOFOLLOW_LINKS)) {
            add(channel, ByteBuffer.wrap(head.getBytes(StandardCharsets.US_ASCII)));
        }
    }

    /// All of it or nothing: half a head would make every later one unreadable.
    private static void add(FileChannel channel, ByteBuffer head) throws IOException {
        long before = channel.size();
        try {
            while (head.hasRemaining()) {
                channel.write(head);
            }
            channel.force(false);
        } catch (IOException e) {
            channel.truncate(before);
            throw e;
        }
    }
}
