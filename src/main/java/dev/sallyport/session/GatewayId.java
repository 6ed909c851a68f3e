package dev.sallyport.session;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Ownership;
import dev.sallyport.config.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/// Tells the gateways apart that share a store. It is no secret; it stays the same for a Sallyport
/// home, so that a daemon that starts again finds its sandboxes.
public record GatewayId(String value) {
    private static final Pattern FORM = Pattern.compile("[0-9a-f]{32}");
    private static final int BYTES = 16;

    /// The constructor holds the form, because it becomes part of statements.
    public GatewayId {
        if (!FORM.matcher(value).matches()) {
            throw new IllegalArgumentException("not the id of a gateway");
        }
    }

    static GatewayId random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return new GatewayId(HexFormat.of().formatHex(bytes));
    }

    /// Reads it, or makes one.
    public static GatewayId open(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            String made = random().value() + "\n";
            PrivateFile.replace(file, made.getBytes(StandardCharsets.US_ASCII));
        }
        return load(file);
    }

    /// Reads one that must be there.
    public static GatewayId load(Path file) throws IOException {
        Ownership.requirePrivateFile(file);
        try {
            return new GatewayId(Files.readString(file, StandardCharsets.ISO_8859_1).strip());
        } catch (IllegalArgumentException e) {
            throw new ConfigException(
                    file + " is damaged.",
                    "Restore it from a backup: the sandboxes in the store belong to the id in it.");
        }
    }
}
