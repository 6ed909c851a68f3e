package dev.sallyport.audit;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.Ownership;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where the log begins and how far it went, signed and kept beside it, so that lines cut off
/// either end are missed. It is written after the lines it counts are on disk, and therefore never
/// ahead of them.
///
/// One line of fixed length, overwritten in place: that needs no free space and is less than a
/// sector.
///
/// @param first number of the oldest line that is kept
/// @param before hash of the line before that one
/// @param seq number of the newest line
record AuditHead(long first, String before, long seq, String hash) {
    static final AuditHead NONE = new AuditHead(1, AuditLine.FIRST_PREV, 0, AuditLine.FIRST_PREV);

    private static final String WORD = "([0-9a-f]{64})";
    private static final String NUMBER = "([0-9]{19})";
    private static final Pattern FORM =
            Pattern.compile(
                    "(%s %s %s %s [0-9TZ:-]{20} %s) ([0-9a-f]{128})\n"
                            .formatted(NUMBER, WORD, NUMBER, WORD, WORD));

    /// As it was before heads were signed.
    private static final Pattern UNSIGNED = Pattern.compile(NUMBER + " " + WORD + "\n");

    private static final int BYTES_MAX = 512;

    /// What is signed begins so, lest a signature be taken for another's.
    private static final String DOMAIN = "sallyport audit head 1\n";

    /// A head as it lies on disk, with its signature proven.
    ///
    /// @param key that signed it; empty if none did
    record Kept(AuditHead head, String key) {}

    AuditHead reached(long newSeq, String newHash) {
        return new AuditHead(first, before, newSeq, newHash);
    }

    AuditHead beginning(long newFirst, String newBefore) {
        return new AuditHead(newFirst, newBefore, seq, hash);
    }

    static Optional<Kept> load(Path file) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        Ownership.requirePrivateFile(file);
        String text =
                Files.size(file) <= BYTES_MAX
                        ? Files.readString(file, StandardCharsets.ISO_8859_1)
                        : "";
        if (FORM.matcher(text).matches()) {
            return Optional.of(
                    parse(text)
                            .orElseThrow(
                                    () ->
                                            damaged(
                                                    file,
                                                    " has a signature that does not match its content.")));
        }
        Matcher unsigned = UNSIGNED.matcher(text);
        if (unsigned.matches()) {
            long seq = Long.parseLong(unsigned.group(1));
            return Optional.of(new Kept(NONE.reached(seq, unsigned.group(2)), ""));
        }
        throw damaged(file, " does not say how far the audit log went.");
    }

    /// What one signed line says; empty when it is none, or its signature does not fit.
    static Optional<Kept> parse(String line) {
        Matcher signed = FORM.matcher(line);
        if (!signed.matches()
                || !AuditKey.verifies(
                        signed.group(6), statement(signed.group(1)), signed.group(7))) {
            return Optional.empty();
        }
        AuditHead head =
                new AuditHead(
                        Long.parseLong(signed.group(2)),
                        signed.group(3),
                        Long.parseLong(signed.group(4)),
                        signed.group(5));
        return Optional.of(new Kept(head, signed.group(6)));
    }

    private static ConfigException damaged(Path file, String how) {
        return new ConfigException(
                file + how,
                "Keep the directory as evidence, move it aside and run: sallyport audit begin");
    }

    private static byte[] statement(String text) {
        return (DOMAIN + text).getBytes(StandardCharsets.US_ASCII);
    }

    /// One line with its end.
    String signed(AuditKey key) {
        String text =
                "%019d %s %019d %s %s %s"
                        .formatted(
                                first,
                                before,
                                seq,
                                hash,
                                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                                key.shown());
        return text + " " + key.sign(statement(text)) + "\n";
    }

    /// Keeps a [#signed] line.
    static void save(Path file, String line) throws IOException {
        Ownership.createPrivateFile(file);
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII)), 0);
            channel.force(false);
        }
    }
}
