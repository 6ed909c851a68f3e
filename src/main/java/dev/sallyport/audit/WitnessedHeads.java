package dev.sallyport.audit;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a [Witness] has kept: heads, one on each line, each with its signature proven.
///
/// @param heads by their number
/// @param key that signed them; empty when there are none
public record WitnessedHeads(NavigableMap<Long, String> heads, String key) {
    /// What is older is covered by those that follow.
    public static final int HEADS_MAX = 200_000;

    /// Nobody has seen anything.
    public static final WitnessedHeads NONE = new WitnessedHeads(new TreeMap<>(), "");

    /// Where they come from, one after the other.
    public interface Source {
        @Nullable String next() throws IOException;
    }

    /// Reads them and proves each.
    ///
    /// @throws IOException naming the line that is not what a witness keeps
    public static WitnessedHeads read(Path file) throws IOException {
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
            return read(file.toString(), lines::readLine);
        }
    }

    /// The same from elsewhere.
    ///
    /// @param name what that is called in complaints
    public static WitnessedHeads read(String name, Source lines) throws IOException {
        NavigableMap<Long, String> heads = new TreeMap<>();
        String key = "";
        long number = 0;
        for (String line = lines.next(); line != null; line = lines.next()) {
            number++;
            AuditHead.Kept kept = kept(name, number, line);
            if (!key.isEmpty() && !key.equals(kept.key())) {
                throw bad(name, number, "is signed by another key than those before");
            }
            if (!heads.isEmpty() && kept.head().seq() < heads.lastKey()) {
                throw bad(name, number, "was told after a longer log: the log was put back");
            }
            key = kept.key();
            String before = heads.put(kept.head().seq(), kept.head().hash());
            if (before != null && !before.equals(kept.head().hash())) {
                throw bad(name, number, "tells another hash of the same line");
            }
            if (heads.size() > HEADS_MAX) {
                heads.pollFirstEntry();
            }
        }
        return new WitnessedHeads(heads, key);
    }

    private static AuditHead.Kept kept(String name, long number, String line) throws IOException {
        return AuditHead.parse(line + "\n")
                .orElseThrow(() -> bad(name, number, "is not a signed head"));
    }

    private static IOException bad(String name, long number, String how) {
        return new IOException("%s, line %d %s".formatted(name, number, how));
    }

    /// Why a line is not the one that was seen.
    Optional<String> objection(AuditLine line) {
        String seen = heads.get(line.seq());
        return seen == null || seen.equals(line.hash())
                ? Optional.empty()
                : Optional.of("it is not the line that the witness has seen");
    }

    boolean isOfOtherKey(String signer) {
        return !key.isEmpty() && !key.equals(signer);
    }

    /// How far the log went when it was seen last.
    long reached() {
        return heads.isEmpty() ? 0 : heads.lastKey();
    }
}
