package dev.sallyport.credential;

import dev.sallyport.policy.HostName;
import dev.sallyport.policy.Permit;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The secrets of one session, each under the host it belongs to.
public final class CredentialBook {
    private final Map<HostName, Credential> byHost;
    private final Map<HostName, Needles> needles = new ConcurrentHashMap<>();

    public CredentialBook(List<Credential> credentials) {
        Map<HostName, Credential> map = new HashMap<>();
        for (Credential credential : credentials) {
            if (map.put(credential.host(), credential) != null) {
                throw new IllegalArgumentException("two secrets for the host " + credential.host());
            }
        }
        this.byHost = Map.copyOf(map);
    }

    /// Writes the permitted host's credential as basic authentication, or nothing when the host has
    /// none and is asked anonymously. Whatever `Authorization` was there is gone.
    public void authorize(Permit permit, HttpHeaders upstreamHeaders) {
        upstreamHeaders.remove(HttpHeaderNames.AUTHORIZATION);
        Credential credential = byHost.get(permit.host());
        if (credential != null) {
            upstreamHeaders.set(HttpHeaderNames.AUTHORIZATION, "Basic " + basic(credential));
        }
    }

    /// Watches the answer to a request that [#authorize] wrote to; empty when the host has no
    /// secret.
    public Optional<EchoGuard> guard(Permit permit) {
        return Optional.ofNullable(byHost.get(permit.host()))
                .map(Credential::secret)
                .map(secret -> needles.computeIfAbsent(permit.host(), _ -> Needles.of(secret)))
                .map(EchoGuard::new);
    }

    private static String basic(Credential credential) {
        byte[] user = (credential.user() + ":").getBytes(StandardCharsets.UTF_8);
        byte[] secret = credential.secret().reveal();
        byte[] pair = Arrays.copyOf(user, user.length + secret.length);
        System.arraycopy(secret, 0, pair, user.length, secret.length);
        String encoded = Base64.getEncoder().encodeToString(pair);
        Arrays.fill(secret, (byte) 0);
        Arrays.fill(pair, (byte) 0);
        return encoded;
    }

    /// Overwrites all secrets; called when the session ends.
    public void wipe() {
        byHost.values().forEach(credential -> credential.secret().wipe());
        needles.clear();
    }
}
