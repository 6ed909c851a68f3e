package dev.sallyport.audit;

import dev.sallyport.config.ConfigException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Refuses to go on with a log that has lost lines since it was written last, or whose lines since
/// then are not the ones that were written: whoever shortens or rewrites the record must not be
/// helped to hide it by a signature over what is left.
///
/// @param found where the files end
record OpeningCheck(AuditFiles files, AuditHead found) {
    private static final String REMEDY =
            "Restore the directory, or keep it as evidence, move it aside and run: sallyport audit begin";

    /// A line that is known from elsewhere than the lines themselves.
    private record Witness(String name, long seq, String hash) {}

    void require(Optional<AuditHead.Kept> kept, Optional<AuditMark> mark, AuditKey key)
            throws ConfigException {
        if (kept.isEmpty() && found.seq() > 0) {
            throw cutOff(files.head().getFileName() + " is gone");
        }
        List<Witness> witnesses = new ArrayList<>();
        kept.map(AuditHead.Kept::head).map(this::witness).ifPresent(witnesses::add);
        mark.map(known -> new Witness("the session store", known.seq(), known.hash()))
                .ifPresent(witnesses::add);
        for (Witness witness : witnesses) {
            if (witness.seq() > found.seq()) {
                throw cutOff(witness.name() + " counts " + witness.seq() + " lines");
            }
        }
        String signer = mark.map(AuditMark::key).or(() -> kept.map(AuditHead.Kept::key)).orElse("");
        requireSigner(signer, kept.map(AuditHead.Kept::key), key.shown());
        // The store may be behind what was removed by the limits; the signed head is not.
        witnesses.removeIf(witness -> witness.seq() < found.first() - 1);
        requireUnchanged(witnesses);
    }

    private Witness witness(AuditHead head) {
        return new Witness(String.valueOf(files.head().getFileName()), head.seq(), head.hash());
    }

    /// Reads from the oldest line that is known up to the end. After a proper stop that is the last
    /// line, which has been read already.
    private void requireUnchanged(List<Witness> witnesses) throws ConfigException {
        if (found.seq() == 0 || witnesses.stream().allMatch(this::isLast)) {
            return;
        }
        long from = witnesses.stream().mapToLong(Witness::seq).min().orElse(0);
        try {
            follow(Math.max(from, found.first()), witnesses);
        } catch (IOException e) {
            throw new ConfigException(
                    files.current() + " was changed: " + e.getMessage() + ".",
                    "Lines may have been rewritten. " + REMEDY);
        }
    }

    private boolean isLast(Witness witness) {
        return witness.seq() == found.seq() && witness.hash().equals(found.hash());
    }

    private void follow(long from, List<Witness> witnesses) throws IOException {
        AuditLine last = null;
        for (Path file : filesFrom(from)) {
            try (LineReader reader = new LineReader(file)) {
                for (var line = reader.next(); line.isPresent(); line = reader.next()) {
                    if (last != null || hasNumber(line.get(), from)) {
                        last = next(last, AuditLine.decode(line.get()), witnesses);
                    }
                }
            }
        }
        if (last == null || last.seq() != found.seq() || !last.hash().equals(found.hash())) {
            throw new IOException("the lines from " + from + " to " + found.seq() + " are missing");
        }
    }

    private AuditLine next(@Nullable AuditLine before, AuditLine line, List<Witness> witnesses)
            throws IOException {
        boolean follows =
                before == null
                        ? line.seq() != found.first() || line.prev().equals(found.before())
                        : line.seq() == before.seq() + 1 && line.prev().equals(before.hash());
        if (!follows) {
            throw new IOException(
                    "line " + line.seq() + " does not follow from the line before it");
        }
        for (Witness witness : witnesses) {
            if (witness.seq() == line.seq() && !witness.hash().equals(line.hash())) {
                throw new IOException(
                        "line " + line.seq() + " is not the one that " + witness.name() + " knows");
            }
        }
        return line;
    }

    private List<Path> filesFrom(long seq) throws IOException {
        List<Path> all = files.from(found.first());
        int start = 0;
        for (int i = 1; i < all.size(); i++) {
            Optional<AuditLine> oldest = AuditReader.oldest(all.get(i));
            start = oldest.isPresent() && oldest.get().seq() <= seq ? i : start;
        }
        return all.subList(start, all.size());
    }

    /// Lines before the first that is known are not worth the time that decoding takes.
    private static boolean hasNumber(byte[] line, long seq) {
        byte[] start = ("{\"seq\":" + seq + ",").getBytes(StandardCharsets.US_ASCII);
        return line.length > start.length
                && Arrays.equals(line, 0, start.length, start, 0, start.length);
    }

    private ConfigException cutOff(String witness) {
        return new ConfigException(
                files.current() + " ends at line " + found.seq() + ", but " + witness + ".",
                "Lines may have been removed. " + REMEDY);
    }

    /// A log from before heads were signed has no signer; it is signed from now on.
    private void requireSigner(String known, Optional<String> kept, String own)
            throws ConfigException {
        boolean changed = kept.isPresent() && !kept.get().equals(known);
        if (!known.isEmpty() && (changed || !known.equals(own))) {
            throw new ConfigException(
                    "The audit log is signed with a different key than before.",
                    "Restore audit.key and the log's directory, or move both aside and run: sallyport audit begin");
        }
    }
}
