package dev.sallyport.pod;

import dev.sallyport.channel.GatewayListener;
import dev.sallyport.channel.Message;
import dev.sallyport.host.GatewayException;
import dev.sallyport.sandbox.PodFiles;
import io.netty.channel.EventLoop;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Stands in for the warden that a sidecar has elsewhere: has its keys certified, and says when the
/// agent may start. Messages come and go on the sidecar's event loop; whatever blocks does not.
final class PodWarden implements Consumer<Message> {
    private static final System.Logger LOG = System.getLogger(PodWarden.class.getName());

    /// Between two requests for a first certificate, when the gateway does not take the present
    /// one.
    private static final Duration BEGIN_AGAIN_AFTER = Duration.ofSeconds(10);

    /// How long connections may be lost before another gateway is asked, if there is one.
    private static final Duration LOST_MAX = Duration.ofSeconds(2);

    private static final String POD_OVER = "pod-over";
    private static final int FORBIDDEN = 403;

    private final String session;
    private final PodGateway gateway;
    private final PodFiles files;
    private final EventLoop loop;
    private final Consumer<String> halt;
    private final AtomicBoolean certifying = new AtomicBoolean();
    private @Nullable GatewayListener sidecar;
    private String said = "";
    private long begunNanos;
    private Optional<Long> lostNanos = Optional.empty();

    /// @param halt ends this process, with a reason
    PodWarden(
            String session,
            PodGateway gateway,
            PodFiles files,
            EventLoop loop,
            Consumer<String> halt) {
        this.session = session;
        this.gateway = gateway;
        this.files = files;
        this.loop = loop;
        this.halt = halt;
    }

    /// The sidecar begins to carry what connects to these sockets.
    ///
    /// @param doors with their descriptors
    void begin(GatewayListener to, PodSockets doors) {
        loop.execute(
                () -> {
                    sidecar = to;
                    carry();
                    to.received(doors.attach(session), doors.doorDescriptors());
                    to.received(doors.ports(session), doors.portDescriptors());
                });
    }

    private void carry() {
        begunNanos = System.nanoTime();
        send(new Message.Carry(session, false));
    }

    private void send(Message message, FileDescriptor... descriptors) {
        GatewayListener to = sidecar;
        if (to != null) {
            to.received(message, List.of(descriptors));
        }
    }

    @Override
    public void accept(Message message) {
        switch (message) {
            case Message.Ready _ -> LOG.log(Level.DEBUG, "the sidecar is there");
            case Message.Attached _ -> ready();
            case Message.CertificateWanted wanted ->
                    Thread.ofVirtual().name("certificate").start(() -> certify(wanted));
            case Message.LineWanted _ -> Thread.ofVirtual().name("line").start(this::connect);
            case Message.CarriedBy(String _, String trouble, boolean refused) ->
                    carried(trouble, refused);
            default -> halt.accept("a message that no sidecar sends: " + message.getClass());
        }
    }

    private void ready() {
        try {
            files.ready(true);
            LOG.log(Level.INFO, "ready: session {0}", session);
        } catch (IOException e) {
            halt.accept("the agent cannot be told that all is ready: " + e.getMessage());
        }
    }

    /// The sidecar waits with the next wish for a certificate if there is no answer to one.
    private void carried(String trouble, boolean refused) {
        say(trouble);
        long now = System.nanoTime();
        lostNanos = trouble.isEmpty() ? Optional.empty() : lostNanos.or(() -> Optional.of(now));
        boolean late = now - begunNanos > BEGIN_AGAIN_AFTER.toNanos();
        if (late && !certifying.get() && (refused || isLost(now))) {
            carry();
        }
    }

    /// Whether another gateway may be better.
    private boolean isLost(long now) {
        return lostNanos.filter(since -> now - since > LOST_MAX.toNanos()).isPresent()
                && gateway.hasSeveral();
    }

    private void say(String trouble) {
        if (!trouble.equals(said) && !trouble.isEmpty()) {
            LOG.log(Level.WARNING, trouble);
        }
        said = trouble;
    }

    /// One at a time.
    private void certify(Message.CertificateWanted wanted) {
        if (!certifying.compareAndSet(false, true)) {
            return;
        }
        try {
            Message made = gateway.certify(session, wanted.key(), wanted.proof());
            loop.execute(() -> send(made));
        } catch (GatewayException e) {
            loop.execute(() -> say(sentence(e)));
            refused(e, !wanted.proof().isEmpty());
        } finally {
            certifying.set(false);
        }
    }

    /// A pod has a network, and a firewall that leaves the sidecar nothing but its gateway.
    private void connect() {
        try {
            FileDescriptor made = gateway.connect();
            loop.execute(() -> send(new Message.Line(session, "", 0, 1), made));
        } catch (IOException | RuntimeException e) {
            loop.execute(() -> send(new Message.Line(session, String.valueOf(e), 0, 0)));
        }
    }

    static String sentence(GatewayException e) {
        return e.getMessage() + " " + e.remedy();
    }

    private void refused(GatewayException e, boolean renewal) {
        if (e.status() == GatewayException.NOT_FOUND) {
            halt.accept("the gateway has ended the session");
        } else if (e.status() == FORBIDDEN || e.status() == GatewayException.UNAVAILABLE) {
            enrolAgain();
        }
        if (renewal && e.status() < GatewayException.UNAVAILABLE) {
            // An answer was lost, perhaps, and the gateway knows a newer key.
            loop.execute(this::carry);
        }
    }

    /// To a host that it does not know any more, a gateway says nothing. Then either it is away, or
    /// this pod was forgotten; the answer to an enrolment tells.
    private void enrolAgain() {
        try {
            gateway.enrol();
        } catch (GatewayException e) {
            if (e.code().equals(POD_OVER)) {
                halt.accept("the gateway has ended the session of this pod");
            }
            loop.execute(() -> say(sentence(e)));
        } catch (IOException e) {
            loop.execute(() -> say(String.valueOf(e.getMessage())));
        }
    }
}
