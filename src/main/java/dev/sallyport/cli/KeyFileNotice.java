package dev.sallyport.cli;

import dev.sallyport.workspace.KeyFiles;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Tells the person which files of a workspace look like credentials before a sandbox reads them,
/// and says which are to be hidden.
record KeyFileNotice(Output output, Path workspace) {
    private static final String ALL = "found";
    private static final int SHOWN_MAX = 20;

    /// @param chosen files as the person named them, or `found`
    List<String> hidden(List<String> chosen) {
        KeyFiles search = KeyFiles.in(workspace);
        List<String> hidden = new ArrayList<>();
        chosen.stream().filter(name -> !name.equals(ALL)).map(this::relative).forEach(hidden::add);
        for (KeyFiles.KeyFile file : search.found()) {
            String name = file.path().toString();
            if (chosen.contains(ALL) && !hidden.contains(name)) {
                hidden.add(name);
            }
            if (hidden.contains(name) && file.names() > 1) {
                output.warn(
                        name
                                + " has "
                                + file.names()
                                + " names (hard links). Only this one is hidden. Find the others with: find . -samefile "
                                + name);
            }
        }
        report(search.found().stream().filter(f -> !hidden.contains(f.path().toString())).toList());
        if (search.isPartial()) {
            output.warn("The workspace is too large to search all of it for credentials.");
        }
        return hidden;
    }

    private void report(List<KeyFiles.KeyFile> visible) {
        if (visible.isEmpty()) {
            return;
        }
        String names =
                visible.stream()
                        .limit(SHOWN_MAX)
                        .map(file -> file.path().toString())
                        .collect(Collectors.joining(", "));
        int more = visible.size() - SHOWN_MAX;
        output.warn(
                "The sandbox can read files that look like credentials: "
                        + names
                        + (more > 0 ? " and " + more + " more" : "")
                        + ". Hide them with --redact found, or one with --redact FILE; or move them out of the workspace.");
    }

    private String relative(String name) {
        try {
            Path path = workspace.resolve(name).normalize();
            return path.startsWith(workspace) ? workspace.relativize(path).toString() : name;
        } catch (InvalidPathException e) {
            return name;
        }
    }
}
