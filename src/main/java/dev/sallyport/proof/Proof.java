package dev.sallyport.proof;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/// The table of everything that was tried on one sandbox.
public final class Proof {
    /// Runs a command inside and returns what it printed, within limits.
    public interface Entry {
        /// The raw bytes as ISO 8859-1.
        String run(List<String> command) throws IOException;
    }

    private static final int MARK_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private Proof() {}

    /// Tries everything once.
    ///
    /// @param searched what the warden has found out
    public static List<Row> of(Subject subject, Searched searched, Entry entry) throws IOException {
        byte[] random = new byte[MARK_BYTES];
        RANDOM.nextBytes(random);
        String mark = HexFormat.of().formatHex(random);
        String said = entry.run(Probes.command(mark, DoorRows.allowed(subject)));
        return rows(subject, searched, Testimony.parse(mark, said));
    }

    static List<Row> rows(Subject subject, Searched searched, Testimony inside) {
        List<Row> rows = new ArrayList<>();
        rows.addAll(new IdentityRows(subject, inside).rows());
        rows.addAll(new NetworkRows(subject, inside).rows());
        rows.addAll(new UnixRows(subject).rows());
        rows.addAll(new DoorRows(subject, inside).rows());
        rows.addAll(new PrivilegeRows(subject, inside).rows());
        rows.addAll(new SecretRows(subject, inside).rows());
        rows.add(searched.row());
        rows.add(
                Row.of(
                        "the probes themselves",
                        "complete",
                        inside.isComplete(),
                        inside.isComplete() ? "complete" : "cut off"));
        return rows;
    }
}
