package dev.sallyport.gateway;

import dev.sallyport.channel.Message;
import dev.sallyport.config.GitHost;
import dev.sallyport.credential.Authority;
import dev.sallyport.credential.KnownSecrets;
import dev.sallyport.mirror.Progress;
import dev.sallyport.policy.MalformedNameException;
import dev.sallyport.policy.RepoName;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.LiveSession;
import io.netty.channel.ChannelFuture;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.PromiseCombiner;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// The sessions that this gateway serves. Used on the channel's event loop only.
final class Sessions {
    private static final Logger LOG = System.getLogger(Sessions.class.getName());

    /// How long requests that were permitted under old rights may still need the old secrets.
    private static final long OLD_SECRET_SECONDS = 30;

    private final Shared shared;
    private final Gateway.GitDoors.Opened git;
    private final Consumer<Message> warden;
    private final Renewals renewals;
    private final PendingQuestions questions;
    private final RemotePort publicPort;
    private final Map<SessionId, SessionSockets> live = new HashMap<>();

    Sessions(Shared shared, Gateway.GitDoors.Opened git, Consumer<Message> warden) {
        this.shared = shared;
        this.git = git;
        this.warden = warden;
        this.renewals =
                new Renewals(
                        shared.loops(),
                        shared.client(),
                        shared.recorder(),
                        warden,
                        System::nanoTime);
        this.questions = new PendingQuestions(shared.loops(), warden, shared.limits());
        this.publicPort = new RemotePort(shared.loops(), warden);
    }

    /// Where sandboxes of other machines come in.
    RemotePort publicPort() {
        return publicPort;
    }

    /// By which certificates a session of another machine is known.
    void badges(Message.Badges badges) {
        SessionSockets sockets = live.get(new SessionId(badges.session()));
        if (sockets != null) {
            publicPort.know(sockets, badges);
        }
    }

    /// The warden says what a person said.
    void answered(Message.Answered answer) {
        questions.answered(answer);
    }

    /// One of the sessions that are served.
    Optional<SessionSockets> find(SessionId id) {
        return Optional.ofNullable(live.get(id));
    }

    int size() {
        return live.size();
    }

    /// The warden says what became of a login's new tokens.
    void stored(Message.LoginStored answer) {
        renewals.stored(answer);
    }

    /// The git hosts are others now. Hosts whose certificates cannot be read change nothing: what
    /// the sessions may ask of them is said apart.
    void reach(List<GitHost> hosts) {
        try {
            shared.client().reach(hosts);
        } catch (IllegalArgumentException e) {
            LOG.log(Level.ERROR, "the git hosts stay as they are", e);
        }
    }

    /// A session whose rights cannot be read gets no sockets, and loses those that it has: what it
    /// had may be what was taken away. The others are not its fault.
    void attach(Message.Attach attach, List<FileDescriptor> descriptors) {
        LiveSession session;
        try {
            session = Rights.of(attach, renewals::renew).asking(questions);
        } catch (IllegalArgumentException e) {
            LOG.log(Level.ERROR, "a session is not attached: its rights cannot be read", e);
            descriptors.forEach(Sessions::discard);
            detach(new SessionId(attach.session()));
            return;
        }
        SessionSockets known = live.get(session.id());
        if (attach.listeners().isEmpty() && known != null) {
            shared.clean().know(session.id().value(), session.credentials().known());
            forgetLater(known.changeRights(session));
            // The one it began with goes on signing.
            Rights.authority(attach).ifPresent(Authority::wipe);
            warden.accept(new Message.Attached(attach.session()));
            return;
        }
        detach(session.id());
        listen(session, attach, descriptors);
    }

    private void listen(
            LiveSession session, Message.Attach attach, List<FileDescriptor> descriptors) {
        SessionSockets sockets =
                new SessionSockets(
                        session,
                        shared,
                        Rights.authority(attach),
                        Rights.spent(attach),
                        () -> warden.accept(new Message.SocketsWanted(attach.session())));
        live.put(session.id(), sockets);
        shared.clean().know(session.id().value(), session.credentials().known());
        shared.recorder().begin(session.id().value());
        shared.denials().begin(session.id().value());
        var loop = shared.loops().next();
        loop.execute(
                () -> {
                    PromiseCombiner all = new PromiseCombiner(loop);
                    for (int i = 0; i < attach.listeners().size(); i++) {
                        ChannelFuture served =
                                sockets.listen(attach.listeners().get(i), descriptors.get(i));
                        all.add((Future<?>) served);
                    }
                    all.finish(loop.<Void>newPromise().addListener(d -> told(d, attach)));
                });
    }

    private void told(Future<?> served, Message.Attach attach) {
        if (served.isSuccess()) {
            warden.accept(new Message.Attached(attach.session()));
        } else {
            LOG.log(Level.ERROR, "a session's listeners cannot be served", served.cause());
        }
    }

    /// A session that is not there any more has no use for them.
    void ports(Message.Ports ports, List<FileDescriptor> descriptors) {
        SessionSockets sockets = live.get(new SessionId(ports.session()));
        if (sockets == null) {
            descriptors.forEach(Sessions::discard);
        } else {
            sockets.portDoors().change(ports, descriptors);
        }
    }

    void supply(Message.Sockets supply, List<FileDescriptor> descriptors) {
        SessionSockets sockets = live.get(new SessionId(supply.session()));
        if (sockets == null) {
            descriptors.forEach(Sessions::discard);
        } else {
            sockets.portDoors().supply(descriptors);
        }
    }

    /// With the rights that the session has now.
    void lend(Message.Lend lend) {
        SessionSockets sockets = live.get(new SessionId(lend.session()));
        if (sockets == null) {
            warden.accept(new Message.Lent(lend.session(), false));
            return;
        }
        try {
            RepoName repo = RepoName.parse(lend.repo());
            Path directory = Path.of(lend.directory());
            Progress progress =
                    (bytes, percent) ->
                            warden.accept(new Message.Lending(lend.session(), bytes, percent));
            var _ =
                    git.lender()
                            .lend(sockets.session(), repo, directory, progress)
                            .thenAccept(
                                    shared ->
                                            warden.accept(
                                                    new Message.Lent(lend.session(), shared)));
        } catch (MalformedNameException e) {
            throw new IllegalArgumentException(e);
        }
    }

    void detach(SessionId id) {
        SessionSockets sockets = live.remove(id);
        publicPort.forget(id);
        if (sockets != null) {
            KnownSecrets secrets = sockets.session().credentials().known();
            sockets.close();
            shared.recorder().end(id.value());
            shared.denials().end(id.value());
            shared.apis().end(id);
            git.ended().accept(id);
            later(() -> shared.clean().forget(id.value(), secrets));
        }
    }

    /// Until they are wiped they are in use, and kept out of the record.
    private void forgetLater(LiveSession old) {
        later(
                () -> {
                    old.credentials().wipe();
                    shared.clean().forget(old.id().value(), old.credentials().known());
                });
    }

    private void later(Runnable step) {
        var _ = shared.loops().schedule(step, OLD_SECRET_SECONDS, TimeUnit.SECONDS);
    }

    static void discard(FileDescriptor descriptor) {
        try {
            descriptor.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "a descriptor could not be closed", e);
        }
    }
}
