package dev.sallyport.cli;

import dev.sallyport.config.EgressText;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.Preset;
import dev.sallyport.config.Presets;
import dev.sallyport.config.ProjectFile;
import dev.sallyport.config.TrustedFiles;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Rules that a person did not write: presets, and project files that are to be trusted.
final class TrustCommands {
    @Command(name = "presets", description = "List the presets: rules for common tools.")
    static final class ListPresets extends SucceedingCommand {
        /// The stable document of `--json`.
        record Described(
                String name,
                int version,
                String about,
                SortedSet<String> options,
                List<EgressText> rules) {}

        @Override
        void act() throws IOException {
            Table table = new Table("PRESET", "VERSION", "OPTIONS", "WHAT FOR");
            for (Preset preset : Presets.all()) {
                table.row(
                        preset.name(),
                        Integer.toString(preset.version()),
                        String.join(" ", preset.options().keySet()),
                        preset.about());
            }
            List<Described> all =
                    Presets.all().stream()
                            .map(
                                    preset ->
                                            new Described(
                                                    preset.name(),
                                                    preset.version(),
                                                    preset.about(),
                                                    new TreeSet<>(preset.options().keySet()),
                                                    preset.rules().stream()
                                                            .map(EgressText::of)
                                                            .toList()))
                            .toList();
            output.answer(all, table.render(output.surroundings().outInk()));
        }
    }

    @Command(
            name = "trust",
            description = {
                "Trust a project's " + ProjectFile.NAME + " in its current state.",
                "A sandbox can change that file. After any change you must trust it again."
            },
            footer = {"", "Read it first: sandboxes of that workspace can reach what it allows."})
    static final class Trust extends SucceedingCommand {
        @Parameters(
                arity = "0..1",
                paramLabel = "FILE",
                description = "Default: " + ProjectFile.NAME + " in the current directory.")
        private @Nullable Path file;

        @Option(names = "--forget", description = "Stop trusting it.")
        private boolean forget;

        /// The stable document of `--json`.
        record Answer(
                String file, boolean trusted, List<EgressText> rules, List<String> warnings) {}

        @Override
        void act() throws IOException, ControlException, CliException {
            Path chosen = file == null ? Path.of(ProjectFile.NAME) : file;
            Path path = canonical(output.surroundings().directory().resolve(chosen));
            Trusting trusting = new Trusting(output);
            if (forget) {
                trusting.change(path, Optional.empty());
                output.answer(
                        new Answer(path.toString(), false, List.of(), List.of()),
                        "not trusted: " + path + "\n");
                return;
            }
            byte[] content = content(path);
            PolicyFile policy = PolicyCommands.load(output, null);
            ProjectFile project =
                    ProjectFile.parse(content, path, policy.hosts(), output.wardens().machine());
            trusting.change(path, Optional.of(content));
            List<EgressText> rules = project.rules().stream().map(EgressText::of).toList();
            StringBuilder text = new StringBuilder("trusted: " + path + "\n");
            rules.forEach(rule -> text.append("  " + RuleText.summary(rule) + "\n"));
            project.warnings().forEach(output::warn);
            output.answer(
                    new Answer(path.toString(), true, rules, project.warnings()), text.toString());
        }

        /// As the warden will name it: workspaces are known by their real path.
        private static Path canonical(Path path) {
            Path absolute = path.toAbsolutePath().normalize();
            try {
                return absolute.endsWith(ProjectFile.NAME)
                        ? absolute.resolveSibling("").toRealPath().resolve(ProjectFile.NAME)
                        : absolute;
            } catch (IOException e) {
                return absolute;
            }
        }

        private static byte[] content(Path path) throws IOException, CliException {
            Optional<byte[]> content =
                    path.endsWith(ProjectFile.NAME) ? ProjectFile.read(path) : Optional.empty();
            if (content.isEmpty()) {
                throw ExitCode.USAGE.because(
                        "no-project-file",
                        path + " is not a file named " + ProjectFile.NAME + ".",
                        "Give the path of the file in the workspace.");
            }
            return content.get();
        }
    }

    /// Changes one's own list of trusted project files, or has the warden do it where root keeps
    /// it.
    private record Trusting(Output output) {
        /// @param content absent for one that is not trusted any more
        void change(Path file, Optional<byte[]> content)
                throws IOException, ControlException, CliException {
            if (output.wardens().service().isPresent()) {
                try (ControlClient warden = output.wardens().connectOrStart(output)) {
                    warden.trust(new Api.Trust(file.toString(), content.map(TrustedFiles::digest)));
                }
            } else if (content.isPresent()) {
                own().trust(file, content.get());
            } else {
                own().forget(file);
            }
        }

        private TrustedFiles own() throws IOException {
            output.wardens().home().create();
            return new TrustedFiles(output.wardens().home().trustedFiles());
        }
    }
}
