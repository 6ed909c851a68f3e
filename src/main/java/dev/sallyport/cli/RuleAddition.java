package dev.sallyport.cli;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.PolicyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/// One more host in `policy.yaml`, at the end of `egress:`, with everything else as it was. It is
/// shown before it is written, and written only if the file then says what it said before and this.
record RuleAddition(Path file, List<String> before, List<String> after, int at) {
    private static final int CONTEXT_LINES = 3;
    private static final String KEY = "egress:";

    /// @param host a name, or `name:port`
    static RuleAddition of(Path file, String host) throws IOException, CliException {
        List<String> before = Files.exists(file) ? Files.readAllLines(file) : List.of();
        int colon = host.indexOf(':');
        String rule =
                colon < 0
                        ? "  - host: " + host
                        : "  - {host: %s, ports: [%s]}"
                                .formatted(host.substring(0, colon), host.substring(colon + 1));
        List<String> after = new ArrayList<>(before);
        int at = place(before);
        after.add(at, rule);
        if (before.stream().noneMatch(KEY::equals)) {
            after.add(at, KEY);
        }
        RuleAddition addition = new RuleAddition(file, before, after, at);
        addition.require();
        return addition;
    }

    /// After the last line of the list.
    private static int place(List<String> lines) {
        int begin = lines.indexOf(KEY);
        if (begin < 0) {
            return lines.size();
        }
        int end = begin + 1;
        for (int i = begin + 1; i < lines.size() && !isTopLevel(lines.get(i)); i++) {
            end = lines.get(i).isBlank() ? end : i + 1;
        }
        return end;
    }

    private static boolean isTopLevel(String line) {
        return !line.isBlank() && !line.startsWith(" ") && !line.startsWith("-");
    }

    /// The file as it would be is read as the daemon reads it.
    private void require() throws IOException, CliException {
        Path tried = file.resolveSibling(file.getFileName() + ".new");
        try {
            put(tried);
            int rules = PolicyFile.load(tried).egress().rules().size();
            if (rules != PolicyFile.load(file).egress().rules().size() + 1) {
                throw unfit("its egress: is not a plain list");
            }
        } catch (ConfigException e) {
            throw unfit(e.problem());
        } finally {
            Files.deleteIfExists(tried);
        }
    }

    private static CliException unfit(String why) {
        return ExitCode.USAGE.because("not-written", "The rule cannot be added: " + why + ".", "");
    }

    private void put(Path where) throws IOException {
        Files.write(where, after);
        Files.setPosixFilePermissions(where, PosixFilePermissions.fromString("rw-------"));
    }

    /// As `git diff` writes it.
    List<String> diff() {
        List<String> lines = new ArrayList<>();
        lines.add("--- " + file);
        lines.add("+++ " + file);
        int added = after.size() - before.size();
        before.subList(Math.max(0, at - CONTEXT_LINES), at).forEach(l -> lines.add(" " + l));
        after.subList(at, at + added).forEach(l -> lines.add("+" + l));
        before.subList(at, Math.min(before.size(), at + CONTEXT_LINES))
                .forEach(l -> lines.add(" " + l));
        return lines;
    }

    /// Unless somebody else has changed it since it was read.
    void write() throws IOException, CliException {
        List<String> now = Files.exists(file) ? Files.readAllLines(file) : List.of();
        if (!now.equals(before)) {
            throw unfit("somebody else changed the file meanwhile");
        }
        Path next = file.resolveSibling(file.getFileName() + ".new");
        put(next);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
