package dev.sallyport.sidecar;

import dev.sallyport.carry.CarryClient;
import dev.sallyport.carry.CarryTls;
import dev.sallyport.carry.Dialler;
import dev.sallyport.channel.GatewayListener;
import dev.sallyport.channel.ListenerKind;
import dev.sallyport.channel.Message;
import dev.sallyport.config.Limits;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.security.PrivateKey;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Does what the warden says, for one session. All of it happens on one event loop.
public final class Sidecar implements GatewayListener {
    private static final System.Logger LOG = System.getLogger(Sidecar.class.getName());

    /// Certificates live for an hour; a new one is wanted after about a third of that.
    private static final int RENEW_SECONDS_MIN = 15 * 60;

    private static final int RENEW_SECONDS_SPREAD = 10 * 60;

    /// How long an answer to a wish for a certificate may take before it is asked for again.
    private static final int WANTED_SECONDS_MAX = 10;

    private static final String OVER = "the session is over";

    private final EventLoopGroup loop;
    private final Consumer<Message> warden;
    private final Consumer<String> halt;
    private final Seal seal;
    private @Nullable Carried carried;

    /// What there is once the warden has said for whom.
    private record Carried(
            Message.Carry told,
            SessionKeys keys,
            Wishes wishes,
            CarryClient client,
            Listeners listeners,
            InwardDoors inward) {
        String session() {
            return told.session();
        }
    }

    /// Gives up what a sidecar does not need, for good.
    public interface Seal {
        /// Called once.
        ///
        /// @param connects whether it still connects sockets that it is given
        void close(boolean connects) throws IOException;
    }

    private Optional<Limits.Sharing> limits = Optional.empty();
    private @Nullable Future<?> alarm;

    /// What was wanted and has not come. It is the same key when it is wanted again, for the answer
    /// may be on its way.
    private Optional<SessionKeys.Wanted> pending = Optional.empty();

    private boolean attached;
    private boolean connected;
    private boolean told;

    /// @param warden told what the sidecar wants and how it gets on; must not block
    /// @param halt ends this process, with a reason
    /// @param seal closed before there is a socket
    public Sidecar(
            EventLoopGroup loop, Consumer<Message> warden, Consumer<String> halt, Seal seal) {
        this.loop = loop;
        this.warden = warden;
        this.halt = halt;
        this.seal = seal;
    }

    @Override
    public void received(Message message, List<FileDescriptor> descriptors) {
        switch (message) {
            case Message.Configure configure -> {
                limits = Optional.of(configure.limits().sharing());
                warden.accept(new Message.Ready());
            }
            case Message.Carry carry -> carry(carry);
            case Message.Certified made -> certified(of(made.session()), made);
            case Message.Line line -> of(line.session()).wishes().answered(line, descriptors);
            case Message.Attach attach -> attach(of(attach.session()), attach, descriptors);
            case Message.Ports ports -> ports(of(ports.session()), ports, descriptors);
            case Message.Sockets sockets -> of(sockets.session()).inward().supply(descriptors);
            case Message.Detach _ -> detach();
            case Message.Hosts _,
                    Message.Lend _,
                    Message.LoginStored _,
                    Message.Answered _,
                    Message.PublicPort _,
                    Message.PublicPortClosed _,
                    Message.Badges _,
                    Message.Reply _ ->
                    halt.accept("a message for a gateway");
            case Message.ToWarden _ -> halt.accept("a message of the sidecar came back");
        }
    }

    @Override
    public void ended(String reason) {
        halt.accept(reason);
    }

    /// What passed through its ports last is told before this process ends: it leaves when the
    /// channel has been read, so the end comes after that.
    private void detach() {
        Carried known = carried;
        if (known != null && known.inward().close()) {
            loop.next().execute(() -> halt.accept(OVER));
        } else {
            halt.accept(OVER);
        }
    }

    private Carried of(String session) {
        Carried known = carried;
        if (known == null || !known.session().equals(session)) {
            throw new IllegalStateException("a sidecar carries one session");
        }
        return known;
    }

    /// Said again when the certificate is of no use any more.
    private void carry(Message.Carry carry) {
        if (carried != null) {
            want(of(carry.session()).keys().begin());
            return;
        }
        try {
            seal.close(carry.publishes());
        } catch (IOException e) {
            halt.accept(String.valueOf(e.getMessage()));
            return;
        }
        Wishes wishes = new Wishes(carry.session(), warden);
        CarryClient client = new CarryClient(loop, wishes, new Outcome());
        carried =
                new Carried(
                        carry,
                        new SessionKeys(carry.session()),
                        wishes,
                        client,
                        new Listeners(loop, client),
                        new InwardDoors(carry.session(), loop, warden, () -> limits.orElseThrow()));
        want(of(carry.session()).keys().begin());
    }

    private void want(SessionKeys.Wanted wanted) {
        Carried known = carried;
        pending = Optional.of(wanted);
        if (known != null) {
            warden.accept(
                    new Message.CertificateWanted(known.session(), wanted.key(), wanted.proof()));
            wake(WANTED_SECONDS_MAX);
        }
    }

    /// One for a key that is not wanted any more comes too late.
    private void certified(Carried known, Message.Certified made) {
        Optional<PrivateKey> key = known.keys().certified(made.key());
        if (key.isEmpty()) {
            return;
        }
        pending = Optional.empty();
        known.client()
                .use(
                        CarryTls.client(made.certificatePem(), key.get(), made.authorities()),
                        made.gateway());
        wake(RENEW_SECONDS_MIN + ThreadLocalRandom.current().nextInt(RENEW_SECONDS_SPREAD));
    }

    private void wake(int seconds) {
        Future<?> before = alarm;
        if (before != null) {
            before.cancel(false);
        }
        alarm = loop.next().schedule(this::renew, seconds, TimeUnit.SECONDS);
    }

    private void renew() {
        Carried known = carried;
        if (known != null) {
            want(pending.orElseGet(known.keys()::renew));
        }
    }

    private void attach(Carried known, Message.Attach attach, List<FileDescriptor> descriptors) {
        List<ListenerKind> kinds = attach.listeners();
        for (int i = 0; i < kinds.size(); i++) {
            known.listeners().listen(kinds.get(i), descriptors.get(i));
        }
        attached = true;
        tellWhenReady();
    }

    /// The first published port needs a process that connects; the next one is told.
    private void ports(Carried known, Message.Ports ports, List<FileDescriptor> descriptors) {
        if (!ports.inward().isEmpty() && !known.told().publishes()) {
            halt.accept("ports are published now, and this process does not connect");
            return;
        }
        int listed = ports.outward().size();
        known.listeners().change(ports.outward(), descriptors.subList(0, listed));
        known.inward().change(ports.inward(), descriptors.subList(listed, descriptors.size()));
    }

    /// Whoever starts the sandbox waits until its gateway is there.
    private void tellWhenReady() {
        Carried known = carried;
        if (known != null && attached && connected && !told) {
            told = true;
            warden.accept(new Message.Attached(known.session()));
        }
    }

    /// What becomes of the connections to the gateway.
    private final class Outcome implements CarryClient.Events {
        private String last = "none yet";

        @Override
        public void connected() {
            connected = true;
            tell("", false);
            tellWhenReady();
        }

        @Override
        public void refused(String why) {
            tell(why, true);
        }

        @Override
        public void lost(String why) {
            tell(why, false);
        }

        private void tell(String trouble, boolean refused) {
            Carried known = carried;
            if (!trouble.equals(last)) {
                LOG.log(Level.INFO, trouble.isEmpty() ? "connected to the gateway" : trouble);
            }
            last = trouble;
            if (known != null) {
                warden.accept(new Message.CarriedBy(known.session(), trouble, refused));
            }
        }
    }

    /// Connections to the gateway, which the warden makes: this process has no network. On one
    /// event loop.
    private static final class Wishes implements Dialler {
        private final String session;
        private final Consumer<Message> warden;
        private @Nullable Wish open;

        private record Wish(Consumer<FileDescriptor> made, Consumer<String> failed) {}

        Wishes(String session, Consumer<Message> warden) {
            this.session = session;
            this.warden = warden;
        }

        @Override
        public void dial(Consumer<FileDescriptor> made, Consumer<String> failed) {
            open = new Wish(made, failed);
            warden.accept(new Message.LineWanted(session));
        }

        /// What nobody wished for is closed.
        ///
        /// @param descriptors one, or none if there is trouble; ownership passes
        void answered(Message.Line line, List<FileDescriptor> descriptors) {
            Wish wish = open;
            open = null;
            if (wish == null) {
                descriptors.forEach(Dialler::discard);
            } else if (descriptors.isEmpty()) {
                wish.failed().accept(line.trouble());
            } else {
                wish.made().accept(descriptors.getFirst());
            }
        }
    }
}
