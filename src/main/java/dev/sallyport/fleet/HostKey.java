package dev.sallyport.fleet;

import dev.sallyport.config.AgeKey;
import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Ownership;
import dev.sallyport.config.SealedJson;
import dev.sallyport.credential.Ed25519Key;
import dev.sallyport.credential.Secret;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;

/// What a host proves with that it is the one that was enrolled with a gateway: one key for each
/// gateway, made at enrolment, so that no gateway can use what was signed for another.
public final class HostKey {
    private final Ed25519Key key;

    private HostKey(Ed25519Key key) {
        this.key = key;
    }

    private record Stored(Secret key, String publicKeyHex) {}

    /// A new one, which is on disk before it is used; it replaces one that was there.
    ///
    /// @param directory 0700; made where there is none
    /// @param gateway what this host calls the gateway
    public static HostKey create(Path directory, Optional<AgeKey> sealing, String gateway)
            throws IOException {
        Ed25519Key made = Ed25519Key.create();
        String shown = HexFormat.of().formatHex(made.publicKey());
        files(directory, sealing).write(name(gateway), new Stored(made.secret(), shown));
        return new HostKey(made);
    }

    /// A new one that is in memory only, for a pod: it ends with its process, and the pod enrolls
    /// again.
    public static HostKey inMemory() {
        return new HostKey(Ed25519Key.create());
    }

    /// One that was made before.
    public static HostKey open(Path directory, Optional<AgeKey> sealing, String gateway)
            throws IOException {
        Stored stored = files(directory, sealing).read(name(gateway));
        try {
            byte[] publicKey = HexFormat.of().parseHex(stored.publicKeyHex());
            return new HostKey(Ed25519Key.of(stored.key(), publicKey));
        } catch (IllegalArgumentException _) {
            throw new ConfigException(
                    "The key of this host for the gateway " + gateway + " is damaged.",
                    "Enrol this host again with a new code.");
        }
    }

    /// It is gone for good.
    public static void remove(Path directory, String gateway) throws IOException {
        files(directory, Optional.empty()).removeForGood(name(gateway));
    }

    /// Encrypts all of them on disk to the key that is configured.
    public static void seal(Path directory, AgeKey key) throws IOException {
        files(directory, Optional.of(key)).seal();
    }

    private static SealedJson<Stored> files(Path directory, Optional<AgeKey> sealing)
            throws IOException {
        Ownership.createPrivateDirectory(directory);
        return new SealedJson<>(directory.resolve("keys"), sealing, Stored.class);
    }

    private static String name(String gateway) throws ConfigException {
        return MachineName.require(gateway, "a gateway");
    }

    public HostId id() {
        return HostId.of(key.publicKey());
    }

    public byte[] publicKey() {
        return key.publicKey();
    }

    byte[] sign(byte[] text) {
        return key.sign(text);
    }

    @Override
    public String toString() {
        return "HostKey[redacted]";
    }
}
