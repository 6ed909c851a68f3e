package dev.sallyport.gateway;

import dev.sallyport.channel.Message;
import dev.sallyport.config.GitHost;
import dev.sallyport.credential.Authority;
import dev.sallyport.git.Lender;
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
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// The sessions that this gateway serves. Used on the channel's event loop only.
final class Sessions {
    private static final Logger LOG = System.getLogger(Sessions.class.getName());

    /// How long requests that were permitted under old rights may still need the old secrets.
    private static final long OLD_SECRET_SECONDS = 30;

    private final Shared shared;
    private final Lender lender;
    private final Consumer<Message> warden;
    private final Renewals renewals;
    private final Map<SessionId, SessionSockets> live = new HashMap<>();

    Sessions(Shared shared, Lender lender, Consumer<Message> warden) {
        this.shared = shared;
        this.lender = lender;
        this.warden = warden;
        this.renewals =
                new Renewals(
                        shared.loops(),
                        shared.client(),
                        shared.recorder(),
                        warden,
                        System::nanoTime);
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
            session = Rights.of(attach, renewals::renew);
        } catch (IllegalArgumentException e) {
            LOG.log(Level.ERROR, "a session is not attached: its rights cannot be read", e);
            descriptors.forEach(Sessions::discard);
            detach(new SessionId(attach.session()));
            return;
        }
        SessionSockets known = live.get(session.id());
        if (attach.listeners().isEmpty() && known != null) {
            wipeLater(known.changeRights(session));
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
                new SessionSockets(session, shared, Rights.authority(attach), Rights.spent(attach));
        live.put(session.id(), sockets);
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
            var _ =
                    lender.lend(sockets.session(), repo, directory)
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
        if (sockets != null) {
            sockets.close();
            shared.recorder().end(id.value());
            shared.denials().end(id.value());
        }
    }

    private void wipeLater(LiveSession old) {
        var _ =
                shared.loops()
                        .schedule(
                                () -> old.credentials().wipe(),
                                OLD_SECRET_SECONDS,
                                TimeUnit.SECONDS);
    }

    private static void discard(FileDescriptor descriptor) {
        try {
            descriptor.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "a descriptor could not be closed", e);
        }
    }
}
