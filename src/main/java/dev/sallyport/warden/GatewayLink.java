package dev.sallyport.warden;

import dev.sallyport.channel.ChannelServer;
import dev.sallyport.channel.ListenerKind;
import dev.sallyport.channel.Message;
import dev.sallyport.policy.SessionId;
import dev.sallyport.porter.Listener;
import dev.sallyport.sandbox.LongWork;
import dev.sallyport.session.Session;
import dev.sallyport.session.SessionLeases;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The gateway as the rest of the warden sees it: always there, whichever process it is. It keeps
/// every listening descriptor, so that a new gateway process can go on where the last one died.
final class GatewayLink {
    private static final System.Logger LOG = System.getLogger(GatewayLink.class.getName());

    private final LinkMessages messages;
    private final SessionLeases leases;
    private final Map<SessionId, Attachment> attachments = new ConcurrentHashMap<>();

    private final Departed departed = new Departed();
    private final LongWork work = new LongWork();
    private final Borrowing borrowing = new Borrowing(work);
    private final SocketSupply supply = new SocketSupply();
    private Optional<PublicPort> publicPort = Optional.empty();
    private @Nullable ChannelServer gateway;

    /// The newest gateway, even when it is over: what was on its way to it may still need its
    /// descriptors.
    private @Nullable ChannelServer last;

    /// @param leases says which sessions may be served
    GatewayLink(LinkMessages messages, SessionLeases leases) {
        this.messages = messages;
        this.leases = leases;
    }

    Message.Configure configuration() {
        return messages.configure();
    }

    /// Hands a session over. The descriptors are ours from now on, whatever happens. The future
    /// completes when the gateway accepts connections for it.
    ///
    /// @param before called when nothing else is missing
    synchronized CompletableFuture<Void> attach(
            Session session, List<Listener> listeners, OpenPorts ports, Doors.Before before)
            throws IOException, OperationException {
        Attachment attachment = Attachment.of(session, listeners, ports);
        Message.Attach message;
        try {
            message = ready(attachment, before);
        } catch (IOException | OperationException | RuntimeException e) {
            release(attachment);
            messages.ended(session.id());
            throw e;
        }
        if (attachments.putIfAbsent(session.id(), attachment) != null) {
            throw new IllegalStateException("attached twice: " + session.id());
        }
        attachment.answers().owe();
        ChannelServer current = gateway;
        if (current != null) {
            current.attach(message, attachment.descriptors());
            sendRest(current, attachment);
        }
        return attachment.answers().all();
    }

    private Message.Attach ready(Attachment attachment, Doors.Before before)
            throws IOException, OperationException {
        Message.Attach message = messages.attach(attachment.session(), attachment.kinds());
        try {
            if (!holds(attachment.session().id())) {
                throw new IOException(LostLeases.REASON);
            }
            before.run();
            return message;
        } catch (IOException | OperationException | RuntimeException e) {
            message.wipe();
            throw e;
        }
    }

    /// Tells the gateway the present git hosts, before any right that relies on them.
    synchronized void changeHosts() {
        Optional.ofNullable(gateway).ifPresent(current -> current.send(messages.hosts()));
    }

    /// Tells the gateway the present secrets of sessions that have changed.
    synchronized void refresh(Predicate<Session> changed) {
        ChannelServer current = gateway;
        if (current == null) {
            return;
        }
        attachments.values().stream()
                .filter(attachment -> changed.test(attachment.session()))
                .forEach(attachment -> attachAgain(current, attachment));
    }

    private void attachAgain(ChannelServer to, Attachment attachment) {
        // A sidecar says once that it is ready.
        if (!attachment.session().isCarried()) {
            attachment.answers().owe();
        }
        to.attach(attachMessage(attachment.session(), List.of()), List.of());
        messages.after(attachment.session()).forEach(to::send);
    }

    /// Tells the gateway the new rights of a session that has doors.
    synchronized void change(Session session) {
        Attachment known = attachments.get(session.id());
        if (known == null) {
            return;
        }
        Attachment changed = known.with(session, known.ports());
        attachments.put(session.id(), changed);
        departed.leave(known.session());
        ChannelServer current = gateway;
        if (current == null) {
            changed.answers().owe();
        } else {
            attachAgain(current, changed);
        }
    }

    /// Completes when the gateway goes by all that it was told of a session; if there is none, when
    /// the next one does. At once if the session has no doors.
    CompletableFuture<Void> settled(SessionId id) {
        return Optional.ofNullable(attachments.get(id))
                .map(attachment -> attachment.answers().all())
                .orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    /// As [#settled], for all sessions; one that loses its doors meanwhile is settled.
    CompletableFuture<Void> allSettled() {
        return Attachment.settled(attachments.values());
    }

    /// What the gateway has not answered yet it may never answer. If it does, that may be taken for
    /// the answer to a later change.
    void stopWaiting(SessionId id) {
        Optional.ofNullable(attachments.get(id)).ifPresent(known -> known.answers().giveUp());
    }

    void stopWaiting() {
        attachments.keySet().forEach(this::stopWaiting);
    }

    /// What the session has besides its doors.
    private void sendRest(ChannelServer to, Attachment attachment) {
        messages.after(attachment.session()).forEach(to::send);
        if (!attachment.ports().isEmpty()) {
            OpenPorts ports = attachment.ports();
            to.sendWith(ports.message(attachment.session().id().value()), ports.descriptors());
        }
    }

    /// The sockets that a session has besides its doors; empty when it has no doors.
    Optional<OpenPorts> ports(SessionId id) {
        return Optional.ofNullable(attachments.get(id)).map(Attachment::ports);
    }

    /// From now on it has these, which are ours.
    synchronized void changePorts(Session session, OpenPorts ports) {
        Attachment known = attachments.get(session.id());
        if (known == null) {
            ports.close();
            return;
        }
        attachments.put(session.id(), known.with(known.session(), ports));
        List<FileDescriptor> gone = OpenPorts.ended(known.ports().without(ports));
        ChannelServer current = gateway;
        if (current != null && !ports.hasSameSockets(known.ports())) {
            current.sendWith(ports.message(session.id().value()), ports.descriptors());
        }
        release(gone);
    }

    /// The sessions that lack some of their ports.
    List<SessionId> lackingPorts() {
        return attachments.entrySet().stream()
                .filter(entry -> !entry.getValue().ports().troubles().isEmpty())
                .map(Map.Entry::getKey)
                .toList();
    }

    /// Who gives it sockets when it asks.
    SocketSupply supply() {
        return supply;
    }

    /// The gateway needs more sockets for a session; its text may be anything.
    void socketsWanted(String session) {
        Attachment attachment = find(session);
        if (attachment != null) {
            supply.wanted(attachment.session().id());
        }
    }

    /// The sockets are ours until they have left.
    synchronized void supply(SessionId id, List<FileDescriptor> sockets) {
        ChannelServer current = gateway;
        if (current != null && attachments.containsKey(id)) {
            current.supply(new Message.Sockets(id.value(), 0, sockets.size()), sockets);
        } else {
            release(sockets);
        }
    }

    /// Asks the gateway to share a repository's objects with a session that has doors. The future
    /// completes with whether it did; a gateway that dies did not.
    synchronized CompletableFuture<Boolean> lend(SessionId id, String repo, Path directory) {
        ChannelServer current = gateway;
        Optional<CompletableFuture<Boolean>> lent =
                current != null && attachments.containsKey(id)
                        ? borrowing.begin(id, repo)
                        : Optional.empty();
        if (current == null || lent.isEmpty()) {
            return CompletableFuture.completedFuture(false);
        }
        current.send(new Message.Lend(id.value(), repo, directory.toString()));
        return lent.get();
    }

    /// The gateway says what came of it; its text may be anything.
    void lent(String session, boolean shared) {
        if (find(session) != null) {
            borrowing.over(new SessionId(session), shared);
        }
    }

    /// The gateway says how far it is; likewise.
    void lending(Message.Lending told) {
        if (find(told.session()) != null) {
            borrowing.reached(
                    new SessionId(told.session()), told.receivedBytes(), told.indexedPercent());
        }
    }

    /// What takes long.
    LongWork work() {
        return work;
    }

    /// Ends a session's doors at once; what waited in them is refused by the kernel.
    synchronized void detach(SessionId id) {
        Attachment attachment = attachments.remove(id);
        if (attachment == null) {
            return;
        }
        attachment.answers().all().cancel(false);
        messages.ended(id);
        departed.leave(attachment.session());
        borrowing.over(id, false);
        departed.awaitLastWord(attachment.session());
        Message detach = new Message.Detach(id.value());
        Optional.ofNullable(gateway).ifPresent(current -> current.send(detach));
        release(attachment);
    }

    /// Whether a session has just lost its doors; true once for each decision and socket.
    synchronized boolean takeLastWord(String session, String about) {
        return departed.takeLastWord(session, about);
    }

    /// A new gateway process is ready: it gets everything.
    synchronized void begin(ChannelServer ready) {
        gateway = ready;
        last = ready;
        for (Attachment attachment : attachments.values()) {
            attachment.answers().oweOne();
            ready.attach(
                    attachMessage(attachment.session(), attachment.kinds()),
                    attachment.descriptors());
            sendRest(ready, attachment);
        }
        publicPort.ifPresent(port -> port.open(ready));
    }

    /// What is said after a session was attached is another thing now. It is asked for here, so
    /// that what was true last is said last.
    synchronized void tellAgain(SessionId id) {
        ChannelServer current = gateway;
        Attachment attachment = attachments.get(id);
        if (current != null && attachment != null) {
            messages.after(attachment.session()).forEach(current::send);
        }
    }

    /// The port for other machines; the gateway is told whatever has changed about it.
    synchronized void publish(Optional<PublicPort> port) {
        ChannelServer current = gateway;
        Optional<PublicPort> before = publicPort;
        publicPort = port;
        if (current != null && port.isEmpty()) {
            current.send(new Message.PublicPortClosed());
        } else if (current != null && port.equals(before)) {
            port.get().change(current);
        } else if (current != null) {
            port.get().open(current);
        }
        before.filter(old -> !port.equals(before)).ifPresent(old -> release(old.descriptors()));
    }

    synchronized void end(ChannelServer over) {
        if (over.equals(gateway)) {
            gateway = null;
            borrowing.disappoint();
        }
    }

    /// The gateway says that a session's doors are open, or that it goes by its new rights.
    void attached(String session) {
        Attachment attachment = find(session);
        if (attachment != null) {
            attachment.answers().given();
        }
    }

    /// A session's doors cannot be opened.
    void failed(SessionId session, Exception reason) {
        Attachment attachment = attachments.get(session);
        if (attachment != null) {
            attachment.answers().all().completeExceptionally(reason);
        }
    }

    /// The session as its doors were opened or changed last.
    Optional<Session> session(SessionId id) {
        return Optional.ofNullable(attachments.get(id)).map(Attachment::session);
    }

    /// A session with the rights for which the gateway has secrets of it, or had them until a
    /// moment ago.
    synchronized List<Session> holders(String session) {
        Stream<Session> before = departed.before(session);
        Attachment attachment = find(session);
        return attachment == null
                ? before.toList()
                : Stream.concat(Stream.of(attachment.session()), before).toList();
    }

    boolean isAttached(String session) {
        return find(session) != null;
    }

    /// Whether what a session asks for may have an effect at this moment.
    boolean mayServe(String session) {
        return find(session) != null && holds(new SessionId(session));
    }

    /// Whether a session is attached to this gateway and to no other one.
    boolean holds(SessionId id) {
        return leases.holds(id);
    }

    /// The text comes from the gateway and may be anything.
    private @Nullable Attachment find(String session) {
        try {
            return attachments.get(new SessionId(session));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private Message.Attach attachMessage(Session session, List<ListenerKind> kinds) {
        try {
            return messages.attach(session, kinds);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.ERROR, "the secrets cannot be read", e);
            return messages.attachWithoutSecrets(session, kinds);
        }
    }

    private void release(Attachment attachment) {
        release(attachment.descriptors());
        release(OpenPorts.ended(attachment.ports().descriptors()));
    }

    private void release(List<FileDescriptor> descriptors) {
        ChannelServer newest = last;
        if (newest != null) {
            newest.release(descriptors);
        } else {
            descriptors.forEach(OpenPorts::close);
        }
    }
}
