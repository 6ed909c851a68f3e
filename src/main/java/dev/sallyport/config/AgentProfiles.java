package dev.sallyport.config;

import dev.sallyport.policy.Word;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// The agents that Sallyport knows, and those that a person describes in `agents/NAME.yaml` of the
/// Sallyport home, which replace the known ones. Each file is read as strictly as a policy.
///
/// @param own the directory of a person's own profiles, which need not be there
public record AgentProfiles(Path own) {
    private static final List<String> NAMES =
            List.of("claude", "codex", "gemini", "opencode", "copilot", "aider");

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,30}");
    private static final Pattern VARIABLE = Pattern.compile("[A-Z_][A-Z0-9_]{0,63}");
    private static final Pattern PLACEHOLDER = Pattern.compile("[!-~]{1,256}");
    private static final String SUFFIX = ".yaml";

    /// Those that there are, by name.
    public List<String> names() throws IOException {
        Set<String> names = new TreeSet<>(NAMES);
        if (Files.isDirectory(own)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(own, "*" + SUFFIX)) {
                for (Path file : files) {
                    String name = String.valueOf(file.getFileName());
                    names.add(name.substring(0, name.length() - SUFFIX.length()));
                }
            }
        }
        names.removeIf(name -> !NAME.matcher(name).matches());
        return List.copyOf(names);
    }

    /// Empty when no profile has this name.
    public Optional<AgentProfile> find(String name) throws IOException {
        if (!NAME.matcher(name).matches()) {
            return Optional.empty();
        }
        Path file = own.resolve(name + SUFFIX);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            Ownership.requireSafeAncestors(file);
            Ownership.requireUnforgeableFile(file);
            return Optional.of(parse(name, file, Files.readAllBytes(file)));
        }
        return NAMES.contains(name) ? Optional.of(load(name)) : Optional.empty();
    }

    private static AgentProfile load(String name) throws IOException {
        String file = "agents/" + name + SUFFIX;
        return parse(name, Path.of(file), StrictYaml.bundled(file));
    }

    static AgentProfile parse(String name, Path file, byte[] content) throws IOException {
        YamlMapping yaml = StrictYaml.required(file, content);
        yaml.requireOnly(
                List.of(
                        "version",
                        "about",
                        "program",
                        "npm",
                        "install",
                        "presets",
                        "logins",
                        "environment",
                        "files"));
        int version = yaml.version();
        return new AgentProfile(
                name,
                version,
                yaml.requiredText("about"),
                new AgentProfile.Program(
                        program(yaml),
                        yaml.text("npm").orElse(""),
                        yaml.text("install").orElse("")),
                presets(yaml),
                logins(yaml),
                new AgentProfile.Setup(environment(yaml), files(yaml)));
    }

    private static String program(YamlMapping yaml) throws ConfigException {
        return yaml.requiredText(
                "program",
                text -> text.matches("[A-Za-z0-9._-]+"),
                "is not the name of a program.",
                "Write it as in claude.");
    }

    private static List<String> presets(YamlMapping yaml) throws ConfigException {
        List<String> presets = yaml.list("presets", name -> name, "npm").orElse(List.of());
        for (String preset : presets) {
            requirePreset(yaml, "presets", preset);
        }
        return presets;
    }

    private static void requirePreset(YamlMapping yaml, String key, String preset)
            throws ConfigException {
        if (!Presets.names().contains(preset)) {
            throw yaml.problem(
                    key,
                    "names an unknown preset.",
                    "Write one of: " + String.join(", ", Presets.names()) + ".");
        }
    }

    private static List<AgentProfile.Login> logins(YamlMapping yaml) throws ConfigException {
        List<AgentProfile.Login> logins = new ArrayList<>();
        for (YamlMapping entry : yaml.mappings("logins")) {
            entry.requireOnly(
                    List.of(
                            "secret",
                            "host",
                            "what",
                            "file",
                            "kind",
                            "preset",
                            "variable",
                            "placeholder",
                            "environment",
                            "files"));
            String secret =
                    entry.requiredText(
                            "secret",
                            SecretFiles::isName,
                            "is not the name of a secret.",
                            "Write another one.");
            String preset = entry.requiredText("preset");
            requirePreset(entry, "preset", preset);
            logins.add(
                    new AgentProfile.Login(
                            secret,
                            entry.requiredText("host"),
                            entry.requiredText("what"),
                            new AgentProfile.Source(
                                    entry.text("variable").orElse(""),
                                    entry.text("file").orElse(""),
                                    kind(entry)),
                            preset,
                            inside(entry)));
        }
        return logins;
    }

    /// Of a document.
    private static SecretKind kind(YamlMapping login) throws ConfigException {
        Optional<SecretKind> kind = Word.of(SecretKind.class, login.text("kind").orElse("oauth"));
        if (kind.isEmpty() || kind.get().isForGit() || kind.get() == SecretKind.GITHUB_APP) {
            throw login.problem("kind", "is not that of a document.", "Write oauth or aws.");
        }
        return kind.get();
    }

    /// Its files say which login is used, so they replace those of another one.
    private static AgentProfile.Setup inside(YamlMapping login) throws ConfigException {
        Map<String, String> environment = environment(login);
        Optional<String> variable = login.text("variable");
        if (variable.isPresent() || !(login.has("files") || login.has("environment"))) {
            String name = login.requiredText("variable");
            requireVariable(login, "variable", name);
            environment.put(name, placeholder(login));
        }
        List<Seed> files =
                files(login).stream()
                        .map(file -> new Seed(file.path(), file.content(), true))
                        .toList();
        return new AgentProfile.Setup(environment, files);
    }

    private static String placeholder(YamlMapping login) throws ConfigException {
        return login.requiredText(
                "placeholder",
                PLACEHOLDER.asMatchPredicate(),
                "is not 1 to 256 printable ASCII characters without spaces.",
                "Write a word that looks like the secret and is none.");
    }

    private static Map<String, String> environment(YamlMapping yaml) throws ConfigException {
        Map<String, String> environment = new TreeMap<>();
        Optional<YamlMapping> entries = yaml.mapping("environment");
        if (entries.isPresent()) {
            for (String name : entries.get().keys()) {
                requireVariable(entries.get(), name, name);
                environment.put(name, entries.get().requiredText(name));
            }
        }
        return environment;
    }

    private static void requireVariable(YamlMapping yaml, String key, String name)
            throws ConfigException {
        if (!VARIABLE.matcher(name).matches()) {
            throw yaml.problem(
                    key,
                    "is not the name of a variable.",
                    "Write upper-case letters, digits and underscores.");
        }
    }

    private static List<Seed> files(YamlMapping yaml) throws ConfigException {
        List<Seed> files = new ArrayList<>();
        for (YamlMapping entry : yaml.mappings("files")) {
            entry.requireOnly(List.of("path", "content"));
            try {
                files.add(new Seed(entry.requiredText("path"), entry.requiredText("content")));
            } catch (IllegalArgumentException e) {
                throw entry.problem(
                        "path",
                        "cannot be used: " + e.getMessage() + ".",
                        "Write it as in .config/agent/settings.json.");
            }
        }
        return files;
    }
}
