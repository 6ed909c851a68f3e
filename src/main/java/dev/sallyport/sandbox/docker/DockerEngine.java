package dev.sallyport.sandbox.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.command.InspectContainerResponse;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.exception.NotModifiedException;
import com.github.dockerjava.api.model.Container;
import com.github.dockerjava.api.model.ContainerConfig;
import com.github.dockerjava.api.model.Event;
import com.github.dockerjava.api.model.EventType;
import com.github.dockerjava.api.model.Info;
import com.github.dockerjava.core.DefaultDockerClientConfig;
import com.github.dockerjava.core.DockerClientImpl;
import com.github.dockerjava.zerodep.ZerodepDockerHttpClient;
import dev.sallyport.confine.SyscallFilter;
import dev.sallyport.sandbox.LongWork;
import dev.sallyport.sandbox.SandboxException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The Docker engine behind one address, with a limit on every wait.
final class DockerEngine implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DockerEngine.class.getName());
    private static final Duration CONNECT_MAX = Duration.ofSeconds(2);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(60);
    private static final Duration SILENCE_MAX = Duration.ofMinutes(10);
    private static final Duration PULL_MAX = Duration.ofMinutes(15);

    private final URI address;
    private final Duration answerMax;

    /// Made when it is first used: loading it would be a good part of a daemon's start.
    private @Nullable DockerClient made;

    private DockerEngine(URI address, Duration answerMax) {
        this.address = address;
        this.answerMax = answerMax;
    }

    private synchronized DockerClient client() {
        DockerClient known = made;
        if (known == null) {
            known = connect();
            made = known;
        }
        return known;
    }

    private DockerClient connect() {
        var config =
                DefaultDockerClientConfig.createDefaultConfigBuilder()
                        .withDockerHost(address.toString())
                        .withDockerTlsVerify(false)
                        .build();
        return DockerClientImpl.getInstance(
                config,
                new ZerodepDockerHttpClient.Builder()
                        .dockerHost(address)
                        .connectionTimeout(CONNECT_MAX)
                        .responseTimeout(answerMax)
                        .build());
    }

    static DockerEngine at(URI address) {
        return new DockerEngine(address, ANSWER_MAX);
    }

    /// For events, which may be far apart.
    static DockerEngine patientAt(URI address) {
        return new DockerEngine(address, SILENCE_MAX);
    }

    /// For finding out whether there is an engine at all: gives up soon.
    static DockerEngine impatientAt(URI address) {
        return new DockerEngine(address, CONNECT_MAX);
    }

    @Override
    public synchronized void close() {
        DockerClient known = made;
        if (known == null) {
            return;
        }
        try {
            known.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "closing the engine's connections", e);
        }
    }

    URI address() {
        return address;
    }

    /// Asks the engine; whatever it or the connection says becomes one sentence.
    ///
    /// @param what what was tried, to be read after "Docker could not"
    <T> T ask(String what, Function<DockerClient, T> question) throws SandboxException {
        try {
            return question.apply(client());
        } catch (RuntimeException e) {
            throw new SandboxException("Docker could not " + what + ": " + reason(e), e);
        }
    }

    /// Like [#ask] for what may already be so: the thing is gone, or in the wanted state.
    void ensure(String what, Function<DockerClient, ?> order) throws SandboxException {
        ask(
                what,
                docker -> {
                    try {
                        return order.apply(docker) == null;
                    } catch (NotFoundException | NotModifiedException | ConflictException e) {
                        return false;
                    }
                });
    }

    /// Containers, running or not, that carry all these labels.
    List<Container> containers(Map<String, String> labels) throws SandboxException {
        return ask(
                "list containers",
                docker ->
                        docker.listContainersCmd()
                                .withShowAll(true)
                                .withLabelFilter(labels)
                                .exec());
    }

    /// All that run, whoever made them.
    List<Container> running() throws SandboxException {
        return ask("list containers", docker -> docker.listContainersCmd().exec());
    }

    InspectContainerResponse inspect(String id) throws SandboxException {
        return ask("describe the container", docker -> docker.inspectContainerCmd(id).exec());
    }

    /// Empty when there is no such container; an engine that does not answer is an exception.
    Optional<InspectContainerResponse> find(String id) throws SandboxException {
        return ask(
                "describe the container",
                docker -> {
                    try {
                        return Optional.of(docker.inspectContainerCmd(id).exec());
                    } catch (NotFoundException e) {
                        return Optional.empty();
                    }
                });
    }

    /// Returns at once; the callback is told of what happens to containers from now on.
    void events(String[] actions, ResultCallback<Event> callback) {
        client().eventsCmd()
                .withEventTypeFilter(EventType.CONTAINER, EventType.NETWORK)
                .withEventFilter(actions)
                .exec(callback);
    }

    void requireImage(String image, LongWork work) throws SandboxException {
        boolean present =
                ask(
                        "look for the image " + image,
                        docker -> {
                            try {
                                return docker.inspectImageCmd(image).exec() != null;
                            } catch (NotFoundException e) {
                                return false;
                            }
                        });
        if (!present) {
            pull(image, work);
        }
    }

    void requireRuntime(String name) throws SandboxException {
        Map<String, ?> known =
                ask(
                        "say which runtimes it has",
                        docker ->
                                Objects.requireNonNullElse(
                                        docker.infoCmd().exec().getRuntimes(), Map.of()));
        if (!known.containsKey(name)) {
            throw new SandboxException(
                    "the Docker engine has no runtime %s. It has: %s. Add it to the engine's daemon.json, or choose one of these."
                            .formatted(name, String.join(", ", new TreeSet<>(known.keySet()))));
        }
    }

    /// A filter knows only one processor's calls, and would end the first program at once.
    void requireWide(String image) throws SandboxException {
        String architecture =
                ask(
                        "describe the image " + image,
                        docker ->
                                Objects.requireNonNullElse(
                                        docker.inspectImageCmd(image).exec().getArch(), ""));
        if (SyscallFilter.kills(architecture)) {
            throw new SandboxException(
                    "the image %s is for 32-bit programs (%s), which sandboxes do not run. Choose a 64-bit one with --image."
                            .formatted(image, architecture));
        }
    }

    /// Whom an image that is here is to run as; empty when it does not say.
    String userOf(String image) throws SandboxException {
        return ask(
                "describe the image " + image,
                docker ->
                        Optional.ofNullable(docker.inspectImageCmd(image).exec().getConfig())
                                .map(ContainerConfig::getUser)
                                .orElse(""));
    }

    EngineUsers users() throws SandboxException {
        Info info = ask("say how it runs", docker -> docker.infoCmd().exec());
        return EngineUsers.of(
                Objects.requireNonNullElse(info.getSecurityOptions(), List.of()),
                String.valueOf(info.getDockerRootDir()));
    }

    private void pull(String image, LongWork work) throws SandboxException {
        String remedy =
                "the image %s is not on this machine and could not be pulled. Run `docker pull %s` to see why, or choose another with --image"
                        .formatted(image, image);
        try (ImagePull pull = new ImagePull(image, work)) {
            if (!client().pullImageCmd(image)
                    .exec(pull)
                    .awaitCompletion(PULL_MAX.toSeconds(), TimeUnit.SECONDS)) {
                throw new SandboxException(remedy + " (it took too long).");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException(remedy + " (interrupted).", e);
        } catch (IOException e) {
            throw new SandboxException(remedy + " (" + e.getMessage() + ").", e);
        } catch (RuntimeException e) {
            throw new SandboxException(remedy + " (" + reason(e) + ").", e);
        }
    }

    private static String reason(RuntimeException e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage()).strip();
    }
}
