package dev.sallyport.cli;

import dev.sallyport.control.Api;
import dev.sallyport.sandbox.Places;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/// What a sandbox is to see of the host's files besides its workspace.
final class MountOptions {
    @Option(
            names = "--mount",
            paramLabel = "PATH[:rw]",
            description =
                    "Mount a file or directory at the same path, read-only unless you add :rw. Repeatable.")
    private List<String> mounts = new ArrayList<>();

    @Option(
            names = "--unsafe-mount",
            paramLabel = "PATH[:rw]",
            description =
                    "Like --mount, for a path that --mount denies because it holds credentials or is a socket. Audited.")
    private List<String> unsafe = new ArrayList<>();

    @Option(
            names = "--redact",
            paramLabel = "FILE",
            description =
                    "Show this workspace file as empty in the sandbox; found means all files that look like credentials. Repeatable.")
    private List<String> redact = new ArrayList<>();

    Api.MountRequest request(Output output, Path workspace) {
        Surroundings surroundings = output.surroundings();
        List<Api.MountText> extra = new ArrayList<>();
        mounts.forEach(text -> extra.add(mount(text, surroundings.directory(), false)));
        for (String text : unsafe) {
            Api.MountText mount = mount(text, surroundings.directory(), true);
            output.warn(
                    "UNSAFE: the sandbox sees "
                            + mount.path()
                            + ", which is normally denied. It can use whatever that gives access to.");
            extra.add(mount);
        }
        return new Api.MountRequest(
                extra,
                new KeyFileNotice(output, workspace).hidden(redact),
                places(surroundings.environment()));
    }

    private static Api.MountText mount(String text, Path directory, boolean unsafe) {
        boolean writable = text.endsWith(":rw");
        boolean suffixed = writable || text.endsWith(":ro");
        String path = suffixed ? text.substring(0, text.length() - ":rw".length()) : text;
        return new Api.MountText(directory.resolve(path).toString(), writable, unsafe);
    }

    /// The warden has another environment than the person.
    static Map<String, String> places(Map<String, String> environment) {
        Map<String, String> places = new LinkedHashMap<>();
        for (String variable : Places.VARIABLES) {
            for (String text : environment.getOrDefault(variable, "").split(":(?=/(?!/))", -1)) {
                path(text).ifPresent(path -> places.put(path, variable));
            }
        }
        return places;
    }

    private static Optional<String> path(String text) {
        String path =
                text.replaceFirst("^unix:path=", "")
                        .replaceFirst("^unix://", "")
                        .replaceFirst(",.*", "");
        return path.startsWith("/") && path.indexOf('\0') < 0
                ? Optional.of(path)
                : Optional.empty();
    }
}
