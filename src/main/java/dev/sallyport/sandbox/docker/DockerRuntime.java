package dev.sallyport.sandbox.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.HostConfig;
import dev.sallyport.config.SystemCertificates;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.ExecPlan;
import dev.sallyport.sandbox.ExecRequest;
import dev.sallyport.sandbox.HostProgram;
import dev.sallyport.sandbox.Identity;
import dev.sallyport.sandbox.Installation;
import dev.sallyport.sandbox.LeftoverFiles;
import dev.sallyport.sandbox.LongWork;
import dev.sallyport.sandbox.Person;
import dev.sallyport.sandbox.RuntimeKind;
import dev.sallyport.sandbox.SandboxEnvironment;
import dev.sallyport.sandbox.SandboxException;
import dev.sallyport.sandbox.SandboxFiles;
import dev.sallyport.sandbox.SandboxHome;
import dev.sallyport.sandbox.SandboxRuntime;
import dev.sallyport.sandbox.SandboxSpec;
import dev.sallyport.sandbox.SandboxTrust;
import dev.sallyport.sandbox.Seeding;
import dev.sallyport.sandbox.Sighting;
import dev.sallyport.sandbox.Workspace;
import dev.sallyport.sandbox.WorkspaceMount;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Sandboxes that are containers of any image, unmodified.
public final class DockerRuntime implements SandboxRuntime {
    public static final URI DEFAULT_ENGINE = URI.create("unix:///var/run/docker.sock");
    public static final String DEFAULT_IMAGE = "debian:stable-slim";

    private final Installation installation;
    private final Person person;
    private final DockerEngine engine;
    private final LongWork work;
    private final ContainerShape shape;
    private final Neighbours neighbours;
    private final EngineEvents events;

    /// The engine that `DOCKER_HOST` names, if it is on this machine; otherwise the usual one.
    public static URI engine(Map<String, String> environment) {
        String named = environment.getOrDefault("DOCKER_HOST", "");
        return named.startsWith("unix:///") ? URI.create(named) : DEFAULT_ENGINE;
    }

    /// @param engine address as in `DOCKER_HOST`
    public DockerRuntime(Installation installation, Person person, URI engine) {
        this(installation, person, engine, new LongWork());
    }

    /// @param work is told how far an image is that is pulled
    public DockerRuntime(Installation installation, Person person, URI engine, LongWork work) {
        this.work = work;
        this.installation = installation;
        this.person = person;
        this.engine = DockerEngine.at(engine);
        this.shape = new ContainerShape(installation);
        this.neighbours = new Neighbours(this.engine);
        this.events = new EngineEvents(DockerEngine.patientAt(engine));
    }

    @Override
    public RuntimeKind kind() {
        return RuntimeKind.DOCKER;
    }

    @Override
    public Optional<String> obstacle() {
        return new DockerObstacle(engine.address(), person).find();
    }

    @Override
    public Identity create(SandboxSpec spec) throws SandboxException {
        try {
            Workspace.requireUnchanged(spec);
            String image = spec.image().orElse(DEFAULT_IMAGE);
            if (spec.hardening().runtimeClass().isPresent()) {
                engine.requireRuntime(spec.hardening().runtimeClass().get());
            }
            engine.requireImage(image, work);
            engine.requireWide(image);
            EngineUsers users = engine.users();
            if (spec.hardening().userNamespace()) {
                users.requirePrivate();
            }
            ContainerUser user = ContainerUser.of(spec, engine.userOf(image), users);
            SandboxFiles.write(spec, person);
            ContainerHome home = ContainerHome.make(spec, user, users);
            String container = createContainer(spec, user, home);
            new ContainerAccount(engine, container, home.inside())
                    .make(user, SandboxFiles.fullName(spec));
            ContainerTrust.copyBundles(engine, container, spec);
            return run(spec, container, home);
        } catch (SandboxException e) {
            removeAfterFailure(spec, e);
            throw e;
        }
    }

    private String createContainer(SandboxSpec spec, ContainerUser user, ContainerHome home)
            throws SandboxException {
        try {
            HostConfig hostConfig = shape.hostConfig(spec, home.directory());
            return engine.ask(
                    "create the container",
                    docker ->
                            creation(docker, spec, hostConfig, user)
                                    .withEnv(environment(spec, home))
                                    .exec()
                                    .getId());
        } catch (IOException e) {
            throw new SandboxException("cannot read /proc/meminfo: " + e.getMessage(), e);
        }
    }

    private CreateContainerCmd creation(
            DockerClient docker, SandboxSpec spec, HostConfig hostConfig, ContainerUser user) {
        CreateContainerCmd command =
                docker.createContainerCmd(spec.image().orElse(DEFAULT_IMAGE))
                        .withName(ContainerShape.containerName(spec))
                        .withHostName(SandboxFiles.HOSTNAME)
                        .withLabels(shape.labels(spec.id()))
                        .withEntrypoint(ContainerShape.IDLE)
                        .withCmd(List.of())
                        .withNetworkDisabled(true)
                        .withHostConfig(hostConfig);
        user.numbers().ifPresent(numbers -> command.withUser(numbers.label()));
        return command;
    }

    private static List<String> environment(SandboxSpec spec, ContainerHome home) {
        SortedMap<String, String> variables = SandboxEnvironment.common(spec);
        home.directory().ifPresent(_ -> variables.put("HOME", SandboxHome.PLACE.toString()));
        variables.putAll(SandboxTrust.variables(spec));
        return variables.entrySet().stream()
                .map(variable -> variable.getKey() + "=" + variable.getValue())
                .toList();
    }

    private Identity run(SandboxSpec spec, String container, ContainerHome home)
            throws SandboxException {
        engine.ensure(
                "start the container (an image must contain `sleep`)",
                docker -> docker.startContainerCmd(container).exec());
        Identity identity = new DockerIdentity(engine, shape, neighbours).of(container, spec);
        HostKernel.require(identity.pid());
        WorkspaceMount.requireOrStop(this, spec, identity);
        fill(spec, identity, home);
        return identity;
    }

    /// Puts into a new home what the image has in its own, and seeds into any.
    private void fill(SandboxSpec spec, Identity identity, ContainerHome home)
            throws SandboxException {
        if (home.isNew()) {
            enter(identity, List.of("/bin/sh", "-c", ContainerHome.COPY));
        }
        // An image without a shell has no use for large files, either.
        if (Seeding.isNeeded(spec)
                && !enter(identity, List.of("/bin/sh", Seeding.PLACE))
                && !spec.home().seeds().isEmpty()) {
            throw new SandboxException(
                    "cannot put files into the sandbox's home directory. An image must contain `sh` for that.");
        }
    }

    /// @return whether it ran and succeeded
    private boolean enter(Identity identity, List<String> command) throws SandboxException {
        ExecRequest request = new ExecRequest(command, false, Path.of("/"), Map.of());
        ExecPlan plan = new DockerExec(engine.address()).plan(identity, request);
        ProcessBuilder builder = HostProgram.builder(plan.argv()).redirectErrorStream(true);
        builder.environment().putAll(plan.environment());
        try {
            return HostProgram.run(builder, ProcessBuilder::start).exitCode() == 0;
        } catch (IOException e) {
            throw new SandboxException("cannot enter the container: " + e.getMessage(), e);
        }
    }

    @Override
    public Identity start(SandboxSpec spec, Optional<Identity> before) throws SandboxException {
        Workspace.requireUnchanged(spec);
        SandboxFiles.write(spec, person);
        Optional<Container> found =
                engine.containers(shape.labels(spec.id())).stream()
                        .filter(container -> isSame(container, before))
                        .findFirst();
        if (found.isEmpty()) {
            throw new SandboxException(
                    "the container of %s was removed. Remove the rest with: sallyport destroy %s"
                            .formatted(spec.name(), spec.name()));
        }
        String container = found.get().getId();
        try {
            return run(spec, container, ContainerHome.NONE);
        } catch (SandboxException e) {
            killAfterFailure(container, e);
            throw e;
        }
    }

    private void killAfterFailure(String container, SandboxException failure) {
        try {
            kill(container);
        } catch (SandboxException e) {
            failure.addSuppressed(e);
        }
    }

    private void kill(String container) throws SandboxException {
        engine.ensure("stop the container", docker -> docker.killContainerCmd(container).exec());
    }

    private static boolean isSame(Container container, Optional<Identity> before) {
        return before.map(identity -> identity.runtimeId().equals(container.getId())).orElse(true);
    }

    @Override
    public void stop(SandboxSpec spec, Identity identity) throws SandboxException {
        for (Container container : engine.containers(shape.labels(spec.id()))) {
            kill(container.getId());
        }
    }

    @Override
    public void destroy(SandboxSpec spec, Optional<Identity> identity) throws SandboxException {
        events.forget(spec.id());
        remove(shape.labels(spec.id()), Set.of());
        SandboxFiles.remove(spec.files());
    }

    @Override
    public Sighting look(SandboxSpec spec, Identity known) {
        return new DockerSight(engine, shape, neighbours).look(spec, known);
    }

    @Override
    public ExecPlan exec(SandboxSpec spec, Identity identity, ExecRequest request)
            throws SandboxException {
        requireAlive(spec, identity);
        return new DockerExec(engine.address()).plan(identity, request);
    }

    @Override
    public void onChange(SandboxSpec spec, Consumer<SessionId> listener) {
        events.tell(spec.id(), listener);
    }

    @Override
    public int sweep(Set<SessionId> known) throws SandboxException {
        Set<String> keep = known.stream().map(SessionId::value).collect(Collectors.toSet());
        int swept = remove(shape.labelsOfAll(), keep);
        LeftoverFiles.remove(installation, kind(), known);
        return swept;
    }

    private int remove(Map<String, String> labels, Set<String> keep) throws SandboxException {
        int removed = 0;
        for (Container container : engine.containers(labels)) {
            if (!keep.contains(ContainerShape.sessionOf(container.getLabels()))) {
                engine.ensure(
                        "remove the container",
                        docker ->
                                docker.removeContainerCmd(container.getId())
                                        .withForce(true)
                                        .withRemoveVolumes(true)
                                        .exec());
                removed++;
            }
        }
        return removed;
    }

    /// Puts the bundle of a sandbox with an authority of its own where programs of the image look
    /// that know no variable. It is copied into the container, not mounted: over a mount, no
    /// package that brings a new bundle could be installed.
    private static final class ContainerTrust {
        /// An image that has no such directory has no such program.
        static void copyBundles(DockerEngine engine, String container, SandboxSpec spec)
                throws SandboxException {
            if (spec.caPem().isEmpty()) {
                return;
            }
            for (Path place : SystemCertificates.BUNDLES) {
                Path named = named(spec, String.valueOf(place.getFileName()));
                engine.ensure(
                        "copy certificates into the container",
                        docker ->
                                docker.copyArchiveToContainerCmd(container)
                                        .withHostResource(named.toString())
                                        .withRemotePath(String.valueOf(place.getParent()))
                                        .exec());
            }
        }

        /// The engine keeps the name that a file has here.
        private static Path named(SandboxSpec spec, String name) throws SandboxException {
            Path bundle = spec.files().resolve(SandboxTrust.BUNDLE);
            Path named = spec.files().resolve(name);
            try {
                return named.equals(bundle)
                        ? bundle
                        : Files.copy(
                                bundle,
                                named,
                                StandardCopyOption.COPY_ATTRIBUTES,
                                StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException e) {
                throw new SandboxException("cannot copy certificates: " + e.getMessage(), e);
            }
        }
    }

    /// The `docker exec` that runs a person's command in their container. Docker makes the terminal
    /// inside the container, so the person's own never gets in.
    record DockerExec(URI engine) {
        /// Names that would mean something to the client itself, or to the loader that starts it.
        /// Their values go on its command line; all others through its environment, where they are
        /// not seen.
        private static final Pattern NAME_OF_THE_CLIENT =
                Pattern.compile(
                        "LD_.*|DOCKER_.*|GO.*|SSL_.*|.*_proxy|.*_PROXY|HOME|PATH|TERM|TMPDIR");

        ExecPlan plan(Identity identity, ExecRequest request) throws SandboxException {
            if (request.command().isEmpty() || request.command().getFirst().isEmpty()) {
                throw new SandboxException("there is no command to run. Give one after --.");
            }
            Map<String, String> variables =
                    SandboxEnvironment.with(new TreeMap<>(), request.environment());
            Map<String, String> environment = new TreeMap<>();
            List<String> argv = new ArrayList<>();
            argv.addAll(List.of(HostProgram.require("docker"), "-H", engine.toString(), "exec"));
            argv.addAll(request.tty() ? List.of("-i", "-t") : List.of("-i"));
            argv.addAll(List.of("-w", request.directory().toString()));
            for (Map.Entry<String, String> variable : variables.entrySet()) {
                boolean onCommandLine = NAME_OF_THE_CLIENT.matcher(variable.getKey()).matches();
                if (!onCommandLine) {
                    environment.put(variable.getKey(), variable.getValue());
                }
                String value = onCommandLine ? "=" + variable.getValue() : "";
                argv.addAll(List.of("-e", variable.getKey() + value));
            }
            argv.add(identity.runtimeId());
            argv.addAll(request.command());
            environment.put("PATH", "/usr/bin:/bin");
            if (request.tty()) {
                environment.put("TERM", variables.getOrDefault("TERM", "xterm-256color"));
            }
            return new ExecPlan(argv, environment, false);
        }
    }
}
