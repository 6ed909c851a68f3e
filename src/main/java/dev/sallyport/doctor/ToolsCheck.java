package dev.sallyport.doctor;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// The programs of the host that sandboxes are made with, and the Debian packages that bring them.
///
/// @param finder where a program is
record ToolsCheck(Function<String, Optional<Path>> finder) implements Check {
    private record Tool(String name, String origin, boolean needed) {}

    private static final List<Tool> TOOLS =
            List.of(
                    new Tool("bwrap", "bubblewrap", true),
                    new Tool("unshare", "util-linux", true),
                    new Tool("nsenter", "util-linux", true),
                    new Tool("setpriv", "util-linux", true),
                    new Tool("setsid", "util-linux", true),
                    new Tool("script", "bsdutils", true),
                    new Tool("git", "git", true),
                    new Tool("docker", "docker.io", false));

    @Override
    public List<Finding> look() {
        return TOOLS.stream().map(this::finding).toList();
    }

    private Finding finding(Tool tool) {
        Optional<Path> path = finder.apply(tool.name());
        if (path.isPresent()) {
            String program = path.get().toString();
            String version =
                    Program.firstLine(List.of(program, "--version")).orElse("version unknown");
            return Finding.ok(tool.name(), version);
        }
        String remedy =
                "Install the package " + tool.origin() + ": apt-get install " + tool.origin();
        return tool.needed()
                ? Finding.fail(tool.name(), "not installed", remedy)
                : Finding.warn(
                        tool.name(), "not installed", "Only for --runtime docker. " + remedy);
    }
}
