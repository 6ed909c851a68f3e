package dev.sallyport.warden;

import dev.sallyport.config.ConfigException;
import dev.sallyport.config.GitHost;
import dev.sallyport.config.PolicyFile;
import dev.sallyport.config.SecretFiles;
import dev.sallyport.config.StoredSecret;
import dev.sallyport.credential.AppKey;
import dev.sallyport.mint.App;
import dev.sallyport.mint.AppApi;
import dev.sallyport.mint.MintException;
import dev.sallyport.mint.TokenScope;
import dev.sallyport.policy.ApiHost;
import dev.sallyport.policy.Decision;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Reach;
import dev.sallyport.session.Moment;
import dev.sallyport.session.Session;
import dev.sallyport.warden.TokenHolding.Held;
import dev.sallyport.warden.TokenHolding.Wanted;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// Has one token minted, or gives one back: recorded first, and with the key of the App, which is
/// read for each and goes no further.
record Minting(
        Supplier<PolicyFile> rules,
        SecretFiles files,
        Ledger ledger,
        AppApi api,
        Moment.Source clock) {
    private static final Duration LIFE_MAX = Duration.ofHours(1);

    /// A clock that is a little behind makes a life of an hour look longer.
    private static final Duration LIFE_EXCESS = Duration.ofMinutes(2);

    /// What came of it.
    ///
    /// @param fresh absent when the present one is as good as a new one
    /// @param lacking sentences about what is not to be had
    record Made(Optional<Held> fresh, List<String> lacking) {}

    /// The warden's own.
    static Minting of(LivePolicy live, SecretFiles files, Ledger ledger, EventLoop loop) {
        PolicyFile policy = live.current();
        AppApi api =
                new AppApi(
                        policy.limits().upstream(),
                        policy.resolver(),
                        loop,
                        InstantSource.system());
        return new Minting(live::current, files, ledger, api, Moment::now);
    }

    Duration now() {
        return clock.now().uptime();
    }

    /// Blocks.
    ///
    /// @param present what the session has of it
    Made mint(Session session, Wanted wanted, Optional<Held> present) throws MintException {
        try {
            App app = app(session, wanted);
            AppApi.Sight sight = api.look(app, wanted.scope());
            boolean good =
                    present.filter(h -> h.scope().equals(sight.scope()) && !h.isDue(now()))
                            .isPresent();
            return new Made(
                    good ? Optional.empty() : Optional.of(mint(session, wanted, app, sight)),
                    sight.lacking());
        } catch (ConfigException e) {
            throw new MintException("key-unreadable", e.problem() + " " + e.remedy());
        } catch (IOException | AppKey.BadKeyException e) {
            throw new MintException("key-unreadable", "The key of the GitHub App cannot be read.");
        } catch (OperationException e) {
            throw new MintException("not-recorded", String.valueOf(e.getMessage()));
        }
    }

    private Held mint(Session session, Wanted wanted, App app, AppApi.Sight sight)
            throws MintException, OperationException {
        ledger.record("secret.mint", session, facts(wanted.secret(), sight.scope()));
        Duration asked = now();
        AppApi.Minted minted = api.mint(app, sight);
        Duration told = Duration.between(clock.now().wall(), minted.expires());
        return new Held(
                wanted,
                sight.scope(),
                minted.token(),
                app.permit(),
                asked,
                told.compareTo(LIFE_MAX) < 0 ? told : LIFE_MAX,
                told.compareTo(LIFE_MAX.plus(LIFE_EXCESS)) > 0);
    }

    private static boolean isGithub(GitHost host) {
        return host.kind().forge().equals(Optional.of(Forge.GITHUB));
    }

    private App app(Session session, Wanted wanted)
            throws IOException, AppKey.BadKeyException, MintException {
        HostName host = wanted.scope().host();
        Optional<GitHost> known = rules.get().host(host).filter(Minting::isGithub);
        Reach reach = known.map(h -> new Reach(false, h.dial(), h.caPem())).orElse(Reach.PUBLIC);
        if (known.isEmpty()
                || !(session.policy().decideMinting(host, reach)
                        instanceof Decision.Allow<EgressPermit>(EgressPermit permit))) {
            throw new MintException(
                    "no-such-host",
                    host + " is not a GitHub host. Add it under hosts: in policy.yaml.");
        }
        StoredSecret stored =
                files.findApp(wanted.secret(), host)
                        .orElseThrow(() -> new IOException("the secret is gone"));
        try {
            return new App(stored.app().orElseThrow(), AppKey.of(stored.value()), host, permit);
        } finally {
            stored.wipe();
        }
    }

    void failed(Session session, Wanted wanted, MintException problem) {
        note("secret.mint-failed", session, wanted.secret(), wanted.scope(), problem);
    }

    /// Blocks.
    ///
    /// @param first whether it was not tried before
    void revoke(Session session, Held held, boolean first) throws MintException {
        if (first) {
            ledger.note("secret.revoke", session, facts(held.wanted().secret(), held.scope()));
        }
        api.revoke(held.permit(), ApiHost.of(held.scope().host()), held.token());
    }

    void notRevoked(Session session, Held held, MintException problem) {
        note("secret.revoke-failed", session, held.wanted().secret(), held.scope(), problem);
    }

    private void note(
            String kind, Session session, String secret, TokenScope scope, MintException problem) {
        Map<String, String> detail = facts(secret, scope);
        detail.put("error", problem.code());
        ledger.note(kind, session, detail);
    }

    private static Map<String, String> facts(String secret, TokenScope scope) {
        Map<String, String> facts = new HashMap<>();
        facts.put("name", secret);
        facts.put("host", scope.host().value());
        facts.put("use", scope.use().label());
        facts.put("repos", scope.repositories());
        facts.put("permissions", scope.allowed());
        return facts;
    }
}
