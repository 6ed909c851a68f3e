package dev.sallyport.credential;

import dev.sallyport.credential.CredentialSource.Found;
import dev.sallyport.credential.Renewer.NotRenewedException;
import dev.sallyport.policy.ApiPermit;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.Forge;
import dev.sallyport.policy.GitPermit;
import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Permit;
import dev.sallyport.policy.Refusal;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The credentials of one session, each from the source of the host it belongs to.
public final class CredentialBook {
    /// The field in which a door states the hash of a body that it has read, where a rule signs
    /// requests.
    public static final String BODY_HASH = "x-amz-content-sha256";

    private final Map<HostName, CredentialSource> sources;
    private final Injections injections;
    private final Map<Credential, Needles> needles = new ConcurrentHashMap<>();
    private final KnownSecrets known;
    private final CompletableFuture<CredentialBook> ready = CompletableFuture.completedFuture(this);

    /// Fails when the session ends first.
    private final CompletableFuture<CredentialBook> successor = new CompletableFuture<>();

    private volatile boolean retired;
    private volatile @Nullable CredentialBook next;

    /// One for git alone.
    public CredentialBook(List<? extends CredentialSource> sources) {
        this(sources, List.of());
    }

    /// One whose secrets are not renewed.
    public CredentialBook(
            List<? extends CredentialSource> sources, List<InjectedCredential> injected) {
        this(sources, injected, Renewer.NONE);
    }

    public CredentialBook(
            List<? extends CredentialSource> sources,
            List<InjectedCredential> injected,
            Renewer renewer) {
        Map<HostName, CredentialSource> map = new HashMap<>();
        for (CredentialSource source : sources) {
            if (map.put(source.host(), source) != null) {
                throw new IllegalArgumentException("two secrets for the host " + source.host());
            }
        }
        this.sources = Map.copyOf(map);
        this.injections = new Injections(injected, renewer);
        this.known =
                KnownSecrets.of(
                        Stream.concat(
                                        sources.stream().flatMap(s -> s.secrets().stream()),
                                        injections.all())
                                .toList());
    }

    /// Finds any of these secrets in texts that are about to be written down. Good for what comes
    /// late, too: it outlives [#wipe] for as long as somebody has it.
    public KnownSecrets known() {
        return known;
    }

    /// Makes sure that what the permit's request is to carry is at hand, which may have to be
    /// minted or renewed. Comes before [#authorize] and [#inject], which are those of the book that
    /// it completes with; a failure means that the request cannot be made.
    public CompletableFuture<CredentialBook> prepare(Permit permit) {
        return switch (permit) {
            case GitPermit _, ApiPermit _ -> obtain(permit);
            case EgressPermit egress ->
                    injections.renewal(egress, Instant.now()).map(this::renewed).orElse(ready);
        };
    }

    private CompletableFuture<CredentialBook> obtain(Permit permit) {
        @Nullable CredentialSource source = sources.get(permit.host());
        if (source == null) {
            return ready;
        }
        if (source instanceof MintedTokens && next != null) {
            // Tokens are renewed while a push is judged: it goes on with those of the present.
            return latest().prepare(permit);
        }
        return switch (source.find(permit)) {
            case Found.There _ -> ready;
            case Found.Awaited _ -> successor.thenCompose(book -> book.prepare(permit));
            case Found.Missing(Refusal reason) ->
                    CompletableFuture.failedFuture(new NotRenewedException(reason));
        };
    }

    /// A source that hands out what belongs to another host is a mistake that must not pass.
    ///
    /// @return empty when the host has none and is asked anonymously
    private Optional<Credential> held(Permit permit) {
        @Nullable CredentialSource source = sources.get(permit.host());
        if (source == null) {
            return Optional.empty();
        }
        Credential credential =
                source.held(permit)
                        .orElseThrow(() -> new IllegalStateException("the credential is gone"));
        if (!credential.host().equals(permit.host())) {
            throw new IllegalStateException("a credential belongs to another host");
        }
        return Optional.of(credential);
    }

    /// As [#prepare] once more, after the host has answered that it does not take an access token;
    /// empty when it is none, or so new that there is another reason.
    public Optional<CompletableFuture<CredentialBook>> renew(Permit permit) {
        return permit instanceof EgressPermit egress
                ? injections.renewalOfRefused(egress, Instant.now()).map(this::renewed)
                : Optional.empty();
    }

    /// What was renewed is in the book of the session's present rights.
    private CompletableFuture<CredentialBook> renewed(CompletableFuture<Void> renewal) {
        return renewal.thenApply(_ -> latest());
    }

    private CredentialBook latest() {
        CredentialBook book = this;
        for (CredentialBook after = next; after != null; after = after.next) {
            book = after;
        }
        return book;
    }

    /// Writes the permitted host's credential, to git as basic authentication and to an API as a
    /// token, or nothing when the host has none and is asked anonymously. Whatever `Authorization`
    /// was there is gone.
    ///
    /// @throws IllegalStateException when the credential is not there, or not any more
    public void authorize(Permit permit, HttpHeaders upstreamHeaders) {
        upstreamHeaders.remove(HttpHeaderNames.AUTHORIZATION);
        Optional<Credential> credential = held(permit);
        if (credential.isPresent()) {
            String value =
                    permit instanceof ApiPermit api
                            ? scheme(api.rules().forge()) + credential.get().secret().text()
                            : "Basic " + basic(credential.get());
            upstreamHeaders.set(HttpHeaderNames.AUTHORIZATION, value);
        }
    }

    /// Gitea has taken `token` for its own kind in all versions, and `Bearer` for others.
    private static String scheme(Forge forge) {
        return switch (forge) {
            case GITHUB, GITLAB -> "Bearer ";
            case GITEA -> "token ";
        };
    }

    /// Watches the answer to a request that [#authorize] or [#inject] wrote to; empty when neither
    /// writes anything.
    ///
    /// @param head of that request, as it was written
    /// @throws IllegalStateException when the secret has been wiped meanwhile, so that nobody could
    ///   tell an echo of it any more
    public Optional<EchoGuard> guard(Permit permit, HttpRequest head) {
        return permit instanceof EgressPermit egress
                ? injections.guard(egress, head)
                : guard(permit);
    }

    /// As the other, for a git host and its API, whose credential is the same in every request.
    public Optional<EchoGuard> guard(Permit permit) {
        if (permit instanceof EgressPermit) {
            throw new IllegalArgumentException("which request is it?");
        }
        return held(permit)
                .map(
                        credential ->
                                needles.computeIfAbsent(
                                        credential, known -> Needles.of(known.secret())))
                .map(EchoGuard::new);
    }

    /// Whether the secret that the permit's rule injects is here and belongs to the permitted host
    /// (I2). True when the rule injects none.
    public boolean canInject(EgressPermit permit) {
        return injections.canWrite(permit);
    }

    /// Writes the secret that the permit's rule injects, if it injects one, to where the rule says.
    ///
    /// @throws IllegalStateException when the secret is not here, belongs to another host or has
    ///   been wiped
    public void inject(EgressPermit permit, HttpRequest upstreamHead) {
        injections.write(permit, upstreamHead);
    }

    private static String basic(Credential credential) {
        return credential.secret().basic(credential.user());
    }

    /// What is written for the permit, to tell one version of a secret from the next: the same
    /// object as long as it is the same, and null for nothing. Says nothing about the secret.
    public @Nullable Object identity(Permit permit) {
        return switch (permit) {
            case GitPermit _, ApiPermit _ -> credential(permit);
            case EgressPermit egress -> injections.identity(egress);
        };
    }

    private @Nullable Object credential(Permit permit) {
        return Optional.ofNullable(sources.get(permit.host()))
                .flatMap(source -> source.held(permit))
                .orElse(null);
    }

    /// Says which book has the session's rights and secrets from now on.
    public void succeededBy(CredentialBook after) {
        next = after;
        successor.complete(after);
    }

    /// Other rights hold from now on. Requests that were permitted under these may still be made,
    /// and nothing is kept for the next.
    public void retire() {
        retired = true;
    }

    public boolean isRetired() {
        return retired;
    }

    /// Overwrites all secrets; called when the session ends.
    public void wipe() {
        retire();
        sources.values().forEach(CredentialSource::wipe);
        injections.wipe();
        needles.clear();
        successor.completeExceptionally(new NotRenewedException(Refusal.SESSION_ENDED));
    }
}
