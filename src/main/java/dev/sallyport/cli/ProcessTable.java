package dev.sallyport.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The processes of this machine as `/proc` shows them, to find those that a signal is meant for.
final class ProcessTable {
    /// @param sandboxed whether it lives in a process namespace below ours
    private record Row(long pid, long parent, long group, boolean sandboxed) {}

    private final List<Row> rows;

    private ProcessTable(List<Row> rows) {
        this.rows = rows;
    }

    static ProcessTable read() {
        List<Row> rows = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
            for (Path entry : entries) {
                row(entry).ifPresent(rows::add);
            }
        } catch (IOException e) {
            return new ProcessTable(List.of());
        }
        return new ProcessTable(rows);
    }

    private static Optional<Row> row(Path entry) {
        try {
            String stat = Files.readString(entry.resolve("stat"), StandardCharsets.ISO_8859_1);
            // The name in parentheses may hold spaces and parentheses; fields are counted after it.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            long pid = Long.parseLong(entry.getFileName().toString());
            return Optional.of(
                    new Row(
                            pid,
                            Long.parseLong(fields[1]),
                            Long.parseLong(fields[2]),
                            isSandboxed(entry)));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static boolean isSandboxed(Path entry) throws IOException {
        return Files.readString(entry.resolve("status"), StandardCharsets.ISO_8859_1)
                .lines()
                .filter(line -> line.startsWith("NSpid:"))
                .anyMatch(line -> line.strip().split("\\s+", -1).length > 2);
    }

    /// The sandboxed processes in the foreground group of the command that `entering` brought in:
    /// what a terminal would have sent the signal to. `nsenter` and its like are not among them,
    /// because they would die and leave the command behind.
    List<Long> commandOf(long entering) {
        Set<Long> family = new HashSet<>(Set.of(entering));
        List<Row> waiting = new ArrayList<>(rows);
        while (true) {
            List<Row> children =
                    waiting.stream().filter(row -> family.contains(row.parent())).toList();
            Optional<Row> first = children.stream().filter(Row::sandboxed).findFirst();
            if (first.isPresent()) {
                return group(first.get().group());
            }
            if (children.isEmpty()) {
                return List.of();
            }
            waiting.removeAll(children);
            children.forEach(child -> family.add(child.pid()));
        }
    }

    private List<Long> group(long group) {
        return rows.stream()
                .filter(row -> row.group() == group && row.sandboxed())
                .map(Row::pid)
                .toList();
    }
}
