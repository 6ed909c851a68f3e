package dev.sallyport.agent;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The presets of the registries that a project takes packages from, by the files that its package
/// managers keep at its top. A sandbox can write such a file and so reach one more registry the
/// next time: all of them are read-only and public, or the person's own.
public final class ProjectRegistries {
    private static final Map<String, List<String>> FILES = new LinkedHashMap<>();

    static {
        FILES.put(
                "npm",
                List.of(
                        "package.json",
                        "package-lock.json",
                        "yarn.lock",
                        "pnpm-lock.yaml",
                        "bun.lock"));
        FILES.put(
                "pypi",
                List.of(
                        "requirements.txt",
                        "pyproject.toml",
                        "setup.py",
                        "Pipfile",
                        "poetry.lock",
                        "uv.lock"));
        FILES.put("maven", List.of("pom.xml"));
        FILES.put(
                "gradle",
                List.of(
                        "build.gradle",
                        "build.gradle.kts",
                        "settings.gradle",
                        "settings.gradle.kts"));
        FILES.put("cargo", List.of("Cargo.toml"));
        FILES.put("go", List.of("go.mod"));
        FILES.put("rubygems", List.of("Gemfile"));
    }

    private ProjectRegistries() {}

    public static List<String> presets(Path workspace) {
        return List.copyOf(found(workspace).keySet());
    }

    /// Each preset with the files that ask for it.
    public static Map<String, List<String>> found(Path workspace) {
        Map<String, List<String>> found = new LinkedHashMap<>();
        FILES.forEach(
                (preset, names) -> {
                    List<String> there =
                            names.stream()
                                    .filter(name -> Files.isRegularFile(workspace.resolve(name)))
                                    .toList();
                    if (!there.isEmpty()) {
                        found.put(preset, there);
                    }
                });
        return found;
    }
}
