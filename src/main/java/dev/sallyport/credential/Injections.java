package dev.sallyport.credential;

import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Injection.Place;
import dev.sallyport.policy.Inspection;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The secrets that rules inject. Each is found by its name *and* the permitted host, so that the
/// secret of one host is never written for another, whatever a rule says (I2).
final class Injections {
    private final List<InjectedCredential> secrets;
    private final Renewer renewer;
    private final Map<InjectedCredential, Needles> needles = new ConcurrentHashMap<>();

    Injections(List<InjectedCredential> secrets, Renewer renewer) {
        this.secrets = List.copyOf(secrets);
        this.renewer = renewer;
    }

    private static Optional<Injection> injection(EgressPermit permit) {
        return permit.inspection().flatMap(Inspection::injection);
    }

    private Optional<InjectedCredential> find(EgressPermit permit, Injection injection) {
        return secrets.stream()
                .filter(secret -> secret.name().equals(injection.secret()))
                .filter(secret -> secret.host().equals(permit.host()))
                .filter(InjectedCredential::isUsable)
                .findFirst();
    }

    private InjectedCredential need(EgressPermit permit, Injection injection) {
        return find(permit, injection)
                .orElseThrow(() -> new IllegalStateException("the secret is not here"));
    }

    boolean canWrite(EgressPermit permit) {
        return injection(permit).stream().allMatch(i -> find(permit, i).isPresent());
    }

    @Nullable Object identity(EgressPermit permit) {
        return injection(permit).flatMap(i -> find(permit, i)).orElse(null);
    }

    /// A token that is still good is used on when it cannot be renewed just now.
    Optional<CompletableFuture<Void>> renewal(EgressPermit permit, Instant now) {
        return renewable(permit, login -> login.isDue(now))
                .map(
                        due -> {
                            CompletableFuture<Void> renewed = renewer.renew(due);
                            boolean over = due.login().filter(l -> l.isOver(now)).isPresent();
                            return over ? renewed : renewed.exceptionally(_ -> null);
                        });
    }

    Optional<CompletableFuture<Void>> renewalOfRefused(EgressPermit permit, Instant now) {
        return renewable(permit, login -> login.isRefusable(now)).map(renewer::renew);
    }

    private Optional<InjectedCredential> renewable(EgressPermit permit, Predicate<Login> when) {
        return injection(permit)
                .flatMap(i -> find(permit, i))
                .filter(found -> found.login().filter(when).isPresent());
    }

    void write(EgressPermit permit, HttpRequest head) {
        Optional<Injection> injection = injection(permit);
        if (injection.isEmpty()) {
            return;
        }
        Secret secret = need(permit, injection.get()).secret();
        switch (injection.get().place()) {
            case Place.Header(String name) -> head.headers().set(name, secret.text());
            case Place.Bearer() ->
                    head.headers().set(HttpHeaderNames.AUTHORIZATION, "Bearer " + secret.text());
            case Place.Basic(String user) ->
                    head.headers()
                            .set(HttpHeaderNames.AUTHORIZATION, "Basic " + secret.basic(user));
            case Place.Query(String parameter) -> head.setUri(with(head.uri(), parameter, secret));
        }
    }

    private static String with(String target, String parameter, Secret secret) {
        String pair = Spelling.percent(parameter) + "=" + Spelling.percent(secret.text());
        return target + (target.indexOf('?') < 0 ? "?" : "&") + pair;
    }

    Optional<EchoGuard> guard(EgressPermit permit) {
        return injection(permit)
                .map(i -> need(permit, i))
                .map(known -> needles.computeIfAbsent(known, k -> Needles.of(k.values())))
                .map(EchoGuard::new);
    }

    void wipe() {
        secrets.forEach(InjectedCredential::wipe);
        needles.clear();
    }
}
