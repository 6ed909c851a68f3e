package dev.sallyport.fleet;

import dev.sallyport.config.TrustedFiles;
import java.util.regex.Pattern;

/// Names a host by its public key, so that a host knows its own and cannot choose another's.
public record HostId(String value) {
    static final String FORM = "[0-9a-f]{32}";
    private static final Pattern WHOLE = Pattern.compile(FORM);
    private static final int CHARS = 32;

    public HostId {
        if (!WHOLE.matcher(value).matches()) {
            throw new IllegalArgumentException("a host id is 32 lower-case hex digits");
        }
    }

    static HostId of(byte[] publicKey) {
        return new HostId(TrustedFiles.digest(publicKey).substring(0, CHARS));
    }

    @Override
    public String toString() {
        return value;
    }
}
