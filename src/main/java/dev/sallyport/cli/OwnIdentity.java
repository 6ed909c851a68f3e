package dev.sallyport.cli;

import dev.sallyport.config.GitIdentity;
import dev.sallyport.sandbox.HostProgram;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// The person's own name and address for commits, as git on the host knows them. Nothing else of
/// their configuration is read, and nothing of the workspace's, which an agent may have written:
/// what is in there holds inside the sandbox anyway.
final class OwnIdentity {
    private static final String NAME = "user.name";
    private static final String EMAIL = "user.email";
    private static final String DEFAULT_BRANCH = "init.defaultbranch";
    private static final String KEYS = "^(user\\.(name|email)|init\\.defaultbranch)$";

    /// Where git looks for a person's configuration.
    private static final List<String> PLACES =
            List.of("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM");

    private static final Duration ANSWER_MAX = Duration.ofSeconds(5);

    /// As [#of], while the caller goes on.
    static CompletableFuture<GitIdentity> find(Map<String, String> environment, Path workspace) {
        return CompletableFuture.supplyAsync(
                () -> of(environment, workspace),
                asking -> Thread.ofPlatform().daemon().name("identity").start(asking));
    }

    /// Empty where git is missing, or knows nothing: the agent is told by git itself then.
    static GitIdentity of(Map<String, String> environment, Path workspace) {
        Map<String, String> found = new HashMap<>(ask("--global", environment, workspace));
        if (!found.keySet().containsAll(List.of(NAME, EMAIL))) {
            ask("--system", environment, workspace).forEach(found::putIfAbsent);
        }
        return new GitIdentity(
                fit(environment, "GIT_AUTHOR_NAME").or(() -> fit(found, NAME)),
                fit(environment, "GIT_AUTHOR_EMAIL").or(() -> fit(found, EMAIL)),
                fit(found, DEFAULT_BRANCH));
    }

    private static Optional<String> fit(Map<String, String> values, String key) {
        return Optional.ofNullable(values.get(key)).filter(GitIdentity::isFit);
    }

    /// In the workspace, because a person's configuration can depend on where they are
    /// (`includeIf`).
    private static Map<String, String> ask(
            String scope, Map<String, String> environment, Path workspace) {
        Optional<Path> git = HostProgram.find("git");
        if (git.isEmpty()) {
            return Map.of();
        }
        List<String> command = new ArrayList<>(List.of(git.get().toString(), "config", scope));
        command.addAll(List.of("--includes", "--null", "--get-regexp", KEYS));
        ProcessBuilder builder =
                HostProgram.builder(command)
                        .directory(workspace.toFile())
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
        PLACES.stream()
                .filter(environment::containsKey)
                .forEach(place -> builder.environment().put(place, environment.get(place)));
        try {
            return parse(HostProgram.run(builder, ProcessBuilder::start, ANSWER_MAX).output());
        } catch (IOException e) {
            return Map.of();
        }
    }

    /// Each entry is a key, a line break, the value, and a NUL. The last of several counts.
    private static Map<String, String> parse(String said) {
        Map<String, String> values = new HashMap<>();
        for (String entry : said.split("\0", -1)) {
            int end = entry.indexOf('\n');
            if (end > 0) {
                values.put(entry.substring(0, end).strip(), entry.substring(end + 1));
            }
        }
        return values;
    }
}
