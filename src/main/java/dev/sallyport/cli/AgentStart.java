package dev.sallyport.cli;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.sallyport.agent.FoundProgram;
import dev.sallyport.agent.ProgramSearch;
import dev.sallyport.agent.ProjectRegistries;
import dev.sallyport.config.AgentProfile;
import dev.sallyport.config.AgentProfiles;
import dev.sallyport.config.Home;
import dev.sallyport.config.KnownWorkspaces;
import dev.sallyport.config.Machine;
import dev.sallyport.config.Seed;
import dev.sallyport.control.Api;
import dev.sallyport.control.ControlClient;
import dev.sallyport.control.ControlException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// An agent that a person wants to start, as its profile says.
///
/// @param found its program; empty when only the image can have it
/// @param login how it proves itself; empty for one that needs no secret
/// @param runtime what it runs on when the person says nothing: where it finds their own tools
record AgentStart(
        AgentProfile profile,
        Optional<FoundProgram> found,
        Optional<AgentProfile.Login> login,
        Optional<String> runtime) {
    private static final String BUBBLEWRAP = "bubblewrap";
    private static final int NOT_EXECUTABLE = 126;
    private static final int NOT_FOUND = 127;
    private static final String HOST_PROGRAM =
            "the C library for which the program of this machine was built (Alpine has another one),"
                    + " and whatever of it lies in /usr here, such as node. Use another image, or"
                    + " --runtime bubblewrap.";

    /// The search path inside is the runtime's or the image's, so it is extended inside.
    private static final String EXTENDED = "PATH=\"$1:$PATH\"; export PATH; shift; exec \"$@\"";

    /// The profiles that a person has.
    static AgentProfiles profiles(Surroundings surroundings) throws IOException {
        return new AgentProfiles(Home.resolve(surroundings.environment()).agents());
    }

    static Optional<FoundProgram> find(Surroundings surroundings, AgentProfile profile)
            throws IOException {
        Map<String, String> environment = surroundings.environment();
        LinkWalk walk = new LinkWalk(new KnownWorkspaces(Home.resolve(environment)).all());
        return new ProgramSearch(
                        environment,
                        Machine.of(environment).home(),
                        path -> withoutPlanted(walk, path))
                .find(profile.program());
    }

    private static Optional<Path> withoutPlanted(LinkWalk walk, Path path) throws IOException {
        try {
            return Optional.of(walk.resolve(path)).filter(real -> !walk.isWritten(real));
        } catch (CliException e) {
            return Optional.empty();
        }
    }

    /// Everything that can be missing is noticed here, before there is a sandbox.
    ///
    /// @param options with an image, which may have the program, or a gateway elsewhere, which has
    ///   the secrets
    static AgentStart of(Output output, AgentProfile profile, SandboxOptions options)
            throws IOException, ControlException, CliException {
        boolean inImage = options.hasImage();
        Optional<FoundProgram> found = find(output.surroundings(), profile);
        if (found.isEmpty() && !inImage) {
            throw notFound(profile);
        }
        try (ControlClient warden = output.wardens().connectOrStart(output)) {
            Optional<AgentProfile.Login> login =
                    profile.logins().isEmpty()
                            ? Optional.empty()
                            : Optional.of(
                                    new AgentLogin(output, profile)
                                            .require(warden, options.gatewayElsewhere()));
            boolean own = "ready".equals(warden.status().runtimes().get(BUBBLEWRAP));
            AgentStart start =
                    new AgentStart(
                            profile,
                            found,
                            login,
                            own && !inImage ? Optional.of(BUBBLEWRAP) : Optional.empty());
            output.progress(start.text());
            return start;
        }
    }

    /// In a sandbox that is there already: when it has the program, because it was made for it.
    static Optional<AgentStart> in(
            Api.SandboxView sandbox, Output output, ControlClient warden, String word)
            throws IOException, ControlException {
        Optional<AgentProfile> profile = profiles(output.surroundings()).find(word);
        Optional<FoundProgram> found =
                profile.isEmpty() ? Optional.empty() : find(output.surroundings(), profile.get());
        if (found.isEmpty() || !sees(sandbox, found.get())) {
            return Optional.empty();
        }
        Optional<AgentProfile.Login> login = AgentLogin.injected(profile.get(), sandbox.egress());
        return Optional.of(
                new AgentStart(
                        profile.get(),
                        found,
                        login.isPresent()
                                ? login
                                : AgentLogin.stored(profile.get(), warden.secrets()),
                        Optional.empty()));
    }

    private static boolean sees(Api.SandboxView sandbox, FoundProgram program) {
        List<Path> seen = new ArrayList<>(List.of(Path.of(sandbox.workspace())));
        sandbox.mounts().extra().forEach(mount -> seen.add(Path.of(mount.path())));
        return program.mounts().stream()
                .allMatch(mount -> seen.stream().anyMatch(mount::startsWith));
    }

    private static CliException notFound(AgentProfile profile) {
        String install = profile.program().install();
        return ExitCode.UNAVAILABLE.because(
                "no-agent",
                "%s is not installed here: it is not in your PATH, nor where version managers install programs. Programs in directories that a sandbox can write to are ignored."
                        .formatted(profile.program().file()),
                install.isEmpty()
                        ? "Install it."
                        : "Install it: "
                                + install
                                + ". Or use an image that has it: --image IMAGE.");
    }

    /// Says why a command may not have started, if its status tells that it did not.
    ///
    /// @param word what was typed where an agent could stand
    static void explain(Output output, Optional<AgentStart> agent, String word, int status)
            throws IOException {
        Optional<String> why =
                agent.isPresent()
                        ? agent.get().obstacle(status)
                        : meant(output.surroundings(), word, status);
        why.ifPresent(output::warn);
    }

    private static Optional<String> meant(Surroundings surroundings, String word, int status)
            throws IOException {
        List<String> near =
                status == NOT_FOUND
                        ? DidYouMean.nearest(word, profiles(surroundings).names())
                        : List.of();
        return near.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "There is no program %s in the sandbox, and no agent with that name. %s"
                                .formatted(word, DidYouMean.question(near)));
    }

    /// Why it may not have started, for a status by which a shell says so.
    private Optional<String> obstacle(int status) {
        boolean inContainer = runtime.isEmpty();
        return inContainer && (status == NOT_EXECUTABLE || status == NOT_FOUND)
                ? Optional.of(
                        profile.name()
                                + " could not be started in this image. The image needs "
                                + (found.isEmpty() ? "the program itself." : HOST_PROGRAM))
                : Optional.empty();
    }

    private String text() {
        return profile.name()
                + found.flatMap(FoundProgram::version).map(version -> " " + version).orElse("")
                + found.map(program -> " from " + program.file()).orElse(" from the image")
                + login.map(way -> ", with the secret " + way.secret()).orElse("");
    }

    /// What it reaches: its model, and what its project is built from.
    List<String> presets(Path workspace, boolean registries) {
        List<String> presets = new ArrayList<>();
        login.map(AgentProfile.Login::preset).ifPresent(presets::add);
        presets.addAll(profile.presets());
        if (registries) {
            presets.addAll(ProjectRegistries.presets(workspace));
        }
        return presets.stream().distinct().toList();
    }

    /// Those of its program that do not lie in the workspace anyway.
    List<Path> mounts(Path workspace) {
        return found.map(FoundProgram::mounts).orElse(List.of()).stream()
                .filter(mount -> !mount.startsWith(workspace))
                .toList();
    }

    List<Seed> seeds(Path workspace) {
        String quoted =
                new String(JsonStringEncoder.getInstance().quoteAsString(workspace.toString()));
        return Stream.concat(
                        profile.setup().files().stream(),
                        login.stream().flatMap(way -> way.inside().files().stream()))
                .map(file -> file.with("workspace", quoted))
                .toList();
    }

    Map<String, String> environment() {
        Map<String, String> environment = new TreeMap<>(profile.setup().environment());
        login.ifPresent(way -> environment.putAll(way.inside().environment()));
        return environment;
    }

    /// @param typed the agent's name and its arguments
    List<String> command(List<String> typed) {
        if (found.isEmpty()) {
            List<String> named = new ArrayList<>(List.of(profile.program().file()));
            named.addAll(typed.subList(1, typed.size()));
            return named;
        }
        List<String> command = new ArrayList<>();
        if (!found.get().directories().isEmpty()) {
            String directories =
                    found.get().directories().stream()
                            .map(Path::toString)
                            .collect(Collectors.joining(":"));
            command.addAll(List.of("/bin/sh", "-c", EXTENDED, "sallyport", directories));
        }
        command.add(found.get().file().toString());
        command.addAll(typed.subList(1, typed.size()));
        return command;
    }
}
