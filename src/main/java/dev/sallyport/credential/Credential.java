package dev.sallyport.credential;

import dev.sallyport.policy.HostName;
import java.nio.charset.StandardCharsets;

/// A secret together with the one host it belongs to and the user name that goes with it.
public record Credential(HostName host, String user, Secret secret) {

    /// A colon would move the border between name and password, a line break would end the header
    /// (RFC 7617, section 2; CVE-2020-5260).
    public Credential {
        if (user.isEmpty() || user.contains(":")) {
            throw new IllegalArgumentException("a user name is not empty and contains no colon");
        }
        if (Secret.hasControlByte(user.getBytes(StandardCharsets.UTF_8))) {
            throw new IllegalArgumentException("a user name contains no control characters");
        }
    }
}
