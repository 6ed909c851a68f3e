package dev.sallyport.workspace;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Names of files, besides git's, that programs of the host act on. `docs/mounts.md` has the same
/// lists.
final class TriggerNames {
    /// When a person opens or enters the directory.
    static final Set<String> OPENS =
            Set.of(
                    ".aider.conf.yml",
                    ".devcontainer.json",
                    ".dir-locals-2.el",
                    ".dir-locals.el",
                    ".envrc",
                    ".exrc",
                    ".lvimrc",
                    ".mcp.json",
                    ".mise.local.toml",
                    ".mise.toml",
                    ".nvim.lua",
                    ".nvimrc",
                    ".pre-commit-config.yaml",
                    ".vimrc",
                    "lefthook.yml",
                    "mise.local.toml",
                    "mise.toml");

    /// A directory stands for the files in it.
    static final Set<String> OPENED_DIRECTORIES =
            Set.of(
                    ".claude",
                    ".codex",
                    ".cursor",
                    ".devcontainer",
                    ".fleet",
                    ".gemini",
                    ".helix",
                    ".husky",
                    ".idea/runConfigurations",
                    ".vscode",
                    ".zed");

    /// Files whose names alone say too little.
    static final Set<String> OPENED_PATHS =
            Set.of(".git/lazygit.yml", ".hg/hgrc", ".jj/repo/config.toml");

    /// When a person builds, tests or installs.
    static final Set<String> BUILDS =
            Set.of(
                    ".bazelrc",
                    ".npmrc",
                    ".pnpmfile.cjs",
                    ".tool-versions",
                    ".yarnrc",
                    ".yarnrc.yml",
                    "CMakeLists.txt",
                    "CMakePresets.json",
                    "Cargo.toml",
                    "Directory.Build.props",
                    "Directory.Build.targets",
                    "Dockerfile",
                    "GNUmakefile",
                    "Gemfile",
                    "Justfile",
                    "Makefile",
                    "Rakefile",
                    "Taskfile.yml",
                    "Vagrantfile",
                    "build.gradle",
                    "build.gradle.kts",
                    "build.rs",
                    "build.sbt",
                    "build.xml",
                    "bunfig.toml",
                    "compose.yaml",
                    "composer.json",
                    "conftest.py",
                    "deno.json",
                    "docker-compose.yml",
                    "flake.nix",
                    "gradle-wrapper.jar",
                    "gradle-wrapper.properties",
                    "gradlew",
                    "justfile",
                    "makefile",
                    "meson.build",
                    "mvnw",
                    "noxfile.py",
                    "package.json",
                    "pom.xml",
                    "pyproject.toml",
                    "settings.gradle",
                    "settings.gradle.kts",
                    "setup.cfg",
                    "setup.py",
                    "shell.nix",
                    "sitecustomize.py",
                    "tox.ini",
                    "usercustomize.py");

    static final Set<String> BUILD_DIRECTORIES = Set.of(".cargo", ".mvn");

    /// Filled by tools: nobody opens or builds what lies there.
    private static final List<String> LEFT_OUT =
            List.of(
                    "__pycache__",
                    "build",
                    "dist",
                    "node_modules",
                    "target",
                    "venv",
                    ".venv",
                    ".tox");

    /// @param file relative to the workspace
    static Optional<Trigger.Kind> kind(Path file) {
        for (Path part : file) {
            if (LEFT_OUT.contains(part.toString())) {
                return Optional.empty();
            }
        }
        String name = file.getFileName().toString();
        if (OPENS.contains(name)
                || isIn(file, OPENED_DIRECTORIES)
                || OPENED_PATHS.stream().anyMatch(path -> ("/" + file).endsWith("/" + path))) {
            return Optional.of(Trigger.Kind.OPENS);
        }
        return BUILDS.contains(name) || isIn(file, BUILD_DIRECTORIES)
                ? Optional.of(Trigger.Kind.BUILDS)
                : Optional.empty();
    }

    private static boolean isIn(Path file, Set<String> directories) {
        String path = "/" + file;
        return directories.stream().anyMatch(directory -> path.contains("/" + directory + "/"));
    }
}
