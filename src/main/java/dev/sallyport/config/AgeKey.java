package dev.sallyport.config;

import com.exceptionfactory.jagged.RecipientStanzaReader;
import com.exceptionfactory.jagged.RecipientStanzaWriter;
import com.exceptionfactory.jagged.framework.stream.StandardDecryptingChannelFactory;
import com.exceptionfactory.jagged.framework.stream.StandardEncryptingChannelFactory;
import com.exceptionfactory.jagged.x25519.X25519KeyFactory;
import com.exceptionfactory.jagged.x25519.X25519RecipientStanzaReaderFactory;
import com.exceptionfactory.jagged.x25519.X25519RecipientStanzaWriterFactory;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.spec.SecretKeySpec;

/// The key that secrets lie encrypted to: an identity file as `age-keygen` writes it. It is read
/// and verified each time, so that the key is in memory no longer than it is needed.
///
/// With several identities in it the first encrypts and all decrypt, so that a key can be replaced.
public record AgeKey(Path file) {
    private static final String IDENTITY = "AGE-SECRET-KEY-1";
    private static final int FILE_BYTES_MAX = 64 * 1024;

    /// What `secrets:` of the policy file says. The key itself is not looked at.
    static AgeKey read(Path policyFile, YamlMapping secrets) throws ConfigException {
        secrets.requireOnly(List.of("key-file"));
        Path key = policyFile.resolveSibling(secrets.requiredText("key-file")).normalize();
        if (key.startsWith(policyFile.resolveSibling("secrets"))) {
            throw secrets.problem(
                    "key-file",
                    "is in the directory that it encrypts.",
                    "Move it away, best to another disk or a key manager.");
        }
        return new AgeKey(key);
    }

    /// Whether it can be used.
    public void verify() throws IOException {
        byte[] probe = {1};
        open(seal(probe));
    }

    byte[] seal(byte[] plain) throws IOException {
        ByteArrayOutputStream sealed = new ByteArrayOutputStream();
        use(
                identities -> {
                    var recipients = List.of(recipient(identities.getFirst()));
                    try (WritableByteChannel channel =
                            new StandardEncryptingChannelFactory()
                                    .newEncryptingChannel(
                                            Channels.newChannel(sealed), recipients)) {
                        for (ByteBuffer left = ByteBuffer.wrap(plain); left.hasRemaining(); ) {
                            channel.write(left);
                        }
                    }
                });
        return sealed.toByteArray();
    }

    /// @throws NotSealedException when none of the identities opens it
    byte[] open(byte[] sealed) throws IOException {
        ByteBuffer plain = ByteBuffer.allocate(sealed.length + 1);
        use(
                identities -> {
                    List<RecipientStanzaReader> readers = new ArrayList<>();
                    for (CharBuffer identity : identities) {
                        readers.add(
                                X25519RecipientStanzaReaderFactory.newRecipientStanzaReader(
                                        identity));
                    }
                    read(sealed, readers, plain);
                });
        byte[] copy = Arrays.copyOf(plain.array(), plain.position());
        Arrays.fill(plain.array(), (byte) 0);
        return copy;
    }

    private static void read(byte[] sealed, List<RecipientStanzaReader> readers, ByteBuffer plain)
            throws NotSealedException {
        try (ReadableByteChannel channel =
                new StandardDecryptingChannelFactory()
                        .newDecryptingChannel(
                                Channels.newChannel(new ByteArrayInputStream(sealed)), readers)) {
            while (channel.read(plain) >= 0) {
                if (!plain.hasRemaining()) {
                    throw new NotSealedException();
                }
            }
        } catch (IOException | GeneralSecurityException | RuntimeException _) {
            plain.clear().put(new byte[plain.capacity()]);
            throw new NotSealedException();
        }
    }

    /// A file was not encrypted to this key, or was changed since.
    static final class NotSealedException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    private interface Use {
        void of(List<CharBuffer> identities) throws IOException, GeneralSecurityException;
    }

    /// Has no cause: what a library says may quote the key.
    private void use(Use use) throws IOException {
        byte[] bytes = load();
        CharBuffer text = StandardCharsets.ISO_8859_1.decode(ByteBuffer.wrap(bytes));
        try {
            use.of(identities(text));
        } catch (GeneralSecurityException | IllegalArgumentException _) {
            throw unusable("contains no usable age identity.");
        } finally {
            Arrays.fill(bytes, (byte) 0);
            Arrays.fill(text.array(), '\0');
        }
    }

    private byte[] load() throws IOException {
        try {
            Ownership.requireSafeAncestors(file);
            Ownership.requirePrivateFile(file);
        } catch (ConfigException e) {
            throw new ConfigException(
                    "The key for the secrets cannot be used: " + e.problem(),
                    Files.exists(file)
                            ? e.remedy()
                            : "Restore it. The secrets are unchanged, but only this key opens them.");
        } catch (IOException _) {
            throw unusable("cannot be read.");
        }
        if (Files.size(file) > FILE_BYTES_MAX) {
            throw unusable("is too large for an identity file.");
        }
        return Files.readAllBytes(file);
    }

    private ConfigException unusable(String wrong) {
        return new ConfigException(
                "The key for the secrets, " + file + ", " + wrong,
                "Restore the right one. To create a new one, run: age-keygen -o FILE");
    }

    /// Views of the text, which go when it is wiped.
    private static List<CharBuffer> identities(CharBuffer text) {
        List<CharBuffer> identities = new ArrayList<>();
        int start = 0;
        for (int at = 0; at <= text.length(); at++) {
            if (at == text.length() || text.charAt(at) == '\n') {
                CharBuffer line = stripped(text, start, at);
                if (!line.isEmpty() && line.charAt(0) != '#') {
                    identities.add(checked(line));
                }
                start = at + 1;
            }
        }
        if (identities.isEmpty()) {
            throw new IllegalArgumentException("there is no identity");
        }
        return identities;
    }

    private static CharBuffer stripped(CharBuffer text, int start, int end) {
        int last = end;
        while (last > start && text.charAt(last - 1) <= ' ') {
            last--;
        }
        return text.subSequence(start, last);
    }

    private static CharBuffer checked(CharBuffer line) {
        if (line.length() < IDENTITY.length()
                || !IDENTITY.contentEquals(line.subSequence(0, IDENTITY.length()))) {
            throw new IllegalArgumentException("there is something else than identities");
        }
        return line;
    }

    private static RecipientStanzaWriter recipient(CharBuffer identity)
            throws GeneralSecurityException {
        byte[] encoded = new byte[identity.length()];
        for (int i = 0; i < encoded.length; i++) {
            encoded[i] = (byte) identity.charAt(i);
        }
        byte[] recipient =
                new X25519KeyFactory()
                        .translateKey(new SecretKeySpec(encoded, "X25519"))
                        .getEncoded();
        Arrays.fill(encoded, (byte) 0);
        return X25519RecipientStanzaWriterFactory.newRecipientStanzaWriter(
                new String(recipient, StandardCharsets.US_ASCII).strip());
    }
}
