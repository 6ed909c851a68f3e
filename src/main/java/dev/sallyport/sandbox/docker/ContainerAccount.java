package dev.sallyport.sandbox.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxUser;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/// Gives the container's user the person's name, from which git takes the author when it is told to
/// read no files, and a user that the image does not know an account and a home directory, before
/// the container starts: many programs end at once when there is no entry for their number, or
/// write to `/`.
///
/// @param home where it is inside, without the first `/`
record ContainerAccount(DockerEngine engine, String container, String home) {
    private static final String PASSWD = "etc/passwd";
    static final String HOME = "home/sandbox";
    private static final int PASSWD_BYTES_MAX = 1 << 20;

    private static final int NUMBER = 2;
    private static final int FULL_NAME = 4;

    /// @param user whom commands run as, by name or number
    /// @param fullName of who uses it
    void make(ContainerUser user, String fullName) throws SandboxException {
        Optional<String> accounts = engine.ask("read the image's accounts", this::accounts);
        if (accounts.isEmpty()) {
            return;
        }
        if (knows(accounts.get(), user.label())) {
            String named = named(accounts.get(), user.label(), fullName);
            if (!fullName.isEmpty() && !named.equals(accounts.get())) {
                put(new TarArchive().file(PASSWD, 0644, named));
            }
            return;
        }
        Optional<SandboxUser.Numbers> stranger = user.numbers().filter(n -> !n.isRoot());
        if (stranger.isPresent()) {
            put(
                    new TarArchive()
                            .directory(home, 0700, stranger.get().uid(), stranger.get().gid())
                            .file(
                                    PASSWD,
                                    0644,
                                    with(accounts.get(), stranger.get(), fullName, home)));
        }
    }

    private void put(TarArchive archive) throws SandboxException {
        engine.ask(
                "write the container's accounts",
                docker ->
                        docker.copyArchiveToContainerCmd(container)
                                .withTarInputStream(new ByteArrayInputStream(archive.bytes()))
                                .withRemotePath("/")
                                .exec());
    }

    /// Of no account when there is no such file; nothing when it is not a plain one, as where a
    /// link leads into a store of packages.
    private Optional<String> accounts(DockerClient docker) {
        try (InputStream archive =
                docker.copyArchiveFromContainerCmd(container, "/" + PASSWD).exec()) {
            return TarArchive.firstFile(archive, PASSWD_BYTES_MAX);
        } catch (NotFoundException e) {
            return Optional.of("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static boolean knows(String accounts, String user) {
        return accounts.lines().anyMatch(line -> isOf(line, user));
    }

    private static boolean isOf(String line, String user) {
        String[] fields = line.split(":", -1);
        return fields.length > FULL_NAME && (fields[NUMBER].equals(user) || fields[0].equals(user));
    }

    /// The same accounts, of which the user's has this name.
    static String named(String accounts, String user, String fullName) {
        return accounts.lines()
                        .map(line -> isOf(line, user) ? named(line, fullName) : line)
                        .collect(Collectors.joining("\n"))
                + (accounts.endsWith("\n") ? "\n" : "");
    }

    private static String named(String line, String fullName) {
        String[] fields = line.split(":", -1);
        fields[FULL_NAME] = bytes(fullName);
        return String.join(":", fields);
    }

    /// The file is read and written a character for a byte.
    private static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    static String with(String accounts, SandboxUser.Numbers user, String fullName, String home) {
        boolean taken = accounts.lines().anyMatch(line -> line.startsWith("sandbox:"));
        String name = taken ? "sandbox-" + user.uid() : "sandbox";
        String before = accounts.isEmpty() || accounts.endsWith("\n") ? accounts : accounts + "\n";
        return before
                + "%s:x:%d:%d:%s:/%s:/bin/sh\n"
                        .formatted(name, user.uid(), user.gid(), bytes(fullName), home);
    }

    /// The little of the tar format (POSIX `ustar`) that the engine's API for files needs: it is
    /// the only way to say whom a file belongs to.
    static final class TarArchive {
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
}
