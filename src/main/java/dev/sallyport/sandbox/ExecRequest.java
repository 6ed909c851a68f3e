package dev.sallyport.sandbox;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A command to run inside a sandbox.
///
/// @param tty whether standard input and output are the person's terminal
/// @param environment variables the person chose to pass; nothing else of theirs is
public record ExecRequest(
        List<String> command, boolean tty, Path directory, Map<String, String> environment) {
    public ExecRequest {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
    }

    /// The same with further variables, unless the person chose others.
    public ExecRequest over(Map<String, String> further) {
        Map<String, String> all = new HashMap<>(further);
        all.putAll(environment);
        return new ExecRequest(command, tty, directory, all);
    }
}
