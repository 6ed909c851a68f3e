package dev.sallyport.egress;

import dev.sallyport.credential.Authority;
import dev.sallyport.credential.HostCertificates;
import dev.sallyport.http.Tls;
import dev.sallyport.policy.EgressPermit;
import dev.sallyport.policy.HostName;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/// The server's side of TLS for each inspected host of one sandbox, kept for the hosts that were
/// used last. What OpenSSL keeps for them is not seen by the garbage collector, so it is counted
/// who uses one: the table does, and every connection.
final class ServerContexts {
    static final int KEPT_MAX = 256;

    /// Half of their certificate's time, so that none ends in the middle of a connection's day.
    private static final Duration KEPT_FOR = HostCertificates.VALIDITY.dividedBy(2);

    private static final String[] WEB = {
        ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1
    };

    /// The git door speaks what it speaks in the clear.
    private static final String[] GIT = {ApplicationProtocolNames.HTTP_1_1};

    private final HostCertificates certificates;
    private final SequencedMap<Use, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);
    private boolean closed;

    /// A host may be inspected by a rule on one port and be for git on another.
    private record Use(HostName host, boolean git) {}

    private record Kept(SslContext context, Instant until) {}

    ServerContexts(Authority authority) {
        this.certificates = new HostCertificates(authority);
    }

    /// The caller releases it, as a `ReferenceCounted`, when it has made its connection's engine.
    ///
    /// @throws IllegalStateException when there is none to be had
    synchronized SslContext of(EgressPermit permit) {
        if (closed) {
            throw new IllegalStateException("the session is over");
        }
        Instant now = Instant.now();
        Use use = new Use(permit.host(), permit.isForGit());
        Kept known = kept.get(use);
        if (known == null || !now.isBefore(known.until())) {
            known = new Kept(make(permit), now.plus(KEPT_FOR));
            drop(kept.put(use, known));
            if (kept.size() > KEPT_MAX) {
                drop(kept.pollFirstEntry().getValue());
            }
        }
        return ReferenceCountUtil.retain(known.context());
    }

    private static void drop(@Nullable Kept old) {
        if (old != null) {
            ReferenceCountUtil.release(old.context());
        }
    }

    synchronized void close() {
        closed = true;
        kept.values().forEach(ServerContexts::drop);
        kept.clear();
    }

    private SslContext make(EgressPermit permit) {
        try {
            SslContextBuilder builder =
                    Tls.speaking(certificates.server(permit), permit.isForGit() ? GIT : WEB)
                            .protocols("TLSv1.3", "TLSv1.2")
                            .ciphers(
                                    Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE);
            // A resumed session would skip the look at the hello's name (E17).
            return Tls.withoutResumption(builder.build());
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("no certificate for an inspected host", e);
        }
    }
}
