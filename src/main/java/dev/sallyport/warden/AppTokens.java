package dev.sallyport.warden;

import dev.sallyport.channel.Message;
import dev.sallyport.config.HostKind;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.credential.Secret;
import dev.sallyport.mint.MintException;
import dev.sallyport.mint.TokenScope;
import dev.sallyport.policy.RepoPattern;
import dev.sallyport.policy.SessionId;
import dev.sallyport.session.Session;
import dev.sallyport.warden.TokenHolding.Doomed;
import dev.sallyport.warden.TokenHolding.Held;
import dev.sallyport.warden.TokenHolding.Wanted;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/// The tokens of GitHub Apps: minted for each session that has doors, for its repositories and what
/// its rules allow, renewed while the session lasts, and given back when it ends or may do less.
/// The keys stay here; the gateway gets tokens, which end within the hour by themselves.
///
/// Nobody waits for GitHub with a lock: what a session should have is noted, and a thread of its
/// own brings it about. Then the gateway is told.
final class AppTokens {
    private static final System.Logger LOG = System.getLogger(AppTokens.class.getName());
    private static final Duration CLOSE_MAX = Duration.ofSeconds(5);

    /// More than any session needs; each is a call to GitHub every 50 minutes.
    private static final int TOKENS_PER_SESSION_MAX = 32;

    /// Who has to know.
    interface Listener {
        Listener NOBODY = (_, _) -> {};

        /// The session has other tokens now, or knows that there are none.
        ///
        /// @param trouble what is wrong with them, if anything is
        void changed(SessionId session, Optional<String> trouble);

        /// The gateway first: a session that is being attached is there when it has been told.
        static Listener of(GatewayLink link, Sandboxes sandboxes) {
            return (session, trouble) -> {
                link.refresh(other -> other.id().equals(session));
                if (link.isAttached(session.value())) {
                    sandboxes.remarks().set(session, Remarks.Topic.TOKENS, trouble);
                }
            };
        }
    }

    private final SecretFiles files;
    private final Minting minting;
    private final Map<SessionId, TokenHolding> holdings = new HashMap<>();

    /// Those of sessions that have ended, until their tokens have.
    private final Set<TokenHolding> leaving = new HashSet<>();

    private Listener listener = Listener.NOBODY;

    AppTokens(SecretFiles files, Minting minting) {
        this.files = files;
        this.minting = minting;
    }

    synchronized void tell(Listener who) {
        listener = who;
    }

    /// What the gateway gets for a session's git hosts that have an App: tokens, or word that there
    /// will be some, or that there are none. Returns at once.
    synchronized List<Message.HostSecret> of(Session session) throws IOException {
        List<Wanted> wanted = wanted(session);
        if (wanted.isEmpty() && !holdings.containsKey(session.id())) {
            return List.of();
        }
        TokenHolding holding =
                holdings.computeIfAbsent(session.id(), _ -> new TokenHolding(session));
        holding.want(session, wanted);
        work(holding);
        return messages(holding);
    }

    private List<Wanted> wanted(Session session) throws IOException {
        List<Wanted> wanted = new ArrayList<>();
        for (SecretFiles.Entry app : files.list()) {
            if (app.app().isPresent() && session.policy().gitHosts().contains(app.host())) {
                TokenScope.of(app.host(), session.grants()).stream()
                        .map(s -> new Wanted(app.name(), app.rotated().orElse(app.updated()), s))
                        .forEach(wanted::add);
            }
        }
        if (wanted.size() > TOKENS_PER_SESSION_MAX) {
            LOG.log(System.Logger.Level.ERROR, "too many tokens for " + session.name());
        }
        return wanted.stream().limit(TOKENS_PER_SESSION_MAX).toList();
    }

    private static List<Message.HostSecret> messages(TokenHolding holding) {
        List<Message.HostSecret> all = new ArrayList<>();
        for (Held held : holding.usable()) {
            all.add(message(held.scope(), Optional.of(held.token().copy()), false));
        }
        for (Wanted one : holding.wanted()) {
            Optional<Held> held = holding.current(one);
            if (held.filter(h -> h.scope().names().equals(one.scope().names())).isEmpty()) {
                all.add(message(one.scope(), Optional.empty(), holding.hasFailed(one)));
            }
        }
        return all;
    }

    private static Message.HostSecret message(
            TokenScope scope, Optional<Secret> token, boolean failed) {
        return new Message.HostSecret(
                scope.host().value(),
                HostKind.GITHUB.tokenUser(),
                token,
                Optional.of(
                        new Message.MintedFor(
                                scope.use().label(),
                                scope.repos().stream().map(RepoPattern::text).toList(),
                                scope.access().label(),
                                failed)));
    }

    /// The session has no doors any more.
    synchronized void ended(SessionId id) {
        TokenHolding holding = holdings.remove(id);
        if (holding != null) {
            holding.end();
            leaving.add(holding);
            work(holding);
        }
    }

    /// Called now and then: renews what is due, and tries again what failed.
    void pass() {
        List<SessionId> changed = new ArrayList<>();
        synchronized (this) {
            for (TokenHolding holding : holdings.values()) {
                if (holding.expire(minting.now())) {
                    changed.add(holding.session().id());
                }
                work(holding);
            }
            for (TokenHolding holding : leaving) {
                holding.expire(minting.now());
                work(holding);
            }
            leaving.removeIf(holding -> !holding.busy && holding.isEmpty());
        }
        changed.forEach(this::changed);
    }

    /// For whoever looks where a token must not be.
    synchronized List<Secret> tokens(SessionId id) {
        TokenHolding holding = holdings.get(id);
        return holding == null ? List.of() : holding.tokens().stream().map(Secret::copy).toList();
    }

    /// Without the lock: whoever is told may ask back.
    private void changed(SessionId id) {
        Listener who;
        List<String> troubles;
        synchronized (this) {
            who = listener;
            TokenHolding holding = holdings.get(id);
            troubles = holding == null ? List.of() : holding.troubles();
        }
        who.changed(
                id,
                troubles.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", troubles)));
    }

    /// Caller holds the lock.
    private void work(TokenHolding holding) {
        if (!holding.busy && holding.hasWork(minting.now())) {
            holding.busy = true;
            Thread.ofVirtual().name("app-tokens").start(() -> run(holding));
        }
    }

    private void run(TokenHolding holding) {
        boolean more = true;
        while (more) {
            try {
                more = step(holding);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "the tokens of a session", e);
                more = false;
                synchronized (this) {
                    holding.busy = false;
                }
            }
        }
    }

    private boolean step(TokenHolding holding) {
        Session session;
        List<Doomed> doomed;
        List<Wanted> tries;
        synchronized (this) {
            session = holding.session();
            doomed = holding.takeDoomed(minting.now());
            tries = holding.tries(minting.now());
            if (doomed.isEmpty() && tries.isEmpty()) {
                holding.busy = false;
                return false;
            }
        }
        doomed.forEach(one -> revoke(holding, session, one));
        tries.forEach(one -> attempt(holding, session, one));
        synchronized (this) {
            holding.tried(tries, minting.now());
        }
        return true;
    }

    private void attempt(TokenHolding holding, Session session, Wanted wanted) {
        Optional<Held> present;
        synchronized (this) {
            present = holding.current(wanted);
        }
        boolean news;
        try {
            Minting.Made made = minting.mint(session, wanted, present);
            synchronized (this) {
                made.fresh().ifPresent(holding::put);
                news = holding.settled(wanted, made.lacking()) || made.fresh().isPresent();
            }
        } catch (MintException e) {
            synchronized (this) {
                news = holding.settled(wanted, List.of(e.sentence()));
            }
            if (news) {
                // What is tried again and again is one line in the record.
                minting.failed(session, wanted, e);
            }
        }
        if (news) {
            changed(session.id());
        }
    }

    private void revoke(TokenHolding holding, Session session, Doomed doomed) {
        Held held = doomed.held();
        try {
            minting.revoke(session, held, doomed.tries() == 0);
            held.token().wipe();
        } catch (MintException e) {
            Optional<Doomed> later = doomed.again(minting.now());
            if (later.isPresent()) {
                synchronized (this) {
                    holding.retry(later.get());
                }
            } else {
                held.token().wipe();
                minting.notRevoked(session, held, e);
            }
        }
    }

    /// Gives back what there is, as far as that is possible in a moment; the rest ends within the
    /// hour.
    void close() {
        synchronized (this) {
            List.copyOf(holdings.keySet()).forEach(this::ended);
        }
        long end = System.nanoTime() + CLOSE_MAX.toNanos();
        while (!isIdle() && System.nanoTime() < end) {
            LockSupport.parkNanos(20_000_000);
        }
    }

    /// Whether nobody is at work.
    synchronized boolean isIdle() {
        return Stream.concat(leaving.stream(), holdings.values().stream())
                .noneMatch(holding -> holding.busy);
    }
}
