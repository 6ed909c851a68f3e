package dev.sallyport.workspace;

import dev.sallyport.confine.HeldFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/// The paths in an index of git's, as `gitformat-index` describes it. Git checks a path when it
/// enters one, but not when it writes the files of an index that somebody else wrote: a path below
/// `.git` or `..` becomes a hook, or a file outside, at the next `git checkout .`.
final class GitIndex {
    static final int BYTES_MAX = 32 << 20;

    private static final int SIGNATURE = 0x44495243;
    private static final int OFFSETS = 0x49454f54;
    private static final int END = 0x454f4945;
    private static final int END_BYTES = 32;
    private static final int ENTRY_BYTES_MIN = 12;
    private static final int STAT_BYTES = 40;
    private static final int NAME_LENGTH = 0x0fff;
    private static final int EXTENDED = 0x4000;
    private static final int MARKS_MAX = 100;
    private static final Set<String> NEVER = Set.of(".", "..", ".git");

    private final ByteBuffer in;
    private final int hashBytes;
    private int version;
    private byte[] name = {};

    private GitIndex(byte[] bytes, int hashBytes) {
        in = ByteBuffer.wrap(bytes);
        this.hashBytes = hashBytes;
    }

    /// The paths that git itself would never enter.
    ///
    /// @param hashBytes of an object's id in this repository
    static Set<String> strange(Path file, int hashBytes) throws IOException {
        try (InputStream in = HeldFile.open(file)) {
            return new GitIndex(in.readNBytes(BYTES_MAX), hashBytes).strange();
        } catch (BufferUnderflowException
                | IndexOutOfBoundsException
                | IllegalArgumentException e) {
            throw new IOException("the index ends early", e);
        }
    }

    private Set<String> strange() throws IOException {
        int signature = in.getInt();
        version = in.getInt();
        int entries = in.getInt();
        require(signature == SIGNATURE && version >= 2 && version <= 4);
        require(entries >= 0 && entries <= in.remaining() / ENTRY_BYTES_MIN);
        Set<String> strange = new TreeSet<>();
        int[] starts = new int[entries];
        for (int i = 0; i < entries; i++) {
            starts[i] = in.position();
            readEntry();
            String path = new String(name, StandardCharsets.ISO_8859_1);
            if (isStrange(path) && strange.size() < MARKS_MAX) {
                strange.add(path);
            }
        }
        readExtensions(starts);
        return strange;
    }

    private static void require(boolean holds) throws IOException {
        if (!holds) {
            throw new IOException("git does not write such an index");
        }
    }

    private static boolean isStrange(String path) {
        return path.startsWith("/")
                || path.contains("//")
                || path.indexOf(0) >= 0
                || Arrays.stream(path.toLowerCase(Locale.ROOT).split("/", -1))
                        .anyMatch(NEVER::contains);
    }

    private void readEntry() throws IOException {
        int start = in.position();
        skip(STAT_BYTES + hashBytes);
        int flags = in.getShort();
        if ((flags & EXTENDED) != 0) {
            skip(Short.BYTES);
        }
        // From version 4 on, a name says how much of the one before it has in common with it.
        byte[] common =
                version == 4 ? Arrays.copyOf(name, name.length - readNumber(name.length)) : name;
        int kept = version == 4 ? common.length : 0;
        int length = flags & NAME_LENGTH;
        int more = length < NAME_LENGTH ? length - kept : lengthToNul();
        require(more >= 0 && more <= in.remaining());
        name = Arrays.copyOf(common, kept + more);
        in.get(name, kept, more);
        require(in.get() == 0);
        if (version < 4) {
            skip((8 - (in.position() - start) % 8) % 8);
        }
    }

    private int readNumber(int max) throws IOException {
        int b = in.get();
        long number = b & 127;
        while ((b & 128) != 0 && number <= max) {
            b = in.get();
            number = ((number + 1) << 7) + (b & 127);
        }
        require(number <= max);
        return (int) number;
    }

    private int lengthToNul() {
        int at = in.position();
        while (in.get(at) != 0) {
            at++;
        }
        return at - in.position();
    }

    private void skip(int bytes) {
        in.position(in.position() + bytes);
    }

    /// Git with threads reads the entries where an extension says that they are. It looks for that
    /// one in a fixed place, where it does not write it if ids are long.
    private void readExtensions(int[] starts) throws IOException {
        int first = in.position();
        int trailer = in.limit() - hashBytes;
        int end = trailer - END_BYTES;
        boolean ends = end >= first && in.getInt(end) == END;
        while (in.position() < trailer) {
            int at = in.position();
            int signature = in.getInt();
            int bytes = in.getInt();
            require(bytes >= 0 && bytes <= trailer - in.position());
            if (signature == OFFSETS) {
                requireOffsets(in.slice(in.position(), bytes), starts);
            } else if (signature == END) {
                require(in.getInt(in.position()) == first);
                ends &= at != end;
            }
            skip(bytes);
        }
        require(!ends);
    }

    private static void requireOffsets(ByteBuffer offsets, int[] starts) throws IOException {
        offsets.getInt();
        int next = 0;
        while (offsets.hasRemaining()) {
            int offset = offsets.getInt();
            int entries = offsets.getInt();
            require(next < starts.length && offset == starts[next]);
            require(entries > 0 && entries <= starts.length - next);
            next += entries;
        }
    }
}
