package dev.sallyport.fleet;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.DialAddress;
import dev.sallyport.config.TrustedFiles;
import dev.sallyport.credential.CertifiedKey;
import dev.sallyport.credential.Secret;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.TcpTarget;
import java.io.ByteArrayInputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/// What a person carries from a gateway's machine to a host: where the gateway is, how to know it,
/// and a secret that is good once. As text it is `sp1-` and the Base64 of these in this order, with
/// four bytes of a checksum at the end.
///
/// @param hostName what the gateway's machine will call the host
/// @param address of the gateway, `host:port`
/// @param id names the code and is no secret; in hex
/// @param secret in hex
/// @param authorities what the host has to pin, the newest last
public record EnrolmentCode(
        String hostName,
        String address,
        Instant expires,
        String id,
        Secret secret,
        List<X509Certificate> authorities) {
    static final int ID_BYTES = 8;
    static final int SECRET_BYTES = 16;

    private static final String PREFIX = "sp1-";
    private static final int CHARS_MAX = 8_192;
    private static final int CHECK_BYTES = 4;
    private static final int AUTHORITIES_MAX = 2;
    private static final int AUTHORITY_BYTES_MAX = 2_048;

    /// Of the year 9999.
    private static final long LAST_SECOND = 253_402_300_799L;

    /// How the parts that are no certificates are carried: a byte for the length of each text.
    private static final int HEAD_BYTES_MAX = 1_024;

    /// The code as it is carried, secret and all.
    ///
    /// @param secret the caller wipes it
    static String write(
            String hostName,
            String address,
            Instant expires,
            byte[] id,
            byte[] secret,
            List<String> authorityPems) {
        ByteBuffer out =
                ByteBuffer.allocate(HEAD_BYTES_MAX + AUTHORITIES_MAX * AUTHORITY_BYTES_MAX);
        putText(out, hostName);
        putText(out, address);
        out.putLong(expires.getEpochSecond()).put(id).put(secret);
        out.put((byte) authorityPems.size());
        try {
            for (String pem : authorityPems) {
                byte[] der = CertifiedKey.parse(pem).getEncoded();
                out.putShort((short) der.length).put(der);
            }
        } catch (CertificateException e) {
            throw new IllegalStateException(e);
        }
        out.put(check(Arrays.copyOf(out.array(), out.position())));
        return PREFIX + encoded(Arrays.copyOf(out.array(), out.position()));
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static void putText(ByteBuffer out, String text) {
        byte[] ascii = text.getBytes(StandardCharsets.US_ASCII);
        out.put((byte) ascii.length).put(ascii);
    }

    private static byte[] check(byte[] content) {
        byte[] digest = HexFormat.of().parseHex(TrustedFiles.digest(content));
        return Arrays.copyOf(digest, CHECK_BYTES);
    }

    /// Reads what a person gave.
    ///
    /// @throws ConfigException when it is no code, or not all of one; its text is not repeated
    public static EnrolmentCode parse(String text) throws ConfigException {
        if (!text.startsWith(PREFIX)) {
            throw bad("This is not an enrolment code: it does not begin with " + PREFIX + ".");
        }
        if (text.length() > CHARS_MAX) {
            throw bad("This is too long for an enrolment code.");
        }
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(text.substring(PREFIX.length()));
            int end = bytes.length - CHECK_BYTES;
            if (end < 0
                    || !encoded(bytes).equals(text.substring(PREFIX.length()))
                    || !Arrays.equals(
                            check(Arrays.copyOf(bytes, end)),
                            Arrays.copyOfRange(bytes, end, bytes.length))) {
                throw bad("The enrolment code is not complete, or was changed.");
            }
            return read(ByteBuffer.wrap(bytes, 0, end));
        } catch (IllegalArgumentException | BufferUnderflowException | CertificateException _) {
            throw bad("The enrolment code is not complete, or was changed.");
        }
    }

    private static ConfigException bad(String problem) {
        return new ConfigException(problem, "Copy all of what the gateway's machine printed.");
    }

    private static EnrolmentCode read(ByteBuffer in) throws CertificateException {
        String hostName = text(in);
        String address = text(in);
        Instant expires = Instant.ofEpochSecond(Math.clamp(in.getLong(), 0, LAST_SECOND));
        String id = HexFormat.of().formatHex(take(in, ID_BYTES));
        Secret secret = secret(take(in, SECRET_BYTES));
        int count = in.get();
        List<X509Certificate> authorities = new ArrayList<>();
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        for (int i = 0; i < count; i++) {
            byte[] der = take(in, in.getShort());
            authorities.add(
                    (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der)));
        }
        if (in.hasRemaining()
                || count < 1
                || count > AUTHORITIES_MAX
                || !MachineName.isOne(hostName)
                || !isAddress(address)) {
            throw new IllegalArgumentException("this is not what a gateway writes");
        }
        return new EnrolmentCode(hostName, address, expires, id, secret, List.copyOf(authorities));
    }

    private static String text(ByteBuffer in) {
        return new String(take(in, Byte.toUnsignedInt(in.get())), StandardCharsets.US_ASCII);
    }

    private static byte[] take(ByteBuffer in, int length) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    static Secret secret(byte[] bytes) {
        return Secret.of(HexFormat.of().formatHex(bytes).getBytes(StandardCharsets.US_ASCII));
    }

    /// A name or an address, and a port.
    public static boolean isAddress(String text) {
        try {
            return DialAddress.isDial(text) || TcpTarget.parse(text).port() > 0;
        } catch (MalformedNameException _) {
            return false;
        }
    }

    /// What requests with this code are addressed to; see [FleetAuthority#audience].
    public String audience() {
        return FleetAuthority.audience(authorities.getLast());
    }

    /// What the host has to pin, in PEM.
    public List<String> authorityPems() {
        return authorities.stream().map(CertifiedKey::pem).toList();
    }

    /// The key that MACs of an enrolment are made with. The gateway's machine keeps this and not
    /// the secret, so that nobody can write the code again from what is on its disk. A hash would
    /// not do: a MAC can only be checked with its key.
    static Secret macKey(String id, Secret secret) {
        String label = "sallyport-enrolment-key-1." + id;
        String derived = secret.hmac(label.getBytes(StandardCharsets.US_ASCII));
        return Secret.of(derived.getBytes(StandardCharsets.US_ASCII));
    }
}
