package dev.sallyport.warden;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.TrustedFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The rules in force, and whether `policy.yaml` on disk still says them. A file that is not good
/// changes nothing; why is kept for those who ask.
final class LivePolicy {
    private static final int BYTES_MAX = 1 << 20;
    private static final String ABSENT = "absent";
    private static final String ATTRIBUTES = "unix:ino,size,mode,uid,ctime,lastModifiedTime";

    private final Path file;
    private final PolicyFile began;

    private volatile Rules rules;

    /// What was on disk when somebody looked last, good or not.
    private volatile String seen;

    private volatile Optional<String> problem = Optional.empty();

    /// @param digest SHA-256 of the file, or `absent`
    record Rules(PolicyFile policy, String digest) {}

    private LivePolicy(Path file, Rules rules, String seen) {
        this.file = file;
        this.began = rules.policy();
        this.rules = rules;
        this.seen = seen;
    }

    static LivePolicy load(Path file) throws IOException {
        String seen = stamp(file);
        return new LivePolicy(file, read(file), seen);
    }

    PolicyFile current() {
        return rules.policy();
    }

    Rules rules() {
        return rules;
    }

    /// Whether the file is another one than when somebody looked last. Costs one call of the
    /// kernel's, however many sandboxes there are.
    boolean isTouched() {
        return !stamp().equals(seen);
    }

    /// Tells one state of the file on disk from the next.
    String stamp() {
        return stamp(file);
    }

    /// The rules that the file has now.
    ///
    /// @throws OperationException when it is not good; then it is remembered why
    Rules read() throws OperationException {
        String stamp = stamp(file);
        try {
            Rules found = read(file);
            problem = Optional.empty();
            return found;
        } catch (ConfigException e) {
            problem = Optional.of(e.problem());
            throw OperationException.invalid(e.problem(), e.remedy());
        } catch (IOException e) {
            problem = Optional.of(file + ": " + e.getMessage());
            throw OperationException.failed(e);
        } finally {
            seen = stamp;
        }
    }

    void take(Rules found) {
        rules = found;
    }

    /// What a person should know: why the file on disk is not in force, and which of its parts wait
    /// for the next start.
    List<String> notices() {
        List<String> notices = new ArrayList<>();
        problem.ifPresent(
                why ->
                        notices.add(
                                "policy.yaml was changed and is not in force; the rules before it are: "
                                        + why));
        List<String> waiting = waiting(current());
        if (!waiting.isEmpty()) {
            notices.add(
                    "policy.yaml: "
                            + String.join(", ", waiting)
                            + " changed. Restart the daemon to apply it: sallyport down --keep-sandboxes, sallyport up");
        }
        return notices;
    }

    /// What is read when the daemon starts, and only then.
    List<String> waiting(PolicyFile now) {
        List<String> waiting = new ArrayList<>();
        addChanged(waiting, "limits", began.limits(), now.limits());
        addChanged(waiting, "resolver", began.resolver(), now.resolver());
        addChanged(waiting, "secrets", began.key(), now.key());
        addChanged(waiting, "audit", began.audit(), now.audit());
        addChanged(waiting, "approvals", began.reports().webhook(), now.reports().webhook());
        addChanged(waiting, "metrics", metrics(began), metrics(now));
        addChanged(waiting, "store", began.store(), now.store());
        addChanged(waiting, "kubernetes", began.kubernetes(), now.kubernetes());
        return waiting;
    }

    private static List<Object> metrics(PolicyFile policy) {
        return List.of(policy.reports().metricsPort(), policy.reports().metricsPush());
    }

    private static void addChanged(List<String> keys, String key, Object then, Object now) {
        if (!then.equals(now)) {
            keys.add(key);
        }
    }

    /// The digest is that of the bytes that were parsed, or the file is being written.
    private static Rules read(Path file) throws IOException {
        String before = digest(file);
        PolicyFile policy = PolicyFile.load(file);
        if (!digest(file).equals(before)) {
            throw new ConfigException(
                    file + " is being written.", "Try again: sallyport policy apply");
        }
        return new Rules(policy, before);
    }

    private static String digest(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return TrustedFiles.digest(in.readNBytes(BYTES_MAX + 1));
        } catch (NoSuchFileException _) {
            return ABSENT;
        }
    }

    private static String stamp(Path file) {
        try {
            Map<String, Object> found =
                    Files.readAttributes(file, ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
            return new TreeMap<>(found).toString();
        } catch (IOException _) {
            return ABSENT;
        }
    }
}
