package dev.sallyport.push;

import dev.sallyport.policy.Refusal;
import dev.sallyport.policy.SecretScan;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jgit.lib.ObjectId;

/// Looks for credentials in what a push adds: new files, messages, names of files.
final class SecretScreen {
    private static final int WARNINGS_MAX = 100;

    private final SecretScan mode;
    private final SecretFinder finder;
    private final ObjectSource objects;
    private final Findings findings;
    private final Deadline deadline;
    private final List<String> warnings = new ArrayList<>();

    SecretScreen(
            SecretScan mode,
            SecretFinder finder,
            ObjectSource objects,
            Findings findings,
            Deadline deadline) {
        this.mode = mode;
        this.finder = finder;
        this.objects = objects;
        this.findings = findings;
        this.deadline = deadline;
    }

    boolean isOff() {
        return mode == SecretScan.OFF;
    }

    List<String> warnings() {
        return warnings;
    }

    /// A file of the pack, at one place where it is new.
    ///
    /// @param earlier what was at that place before; what was there already is not added
    void file(ObjectId commit, TreeLine line, ObjectId blob, List<ObjectId> earlier)
            throws IOException {
        int position = objects.pack().find(blob);
        if (isOff() || objects.pack().isClean(position)) {
            return;
        }
        List<SecretFinding> found = find(blob);
        if (found.isEmpty()) {
            objects.pack().setClean(position);
            return;
        }
        List<SecretFinding> added = new ArrayList<>(found);
        for (ObjectId version : earlier) {
            Set<String> old =
                    find(version).stream()
                            .map(SecretFinding::fingerprint)
                            .collect(Collectors.toSet());
            added.removeIf(f -> old.contains(f.fingerprint()));
        }
        for (SecretFinding finding : added) {
            String place = Printable.of(line.pathBytes()) + " line " + finding.line();
            report(commit, finding, place + ", commit " + commit.abbreviate(7).name());
        }
    }

    private List<SecretFinding> find(ObjectId blob) throws IOException {
        deadline.check();
        try (InputStream content = objects.blob(blob)) {
            return finder.find(new WatchedStream(content, deadline));
        }
    }

    /// A commit or tag, from where people begin to write into it.
    void text(ObjectId object, String kind, byte[] raw, int start) throws IOException {
        if (isOff()) {
            return;
        }
        InputStream content = new ByteArrayInputStream(raw, start, raw.length - start);
        for (SecretFinding finding : finder.find(new WatchedStream(content, deadline))) {
            report(object, finding, "the text of " + kind + " " + object.abbreviate(7).name());
        }
    }

    /// Names of files that a commit adds, one on each line. The name is not told: it is the secret.
    void names(ObjectId commit, byte[] lines) throws IOException {
        InputStream content = new ByteArrayInputStream(lines);
        for (SecretFinding finding : finder.find(new WatchedStream(content, deadline))) {
            report(commit, finding, "the name of a file, commit " + commit.abbreviate(7).name());
        }
    }

    private void report(ObjectId object, SecretFinding finding, String place) {
        String detail = "rule " + Printable.of(finding.rule()) + " in " + place;
        if (mode == SecretScan.DENY) {
            findings.add(object, Refusal.SECRET_FOUND, detail);
        } else if (warnings.size() < WARNINGS_MAX) {
            warnings.add("looks like a secret: " + detail);
        }
    }
}
