package dev.sallyport.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/// Who the first process of a sandbox is outside, as the kernel says; what is the user of an image
/// by name may be anybody.
public record ProcessUser(long uid, long gid) {
    /// Columns of `Uid:` and `Gid:` in `/proc/PID/status`: real, effective, saved, file system.
    private static final int EFFECTIVE = 2;

    /// Empty when the sandbox's first process is not there any more.
    public static Optional<ProcessUser> of(Identity identity) {
        Path status = Path.of("/proc", Long.toString(identity.pid()), "status");
        try {
            ProcessUser found = parse(Files.readString(status));
            return ProcessIdentity.isAlive(identity) ? Optional.of(found) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    static ProcessUser parse(String status) throws IOException {
        return new ProcessUser(number(status, "Uid:"), number(status, "Gid:"));
    }

    private static long number(String status, String field) throws IOException {
        return status.lines()
                .filter(line -> line.startsWith(field))
                .map(line -> Long.parseLong(line.split("\\s+", -1)[EFFECTIVE]))
                .findFirst()
                .orElseThrow(() -> new IOException(field + " is missing"));
    }
}
