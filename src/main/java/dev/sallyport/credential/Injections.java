package dev.sallyport.credential;

import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Injection;
import dev.sallyport.policy.Injection.Place;
import dev.sallyport.policy.Inspection;
import dev.sallyport.policy.SecretHosts;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The secrets that rules inject. Each is found by its name *and* the permitted host, so that the
/// secret of one host is never written for another, whatever a rule says (I2). A service with
/// several names is listed in [SecretHosts].
final class Injections {
    /// Signed besides those that AWS wants to be.
    private static final Set<String> SIGNED = Set.of("host", "content-type");

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
                .filter(secret -> SecretHosts.reachInPart(secret.host(), permit.host()))
                .filter(secret -> secret.isUsable(injection))
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
        InjectedCredential known = need(permit, injection.get());
        if (!SecretHosts.reach(known.host(), permit.host(), head.method().name(), head.uri())) {
            throw new IllegalStateException("the secret does not belong into this request");
        }
        Secret secret = known.secret();
        switch (injection.get().place()) {
            case Place.Header(String name) -> head.headers().set(name, secret.text());
            case Place.Bearer() ->
                    head.headers().set(HttpHeaderNames.AUTHORIZATION, "Bearer " + secret.text());
            case Place.Basic(String user) ->
                    head.headers()
                            .set(HttpHeaderNames.AUTHORIZATION, "Basic " + secret.basic(user));
            case Place.Query(String parameter) -> head.setUri(with(head.uri(), parameter, secret));
            case Place.AwsSignature(String region, String service) ->
                    sign(permit, head, secret, new SignatureV4.Scope(region, service));
        }
    }

    /// The last that happens to a head: what is signed is what goes out. Fields that those between
    /// here and AWS may change are left out, as AWS wants it.
    ///
    /// @throws IllegalStateException when the secret has been wiped meanwhile
    static void sign(
            EgressPermit permit, HttpRequest head, Secret secret, SignatureV4.Scope scope) {
        AwsKey key =
                AwsKey.of(secret)
                        .orElseThrow(() -> new IllegalStateException("the secret is gone"));
        HttpHeaders fields = head.headers();
        @Nullable String host = fields.get(HttpHeaderNames.HOST);
        @Nullable String bodyHash = fields.get(CredentialBook.BODY_HASH);
        if (bodyHash == null || host == null || !host.startsWith(permit.host().value())) {
            throw new IllegalArgumentException("it is not known what to sign");
        }
        String time = SignatureV4.time(Instant.now());
        fields.set("x-amz-date", time);
        key.token().ifPresent(token -> fields.set("x-amz-security-token", token));
        SortedMap<String, String> signed = new TreeMap<>();
        for (Map.Entry<String, String> field : fields) {
            String name = field.getKey().toLowerCase(Locale.ROOT);
            if (name.startsWith("x-amz")
                    ? !name.equals("x-amzn-trace-id")
                    : SIGNED.contains(name)) {
                signed.put(name, field.getValue());
            }
        }
        String[] target = head.uri().split("\\?", 2);
        String query = target.length == 2 ? target[1] : "";
        SignatureV4 signature =
                new SignatureV4(head.method().name(), target[0], query, signed, bodyHash);
        fields.set(HttpHeaderNames.AUTHORIZATION, signature.authorization(key, scope, time));
    }

    private static String with(String target, String parameter, Secret secret) {
        String pair = Spelling.percent(parameter) + "=" + Spelling.percent(secret.text());
        return target + (target.indexOf('?') < 0 ? "?" : "&") + pair;
    }

    /// @param head of the request, as it was written
    Optional<EchoGuard> guard(EgressPermit permit, HttpRequest head) {
        return needles(permit, head).map(EchoGuard::new);
    }

    /// Those of the secret itself are made once: that takes a moment, on an event loop.
    Optional<Needles> needles(EgressPermit permit, HttpRequest head) {
        return injection(permit)
                .map(
                        i -> {
                            InjectedCredential known = need(permit, i);
                            Needles lasting =
                                    needles.computeIfAbsent(known, k -> Needles.of(k.values()));
                            return i.isSigned() ? lasting.with(signature(permit, head)) : lasting;
                        });
    }

    /// It is another one in each request, and good for minutes.
    private static Secret signature(EgressPermit permit, HttpRequest head) {
        @Nullable String written = head.headers().get(HttpHeaderNames.AUTHORIZATION);
        if (written == null) {
            throw new IllegalStateException("a request to " + permit.host() + " is not signed");
        }
        return AwsKey.secret(written.substring(written.lastIndexOf('=') + 1));
    }

    Stream<Secret> all() {
        return secrets.stream().flatMap(secret -> secret.values().stream());
    }

    void wipe() {
        secrets.forEach(InjectedCredential::wipe);
        needles.clear();
    }
}
