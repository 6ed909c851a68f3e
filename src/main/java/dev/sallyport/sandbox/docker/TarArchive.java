package dev.sallyport.sandbox.docker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// The little of the tar format (POSIX `ustar`) that the engine's API for files needs: it is the
/// only way to say whom a file belongs to.
final class TarArchive {
    private static final int BLOCK = 512;
    private static final int SIZE = 124;
    private static final int CHECKSUM = 148;
    private static final int TYPE = 156;
    private static final int CHECKSUM_CHARS = 8;

    private final ByteArrayOutputStream archive = new ByteArrayOutputStream();

    TarArchive directory(String path, int mode, long uid, long gid) {
        archive.writeBytes(head(path + "/", mode, new long[] {uid, gid, 0}, '5'));
        return this;
    }

    /// One of root's.
    TarArchive file(String path, int mode, String content) {
        byte[] bytes = content.getBytes(StandardCharsets.ISO_8859_1);
        archive.writeBytes(head(path, mode, new long[] {0, 0, bytes.length}, '0'));
        archive.writeBytes(Arrays.copyOf(bytes, (bytes.length + BLOCK - 1) / BLOCK * BLOCK));
        return this;
    }

    byte[] bytes() {
        byte[] files = archive.toByteArray();
        return Arrays.copyOf(files, files.length + 2 * BLOCK);
    }

    /// @param numbers user, group, size
    private static byte[] head(String path, int mode, long[] numbers, char type) {
        byte[] head = new byte[BLOCK];
        put(head, 0, path);
        put(head, 100, "%07o".formatted(mode));
        putNumber(head, 108, numbers[0]);
        putNumber(head, 116, numbers[1]);
        put(head, SIZE, "%011o".formatted(numbers[2]));
        put(head, 136, "%011o".formatted(0));
        head[TYPE] = (byte) type;
        put(head, 257, "ustar\00000");
        Arrays.fill(head, CHECKSUM, CHECKSUM + CHECKSUM_CHARS, (byte) ' ');
        int sum = 0;
        for (byte b : head) {
            sum += b & 0xff;
        }
        put(head, CHECKSUM, "%06o\0".formatted(sum));
        return head;
    }

    /// Octal as long as it fits into seven digits; else binary, marked by the highest bit.
    private static void putNumber(byte[] head, int offset, long number) {
        if (number < 1 << 21) {
            put(head, offset, "%07o".formatted(number));
            return;
        }
        head[offset] = (byte) 0x80;
        for (int i = 0; i < 4; i++) {
            head[offset + 4 + i] = (byte) (number >> (24 - 8 * i));
        }
    }

    private static void put(byte[] head, int offset, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(bytes, 0, head, offset, bytes.length);
    }

    /// Content of the first entry; nothing when it is no plain file.
    static Optional<String> firstFile(InputStream archive, int bytesMax) throws IOException {
        byte[] head = archive.readNBytes(BLOCK);
        if (head.length < BLOCK || (head[TYPE] != '0' && head[TYPE] != 0)) {
            return Optional.empty();
        }
        String digits = new String(head, SIZE, 11, StandardCharsets.ISO_8859_1).strip();
        long size = Long.parseLong(digits, 8);
        if (size > bytesMax) {
            throw new IOException("the file is too large");
        }
        byte[] content = archive.readNBytes((int) size);
        if (content.length < size) {
            throw new IOException("the archive ends early");
        }
        return Optional.of(new String(content, StandardCharsets.ISO_8859_1));
    }
}
