package dev.sallyport.config;

import dev.sallyport.policy.MalformedNameException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Collects what the files of one tool say about hosts. A file that is missing says nothing; one
/// that is odd is skipped with a warning, because no file of another program may keep Sallyport
/// from starting. No warning quotes a file: such files hold credentials.
final class ToolReading {
    static final int HOSTS_MAX = 64;
    private static final int FILES_MAX = 64;

    private final Machine machine;
    private final List<ToolHost> hosts = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private boolean replacesDefault;
    private boolean full;

    ToolReading(Machine machine) {
        this.machine = machine;
    }

    /// Finds addresses in a file.
    interface Reader {
        void read(ToolReading reading, ToolFile file);
    }

    void inHome(String relative, Reader reader) {
        read(machine.home(), relative).ifPresent(file -> reader.read(this, file));
    }

    void inEtc(String relative, Reader reader) {
        read(machine.etc(), relative).ifPresent(file -> reader.read(this, file));
    }

    /// The files of a directory of the machine whose names end so, by name.
    void allInEtc(String directory, String suffix, Reader reader) {
        Path path = machine.etc().resolve(directory);
        if (!Files.isDirectory(path)) {
            return;
        }
        List<String> names;
        try (Stream<Path> entries = Files.list(path)) {
            names =
                    entries.map(entry -> String.valueOf(entry.getFileName()))
                            .filter(name -> name.endsWith(suffix))
                            .sorted()
                            .limit(FILES_MAX)
                            .toList();
        } catch (IOException | UncheckedIOException e) {
            warnings.add(path + " is not read: it cannot be listed.");
            return;
        }
        names.stream()
                .flatMap(name -> read(machine.etc(), directory + "/" + name).stream())
                .toList()
                .forEach(file -> reader.read(this, file));
    }

    private Optional<ToolFile> read(Path root, String relative) {
        Path file = root.resolve(relative);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        try {
            return Optional.of(ToolFile.read(root, relative));
        } catch (ConfigException e) {
            warnings.add(file + " is not read: " + e.getMessage());
        } catch (IOException e) {
            warnings.add(file + " is not read: " + reason(e) + ".");
        }
        return Optional.empty();
    }

    private static String reason(IOException e) {
        return e.getClass() == IOException.class && e.getMessage() != null
                ? e.getMessage()
                : "it cannot be opened";
    }

    /// The file is not what its name promises.
    void malformed(ToolFile file) {
        warnings.add(file.path() + " is not read: it is malformed.");
    }

    /// An address that the tool asks instead of the public ones.
    void instead(ToolFile file, int line, String address) {
        replacesDefault = true;
        besides(file, line, address);
    }

    /// An address that the tool asks besides others.
    void besides(ToolFile file, int line, String address) {
        String place = file.path() + ":" + line;
        try {
            add(ToolHost.parse(address, place));
        } catch (MalformedNameException e) {
            warnings.add(place + ": an address is left out: " + e.getMessage() + ".");
        }
    }

    void take(ToolFile file, int line, String address, boolean instead) {
        if (instead) {
            instead(file, line, address);
        } else {
            besides(file, line, address);
        }
    }

    void leftOut(ToolFile file, int line, String why) {
        warnings.add(file.path() + ":" + line + ": an address is left out: " + why + ".");
    }

    private void add(ToolHost host) {
        if (hosts.size() < HOSTS_MAX) {
            hosts.add(host);
        } else if (!full) {
            full = true;
            warnings.add(
                    host.place() + ": this and further addresses are left out: they are too many.");
        }
    }

    ToolHosts hosts() {
        return new ToolHosts(hosts, replacesDefault, warnings);
    }

    /// What the configuration of one tool says about where it gets things from.
    ///
    /// @param replacesDefault whether it names hosts to be asked instead of the public ones
    /// @param warnings what was not read, and why; nothing of a file's content
    record ToolHosts(List<ToolHost> hosts, boolean replacesDefault, List<String> warnings) {
        static final ToolHosts NONE = new ToolHosts(List.of(), false, List.of());

        ToolHosts {
            hosts = List.copyOf(hosts);
            warnings = List.copyOf(warnings);
        }
    }
}
