package dev.sallyport.sidecar;

import dev.sallyport.carry.CarryClient;
import dev.sallyport.carry.CarryTls;
import dev.sallyport.channel.GatewayListener;
import dev.sallyport.channel.ListenerKind;
import dev.sallyport.channel.Message;
import dev.sallyport.config.Limits;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.Future;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
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
    private @Nullable Carried carried;

    /// What there is once the warden has said where to.
    private record Carried(
            String session,
            SessionKeys keys,
            CarryClient client,
            Listeners listeners,
            InwardDoors inward) {}

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
    public Sidecar(EventLoopGroup loop, Consumer<Message> warden, Consumer<String> halt) {
        this.loop = loop;
        this.warden = warden;
        this.halt = halt;
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
            case Message.Ready _,
                    Message.Attached _,
                    Message.SocketsWanted _,
                    Message.Used _,
                    Message.Lent _,
                    Message.Lending _,
                    Message.LoginRenewed _,
                    Message.Ask _,
                    Message.Withdraw _,
                    Message.Figures _,
                    Message.Knock _,
                    Message.CertificateWanted _,
                    Message.CarriedBy _,
                    Message.PortUsed _ ->
                    halt.accept("a message of the sidecar came back");
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
        CarryClient client = new CarryClient(loop, address(carry.gateway()), new Outcome());
        carried =
                new Carried(
                        carry.session(),
                        new SessionKeys(carry.session()),
                        client,
                        new Listeners(loop, client),
                        new InwardDoors(carry.session(), loop, warden, () -> limits.orElseThrow()));
        want(of(carry.session()).keys().begin());
    }

    /// @param gateway `host:port`; an IPv6 address is in brackets
    private static InetSocketAddress address(String gateway) {
        int colon = gateway.lastIndexOf(':');
        return InetSocketAddress.createUnresolved(
                gateway.substring(0, colon), Integer.parseInt(gateway.substring(colon + 1)));
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
                        address(made.gateway()));
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

    private static void ports(
            Carried known, Message.Ports ports, List<FileDescriptor> descriptors) {
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
}
