package dev.sallyport.audit;

import dev.sallyport.config.ConfigException;
import java.util.Optional;

/// Refuses to go on with a log that has lost lines since it was written last: whoever shortens the
/// record must not be helped to hide it.
///
/// @param found where the files end
record OpeningCheck(AuditFiles files, AuditHead found) {
    void require(Optional<AuditHead.Kept> kept, Optional<AuditMark> mark, AuditKey key)
            throws ConfigException {
        if (kept.isEmpty() && found.seq() > 0) {
            throw cutOff(files.head().getFileName() + " is gone");
        }
        if (kept.isPresent()) {
            AuditHead head = kept.get().head();
            requireReached(head.seq(), head.hash(), files.head().getFileName().toString());
        }
        if (mark.isPresent()) {
            requireReached(mark.get().seq(), mark.get().hash(), "the session store");
        }
        String signer = mark.map(AuditMark::key).or(() -> kept.map(AuditHead.Kept::key)).orElse("");
        requireSigner(signer, kept.map(AuditHead.Kept::key), key.shown());
    }

    private void requireReached(long seq, String hash, String witness) throws ConfigException {
        if (seq > found.seq() || (seq > 0 && seq == found.seq() && !hash.equals(found.hash()))) {
            throw cutOff(witness + " counts " + seq + " lines");
        }
    }

    private ConfigException cutOff(String witness) {
        return new ConfigException(
                files.current() + " ends at line " + found.seq() + ", but " + witness + ".",
                "Lines may have been removed. Restore the directory, or keep it as evidence, move it aside and run: sallyport audit begin");
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
