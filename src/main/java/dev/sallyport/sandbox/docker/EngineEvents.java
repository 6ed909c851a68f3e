package dev.sallyport.sandbox.docker;

import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.Event;
import com.github.dockerjava.api.model.EventActor;
import dev.sallyport.policy.SessionId;
import dev.sallyport.sandbox.Nudges;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// What the engine tells of its containers, as it happens. An event only says that it is time to
/// look again; nothing is concluded from what it says. Events that were missed while the engine was
/// away do not matter for that reason: when it is back, everything is looked at.
final class EngineEvents {
    private static final System.Logger LOG = System.getLogger(EngineEvents.class.getName());
    private static final String[] ACTIONS = {
        "die", "destroy", "start", "restart", "rename", "pause", "unpause", "connect"
    };
    private static final Duration PAUSE_MIN = Duration.ofMillis(250);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(15);

    private final DockerEngine engine;
    private final Map<SessionId, Consumer<SessionId>> listeners = new ConcurrentHashMap<>();
    private final Nudges looks = new Nudges(this::look);
    private final AtomicBoolean started = new AtomicBoolean();

    EngineEvents(DockerEngine engine) {
        this.engine = engine;
    }

    void tell(SessionId session, Consumer<SessionId> listener) {
        listeners.put(session, listener);
        if (started.compareAndSet(false, true)) {
            Thread.ofVirtual().name("docker-events").start(this::follow);
        }
    }

    void forget(SessionId session) {
        listeners.remove(session);
    }

    private void follow() {
        Duration pause = PAUSE_MIN;
        while (!Thread.currentThread().isInterrupted()) {
            Stream stream = new Stream();
            try (stream) {
                engine.events(ACTIONS, stream);
                stream.awaitCompletion();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException | RuntimeException e) {
                LOG.log(System.Logger.Level.DEBUG, "the engine's events are cut off", e);
            }
            pause = rest(stream.opened ? PAUSE_MIN : pause);
        }
    }

    private static Duration rest(Duration pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Duration longer = pause.multipliedBy(2);
        return longer.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : longer;
    }

    private void tellAll() {
        listeners.keySet().forEach(looks::nudge);
    }

    private void look(SessionId session) {
        Consumer<SessionId> listener = listeners.get(session);
        if (listener != null) {
            listener.accept(session);
        }
    }

    /// What happens to a stranger may concern any of ours: it may have taken a name, joined a
    /// namespace or connected a network.
    private void heard(Event event) {
        Map<String, String> attributes =
                Optional.ofNullable(event.getActor())
                        .map(EventActor::getAttributes)
                        .orElse(Map.of());
        String named = ContainerShape.sessionOf(attributes);
        Optional<SessionId> ours =
                listeners.keySet().stream().filter(id -> id.value().equals(named)).findFirst();
        boolean ends = Set.of("die", "destroy").contains(Objects.toString(event.getAction(), ""));
        if (ours.isPresent()) {
            looks.nudge(ours.get());
        } else if (!ends) {
            tellAll();
        }
    }

    private final class Stream extends ResultCallback.Adapter<Event> {
        private volatile boolean opened;

        /// From now on nothing is missed; what happened before is found by looking.
        @Override
        public void onStart(Closeable connection) {
            super.onStart(connection);
            opened = true;
            tellAll();
        }

        @Override
        public void onNext(Event event) {
            heard(event);
        }
    }
}
