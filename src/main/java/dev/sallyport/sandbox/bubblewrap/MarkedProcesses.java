package dev.sallyport.sandbox.bubblewrap;

import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.CommandLines;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.PidDescriptor;
import dev.sallyport.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Finds sandboxes of this installation without the store, by the last arguments of their
/// processes. A program in a sandbox can imitate them, and thereby get itself killed, nothing more.
record MarkedProcesses(Installation installation, Person person) {
    /// Ends every process of the sandboxes chosen.
    ///
    /// @return how many sandboxes these were
    int kill(Predicate<SessionId> chosen) throws SandboxException {
        Map<Long, SessionId> found = find(chosen);
        for (Map.Entry<Long, SessionId> process : found.entrySet()) {
            long pid = process.getKey();
            PidDescriptor.kill(
                    pid, () -> sessionOf(pid).filter(process.getValue()::equals).isPresent());
        }
        return found.values().stream().collect(Collectors.toSet()).size();
    }

    Map<Long, SessionId> find(Predicate<SessionId> chosen) throws SandboxException {
        Map<Long, SessionId> found = new TreeMap<>();
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            processes
                    .map(path -> path.getFileName().toString())
                    .filter(name -> name.chars().allMatch(Character::isDigit))
                    .map(Long::parseLong)
                    .forEach(
                            pid ->
                                    sessionOf(pid)
                                            .filter(chosen)
                                            .ifPresent(id -> found.put(pid, id)));
            return found;
        } catch (IOException e) {
            throw new SandboxException("cannot list processes: " + e.getMessage(), e);
        }
    }

    private Optional<SessionId> sessionOf(long pid) {
        Path proc = Path.of("/proc", Long.toString(pid));
        try {
            if ((int) Files.getAttribute(proc, "unix:uid") != person.uid()) {
                return Optional.empty();
            }
            return session(CommandLines.of(proc));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// The kernel ends every argument with a NUL, behind the last one there is nothing.
    private Optional<SessionId> session(List<String> arguments) {
        int last = arguments.size() - 2;
        if (last < 3
                || !arguments.get(last).equals(installation.tag())
                || !arguments.get(last - 2).equals(BubblewrapCommand.MARK)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new SessionId(arguments.get(last - 1)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
