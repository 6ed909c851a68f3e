package dev.sallyport.cli;

import dev.sallyport.agent.ProjectRegistries;
import dev.sallyport.config.ProjectFile;
import dev.sallyport.workspace.Origin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;

/// Writes a project's rules down from what its files say. It grants nothing: the file counts when a
/// person has read and trusted it.
@Command(
        name = "init",
        description = {
            "Write a " + ProjectFile.NAME + " for the project in the current directory.",
            "It allows the package registries that the project uses. It is not used until you trust it."
        },
        footer = {
            "",
            "Example:",
            "  sallyport init && cat " + ProjectFile.NAME + " && sallyport policy trust"
        })
final class InitCommand extends SucceedingCommand {
    private static final Map<String, List<String>> AGENT_FILES = new LinkedHashMap<>();

    static {
        AGENT_FILES.put("claude", List.of("CLAUDE.md", ".claude", ".mcp.json"));
        AGENT_FILES.put("codex", List.of(".codex"));
        AGENT_FILES.put("gemini", List.of("GEMINI.md", ".gemini"));
        AGENT_FILES.put("opencode", List.of("opencode.json", ".opencode"));
        AGENT_FILES.put("copilot", List.of(".github/copilot-instructions.md"));
        AGENT_FILES.put("aider", List.of(".aider.conf.yml"));
    }

    private static final String HEAD =
            """
            # Rules for Sallyport sandboxes of this project. They are used after you ran
            #   sallyport policy trust
            # and until this file changes. All keys: docs/protocol/policy.md, "Project files".

            # Hosts that a sandbox can reach, besides git. Nothing else can be reached.
            """;

    private static final String TAIL =
            """
            #  - host: api.example.com         # a tunnel to one host
            #  - host: docs.example.com        # only some requests
            #    methods: [GET, HEAD]
            #    paths: ["/public/**"]

            # How git is set up in a sandbox.
            #sandbox:
            #  git-hooks: true                 # run the repository's git hooks
            """;

    /// The stable document of `--json`.
    ///
    /// @param presets what the file allows, and the project's files that are the reason
    /// @param repo the origin, as `--repo` takes it
    /// @param agents those that the project has files for
    record Written(
            String file,
            Map<String, List<String>> presets,
            Optional<String> repo,
            List<String> agents,
            List<String> next) {}

    @Override
    void act() throws IOException, CliException {
        Path workspace = output.surroundings().directory().toRealPath();
        Path file = workspace.resolve(ProjectFile.NAME);
        Map<String, List<String>> presets = ProjectRegistries.found(workspace);
        byte[] content = content(presets).getBytes(StandardCharsets.UTF_8);
        // Whether it can be trusted is known before it is there.
        ProjectFile.parse(
                content,
                file,
                PolicyCommands.load(output, null).hosts(),
                output.wardens().machine());
        create(file, content);
        List<String> agents = agents(workspace);
        Optional<String> repo =
                Origin.of(workspace) instanceof Origin.Found(var found)
                        ? Optional.of(found.toString())
                        : Optional.empty();
        Written written = new Written(file.toString(), presets, repo, agents, next(repo, agents));
        output.answer(written, text(written));
    }

    static String content(Map<String, List<String>> presets) {
        StringBuilder rules = new StringBuilder(HEAD);
        rules.append(presets.isEmpty() ? "#egress:\n" : "egress:\n");
        presets.forEach(
                (preset, files) ->
                        rules.append(
                                "  - preset: %-20s # %s\n"
                                        .formatted(preset, String.join(", ", files))));
        return rules + TAIL;
    }

    /// Never over one that is there, nor through a link.
    private static void create(Path file, byte[] content) throws IOException, CliException {
        try {
            Files.write(file, content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (FileAlreadyExistsException e) {
            throw ExitCode.CONFLICT.because(
                    "project-file-exists",
                    file + " exists already.",
                    "Read it, then run: sallyport policy trust. Or remove it and run init again.");
        }
    }

    private static List<String> agents(Path workspace) {
        return AGENT_FILES.entrySet().stream()
                .filter(
                        agent ->
                                agent.getValue().stream()
                                        .anyMatch(name -> Files.exists(workspace.resolve(name))))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static List<String> next(Optional<String> repo, List<String> agents) {
        String run = "sallyport run" + repo.map(name -> " --repo " + name).orElse("");
        return List.of(
                "sallyport policy trust",
                agents.isEmpty() ? run + " -- bash" : run + " " + agents.getFirst());
    }

    private static String text(Written written) {
        StringBuilder text = new StringBuilder("wrote " + written.file() + "\n");
        written.presets()
                .forEach(
                        (preset, files) ->
                                text.append(
                                        "  " + preset + ": " + String.join(", ", files) + "\n"));
        if (written.presets().isEmpty()) {
            text.append("  no package manager found, so it allows nothing yet\n");
        }
        text.append("Read it, then run:\n");
        written.next().forEach(command -> text.append("  " + command + "\n"));
        return text.toString();
    }
}
