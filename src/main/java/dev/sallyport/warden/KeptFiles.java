package dev.sallyport.warden;

import dev.sallyport.audit.AuditFilter;
import dev.sallyport.audit.AuditLine;
import dev.sallyport.audit.AuditReader;
import dev.sallyport.config.ProjectFile;
import dev.sallyport.config.TrustedFiles;
import dev.sallyport.control.Api;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/// The record and the list of trusted project files, for guests, whose files of this kind only root
/// can open. Whoever runs a warden of their own reads and writes them without it.
record KeptFiles(Patron patron, Ledger ledger) {
    /// Each may become six when it is written; an answer has at most 1 MiB.
    private static final int CHARS_MAX = 128 << 10;

    private static final int LINE_CHARS = 256;

    /// The newest lines that fit, oldest first.
    Api.AuditLines record(Api.AuditRequest request) throws OperationException {
        Deque<Api.AuditView> kept = new ArrayDeque<>();
        int[] chars = {0};
        boolean[] dropped = {false};
        OperationException.doing(
                () ->
                        AuditReader.read(
                                patron.home().auditLog(),
                                filter(request),
                                line -> {
                                    kept.addLast(view(line));
                                    chars[0] += chars(line.event().detail());
                                    while (chars[0] > CHARS_MAX || kept.size() > request.last()) {
                                        chars[0] -= chars(kept.removeFirst().detail());
                                        dropped[0] = true;
                                    }
                                }));
        return new Api.AuditLines(List.copyOf(kept), dropped[0]);
    }

    private static AuditFilter filter(Api.AuditRequest request) throws OperationException {
        try {
            return new AuditFilter(
                    request.session(),
                    request.sandbox(),
                    request.decision(),
                    request.id(),
                    request.target(),
                    request.since().map(Instant::parse),
                    request.until().map(Instant::parse),
                    OptionalInt.empty());
        } catch (DateTimeException e) {
            throw OperationException.invalid("A time is not in ISO 8601.", "");
        }
    }

    private static Api.AuditView view(AuditLine line) {
        return new Api.AuditView(
                line.seq(),
                line.time().toString(),
                line.event().kind(),
                line.event().session(),
                line.stamp().sandbox(),
                line.stamp().runtime(),
                line.stamp().policy(),
                line.event().decision(),
                line.event().detail(),
                line.prev(),
                line.hash());
    }

    private static int chars(Map<String, String> detail) {
        return detail.entrySet().stream()
                        .mapToInt(entry -> entry.getKey().length() + entry.getValue().length())
                        .sum()
                + LINE_CHARS;
    }

    /// Trusts a file of the workspace with the bytes that the person has looked at, and no others.
    Api.Done trust(Api.Trust request) throws OperationException {
        try {
            Path file = Path.of(request.file());
            if (!file.isAbsolute() || !file.endsWith(ProjectFile.NAME)) {
                throw OperationException.invalid(
                        "This is not a file named " + ProjectFile.NAME + ".",
                        "Give the absolute path of the file in the workspace.");
            }
            TrustedFiles trusted = new TrustedFiles(patron.home().trustedFiles());
            if (request.sha256().isEmpty()) {
                note("project.forget", file);
                trusted.forget(file);
                return new Api.Done();
            }
            Optional<byte[]> content = patron.with(() -> ProjectFile.read(file));
            if (content.isEmpty()
                    || !TrustedFiles.digest(content.get()).equals(request.sha256().get())) {
                throw OperationException.conflict(
                        "The file has changed in the meantime.", "Read it and trust it again.");
            }
            note("project.trust", file);
            trusted.trust(file, content.get());
            return new Api.Done();
        } catch (InvalidPathException e) {
            throw OperationException.invalid(
                    "The path contains an invalid character.", "Use another path.");
        } catch (IOException e) {
            throw OperationException.refused(e);
        }
    }

    private void note(String kind, Path file) throws OperationException {
        ledger.record(kind, Map.of("file", file.toString()));
    }
}
