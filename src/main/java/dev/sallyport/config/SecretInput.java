package dev.sallyport.config;

import dev.sallyport.credential.AppKey;
import dev.sallyport.credential.Secret;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Objects;

/// Reads a secret from where a person keeps it: a private file or standard input, never an argument
/// or the environment, which other processes can read.
public final class SecretInput {
    private static final int LOGIN_BYTES_MAX = 64 * 1024;
    private static final int KEY_BYTES_MAX = 16 * 1024;

    private SecretInput() {}

    /// What is done with what a person gave.
    private interface Reading<T> {
        T read(InputStream input) throws IOException;
    }

    /// The file must be the person's own, closed to others, and no symlink, both before and after
    /// it was opened.
    public static Secret read(Path file) throws IOException {
        return open(file, SecretInput::read);
    }

    /// As [#read(Path)] for the document of a login.
    public static LoginDocument readLogin(Path file) throws IOException {
        return open(file, SecretInput::readLogin);
    }

    /// As [#read(Path)] for the private key of a GitHub App.
    public static Secret readAppKey(Path file) throws IOException {
        return open(file, SecretInput::readAppKey);
    }

    /// The private key of a GitHub App in PEM.
    public static Secret readAppKey(InputStream input) throws IOException {
        byte[] bytes = input.readNBytes(KEY_BYTES_MAX + 1);
        try {
            if (bytes.length > KEY_BYTES_MAX) {
                throw new ConfigException(
                        "The key has more than " + KEY_BYTES_MAX + " bytes.",
                        "Give only the .pem file of the App's private key.");
            }
            return AppKey.ofPem(bytes);
        } catch (AppKey.BadKeyException e) {
            throw new ConfigException(e.problem(), e.remedy());
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    /// As [#read(Path)] for an access key of AWS.
    public static Secret readAwsKey(Path file) throws IOException {
        return open(file, SecretInput::readAwsKey);
    }

    /// An access key of AWS.
    public static Secret readAwsKey(InputStream input) throws IOException {
        byte[] bytes = input.readNBytes(KEY_BYTES_MAX + 1);
        try {
            if (bytes.length > KEY_BYTES_MAX) {
                throw new ConfigException(
                        "The access key has more than " + KEY_BYTES_MAX + " bytes.",
                        "Give only one access key.");
            }
            return AwsDocument.parse(bytes);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    private static <T> T open(Path file, Reading<T> reading) throws IOException {
        Ownership.requirePrivateFile(file);
        Object key = key(file);
        try (InputStream input = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            if (!Objects.equals(key, key(file))) {
                throw new ConfigException(file + " was replaced while it was read.", "Try again.");
            }
            return reading.read(input);
        }
    }

    /// The document of a login.
    public static LoginDocument readLogin(InputStream input) throws IOException {
        byte[] bytes = input.readNBytes(LOGIN_BYTES_MAX + 1);
        try {
            if (bytes.length > LOGIN_BYTES_MAX) {
                throw new ConfigException(
                        "The login has more than " + LOGIN_BYTES_MAX + " bytes.",
                        "Give only the document of the login.");
            }
            return LoginDocument.parse(bytes);
        } finally {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    /// One line; a line end after it is not part of it.
    public static Secret read(InputStream input) throws IOException {
        byte[] bytes = new byte[Secret.BYTES_MAX + 1];
        byte[] token = {};
        try {
            int count = input.readNBytes(bytes, 0, bytes.length);
            token = Arrays.copyOf(bytes, tokenLength(bytes, count));
            return Secret.of(token);
        } finally {
            Arrays.fill(bytes, (byte) 0);
            Arrays.fill(token, (byte) 0);
        }
    }

    private static int tokenLength(byte[] bytes, int count) throws ConfigException {
        int length = count;
        if (length > Secret.BYTES_MAX) {
            throw new ConfigException(
                    "The secret has more than " + Secret.BYTES_MAX + " bytes.",
                    "Give only the token.");
        }
        length -= length > 0 && bytes[length - 1] == '\n' ? 1 : 0;
        length -= length > 0 && bytes[length - 1] == '\r' ? 1 : 0;
        if (length == 0) {
            throw new ConfigException("The secret is empty.", "Give the token as one line.");
        }
        for (int i = 0; i < length; i++) {
            if (bytes[i] <= 0x20 || bytes[i] == 0x7f) {
                throw new ConfigException(
                        "The secret contains a space, a control character or a non-ASCII character.",
                        "Give the token as one line of printable ASCII, nothing else.");
            }
        }
        return length;
    }

    private static Object key(Path file) throws IOException {
        Object key =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                        .fileKey();
        return Objects.requireNonNull(key, "a Linux file system identifies its files");
    }
}
